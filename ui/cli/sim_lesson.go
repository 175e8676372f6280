package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"idemtui/sim"
	"idemtui/sim/lessons"
	"idemtui/ui/text"
)

// lessonWidth is how wide a lesson's sentences are printed.
const lessonWidth = 76

// lessonFlag is --lesson: a lesson's name or number.
type lessonFlag struct{ lesson *lessons.Lesson }

func (f lessonFlag) Set(value string) error {
	lesson, ok := lessons.Find(value)
	if !ok {
		return fmt.Errorf("there is no lesson %q; it is 1 to %d, or one of %s", shortName(value), len(lessons.Names()), strings.Join(lessons.Names(), ", "))
	}
	*f.lesson = lesson
	return nil
}

func (f lessonFlag) String() string {
	if f.lesson == nil {
		return ""
	}
	return f.lesson.Name
}

// Type is the word that help shows for the value.
func (f lessonFlag) Type() string { return "lesson" }

// addLesson adds --lesson.
func addLesson(flags *pflag.FlagSet, lesson *lessons.Lesson) {
	flags.Var(lessonFlag{lesson}, "lesson", fmt.Sprintf("the lesson, 1 to %d: %s", len(lessons.Names()), strings.Join(lessons.Names(), ", ")))
}

// underLesson is the lesson's workload, with what was said by flag in the place
// of its own.
func (f *scenarioFlags) underLesson(said sim.Scenario) sim.Scenario {
	s := f.lesson.Workload
	for _, p := range scenarioParameters() {
		if f.flags.Changed(p.name) {
			p.take(&s, &said)
		}
	}
	return s
}

// printLesson prints a lesson for those who have no screen: its pages, each
// with what happens at its moment, the question with its answer, and the tables
// of results.
func (a *app) printLesson(ctx context.Context, l lessons.Lesson) error {
	a.printf("lesson %d of %d: %s\n", l.N, len(lessons.Names()), l.Title)
	var trace *sim.Trace
	for i, page := range l.Pages {
		if i == 0 || page.Scene != l.Pages[i-1].Scene {
			var err error
			if trace, err = a.printScene(l.Scenes[page.Scene]); err != nil {
				return err
			}
		}
		if i == l.Question.Before {
			a.printQuestion(l.Question, trace.Result())
		}
		if page.Sequence != nil {
			a.printSequencePage(l, i, trace)
			continue
		}
		shown := l.Show(i, trace)
		a.printf("\n%s\n", paragraph(shown.Text))
		if page.Exhibit != nil {
			a.printExhibit(page.Exhibit)
		}
		if shown.N > 0 && shown.N < trace.Len() {
			at := trace.Event(shown.N - 1).At
			a.printf("%s\n", hanging("    "+momentTime(at)+"  ", violationMark(trace, shown.N)+trace.Narrate(shown.N)))
		}
	}
	for _, table := range l.Tables {
		if err := a.printLessonTable(ctx, table); err != nil {
			return err
		}
	}
	a.printf("\n%s\n", paragraph(l.Closing))
	for _, question := range l.Checklist {
		a.printf("%s\n", hanging("- ", question))
	}
	return nil
}

// printExhibit prints the small table of a page.
func (a *app) printExhibit(e *lessons.Exhibit) {
	out := newTextTable(e.Titles...)
	for _, row := range e.Rows {
		out.add(row...)
	}
	a.printf("\n%s\n", hangingLines("    ", out.String()))
}

// hangingLines puts a prefix before each line.
func hangingLines(prefix, lines string) string {
	return prefix + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n"+prefix)
}

// momentTime is a virtual time in the unit that suits it: a run of lesson 7 is
// longer than a week.
func momentTime(at int64) string {
	if d := time.Duration(at); d >= time.Minute {
		return text.Duration(d)
	}
	return text.Millis(at)
}

// printScene heads the pages of a scene with its program and its timeline.
func (a *app) printScene(scene lessons.Scene) (*sim.Trace, error) {
	trace, err := scene.Record()
	if err != nil {
		return nil, rangeError(err)
	}
	handler := trace.Handler()
	a.printf("\n== %s\n\n", scene.Title)
	for pc := range handler.Steps {
		a.printf("  %d  %s\n", pc+1, handler.Program[pc].Code)
	}
	a.printf("\n%s%s\n", textTimeline(trace, timelineWidth), countersLine(trace))
	return trace, nil
}

// printQuestion prints the question, its choices, and the answer.
func (a *app) printQuestion(q lessons.Question, r sim.Result) {
	a.printf("\n%s\n", hanging("? ", q.Text))
	for i, choice := range q.Choices {
		a.printf("  %d) %s\n", i+1, choice.Text)
	}
	a.printf("%s\n", hanging("  ", q.Explain(r, -1)))
}

// printLessonTable prints the results at full size.
func (a *app) printLessonTable(ctx context.Context, table lessons.Table) error {
	results, err := table.Run(ctx)
	if err != nil {
		return err
	}
	titles := []string{""}
	for _, column := range table.Columns {
		titles = append(titles, strings.ToUpper(column.String()))
	}
	out := newTextTable(titles...).alignRight(titles[1:]...)
	for i, row := range table.Rows {
		cells := []string{row.Label}
		for _, column := range table.Columns {
			cells = append(cells, text.Count(column.Of(results[i]), true))
		}
		out.add(cells...)
	}
	a.printf("\n== %s\n\n%s\n%s\n", table.Title, out.String(), paragraph(table.Note(results)))
	return nil
}

// paragraph wraps sentences.
func paragraph(sentences string) string { return hanging("", sentences) }

// hanging wraps sentences under a prefix.
func hanging(prefix, sentences string) string {
	indent := strings.Repeat(" ", text.Width(prefix))
	return prefix + strings.Join(text.Wrap(sentences, lessonWidth-text.Width(prefix)), "\n"+indent)
}
