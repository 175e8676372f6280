package cli

import (
	"strings"
	"time"

	"idemtui/sim"
	"idemtui/sim/lessons"
	"idemtui/ui/lesson"
	"idemtui/ui/text"
)

// printSequencePage prints a page about a sequence: its lanes before the first
// of its pages, then the page, and what happens at its moment.
func (a *app) printSequencePage(l lessons.Lesson, i int, trace *sim.Trace) {
	page := l.Pages[i]
	if i == 0 || l.Pages[i-1].Sequence != page.Sequence {
		a.printf("\n== %s\n\n%s\n", page.Sequence.Title, lesson.SequenceText(page.Sequence, timelineWidth))
	}
	a.printf("\n%s\n", paragraph(l.Show(i, trace).Text))
	if page.Exhibit != nil {
		a.printExhibit(page.Exhibit)
	}
	if page.Step == 0 || i+1 < len(l.Pages) && l.Pages[i+1].Sequence == page.Sequence && l.Pages[i+1].Step == page.Step {
		return
	}
	instant := page.Sequence.Instants[page.Step-1]
	a.printf("%s\n", hanging("    "+text.Duration(time.Duration(instant.At))+"  ", instant.Told))
	who := 0
	for _, line := range instant.Lines {
		who = max(who, text.Width(line.Who))
	}
	for _, line := range instant.Lines {
		code := strings.Split(hanging("      "+text.Left(line.Who, who)+"  ", line.Code), "\n")
		result := "  → " + line.Result
		if last := len(code) - 1; text.Width(code[last]+result) > lessonWidth {
			code = append(code, strings.Repeat(" ", who+6))
		}
		if line.Result != "" {
			code[len(code)-1] += result
		}
		a.printf("%s\n", strings.Join(code, "\n"))
	}
}
