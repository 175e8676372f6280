package lesson_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"idemtui/sim/lessons"
	"idemtui/ui/lesson"
)

var sizes = []struct{ w, h int }{{60, 15}, {80, 24}, {120, 36}, {200, 60}}

// words are a text without its line breaks.
func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// beside is what stands beside the bar: the page's text.
func beside(view string) string {
	var lines []string
	for line := range strings.Lines(view) {
		if _, after, ok := strings.Cut(line, "▌"); ok {
			lines = append(lines, after)
		}
	}
	return words(strings.Join(lines, " "))
}

// says fails where the page's text is not on the screen, whole.
func says(t *testing.T, s *stage, where, text string) {
	t.Helper()
	if got := beside(s.plain()); !strings.Contains(got, words(text)) {
		t.Errorf("%s: the screen says %q, want %q", where, got, words(text))
	}
}

// TestEveryWordIsOnTheScreen reads all lessons from the first page to the last
// at each size: every text, question, answer, table and checklist is there, and
// none of it is cut.
func TestEveryWordIsOnTheScreen(t *testing.T) {
	for _, size := range sizes {
		for _, l := range lessons.All() {
			t.Run(fmt.Sprintf("%dx%d/%d", size.w, size.h, l.N), func(t *testing.T) {
				onStage(t, lesson.Config{Lesson: l.N, Seed: 1}, size.w, size.h, func(t *testing.T, s *stage) {
					readLesson(t, s, l.WithSeed(1), size.w, size.h)
				})
			})
		}
	}
}

func readLesson(t *testing.T, s *stage, l lessons.Lesson, w, h int) {
	k := s.keys.Lesson
	for i, page := range l.Pages {
		trace, err := l.Scenes[page.Scene].Record()
		if err != nil {
			t.Fatal(err)
		}
		if i == l.Question.Before {
			says(t, s, "the question", l.Question.Text)
			for j, c := range l.Question.Choices {
				says(t, s, "a choice", fmt.Sprintf("%d %s", j+1, c.Text))
			}
			s.press(k.Choice)
			says(t, s, "the answer", l.Question.Explain(trace.Result(), 0))
			fits(t, s.styled(), w, h)
			s.press(k.Next)
		}
		where := fmt.Sprintf("page %d", i+1)
		shown := l.Show(i, trace)
		if !shown.Own || !shown.Found {
			t.Errorf("%s is not of its own run", where)
		}
		says(t, s, where, shown.Text)
		s.shows(t, fmt.Sprintf("lesson %d of 7", l.N), fmt.Sprintf("page %d of %d", i+1, len(l.Pages)))
		if q := page.Sequence; q != nil && (page.Exhibit == nil || h >= 20) {
			for lane, mark := range q.Instants[page.Step-1].Marks {
				s.shows(t, q.Lanes[lane])
				if mark.Text != "" {
					s.shows(t, mark.Text)
				}
			}
		}
		if page.Exhibit != nil {
			for _, row := range page.Exhibit.Rows {
				s.shows(t, strings.Join(row, " "))
			}
		}
		fits(t, s.styled(), w, h)
		s.press(k.Next)
	}
	for _, table := range l.Tables {
		results, err := table.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.shows(t, table.Title)
		says(t, s, table.Title, table.Note(results))
		for i, row := range table.Rows {
			numbers := ""
			for _, c := range table.Columns {
				numbers += " " + fmt.Sprint(c.Of(results[i]))
			}
			plain := words(strings.NewReplacer(",", "", "✗", "").Replace(s.plain()))
			if !strings.Contains(plain, words(strings.ReplaceAll(row.Label, ",", ""))+numbers) && !strings.Contains(plain, row.Short()+numbers) {
				t.Errorf("the table has no %q with%s:\n%s", row.Label, numbers, s.plain())
			}
		}
		fits(t, s.styled(), w, h)
		s.press(k.Next)
	}
	says(t, s, "the last word", l.Closing)
	if h < 20 && len(l.Checklist) > 0 {
		s.press(k.Next)
	}
	for i, question := range l.Checklist {
		says(t, s, "the checklist", fmt.Sprintf("%d %s", i+1, question))
	}
	fits(t, s.styled(), w, h)
}

// TestPictures are pages that a person has looked at.
func TestPictures(t *testing.T) {
	const on = "n"
	for _, scene := range []struct {
		name   string
		lesson int
		keys   []string
		sizes  []int // besides 80x24
	}{
		{"duplicates", 1, []string{on}, nil},
		{"duplicates-rebalance", 1, strings.Fields(strings.Repeat(on+" ", 10)), []int{2}},
		{"race-first", 2, nil, []int{0, 2, 3}},
		{"race-question", 2, []string{on, on, on}, []int{0}},
		{"race-wrong", 2, []string{on, on, on, "2"}, []int{0}},
		{"race-right", 2, []string{on, on, on, "3"}, nil},
		{"race-charged-twice", 2, []string{on, on, on, "3", on, on}, []int{0, 2}},
		{"race-results", 2, []string{"t"}, []int{0, 2}},
		{"race-results-changed", 2, []string{"t", "a", "down", "down", "right", "right"}, []int{0}},
		{"race-changed", 2, []string{on, "a", "down", "down", "right"}, []int{0, 2}},
		{"race-handler", 2, []string{on, "tab", "tab"}, nil},
		{"race-closing", 2, []string{"t", on, on}, nil},
		{"race-sql", 2, strings.Fields("n n n 3 n n n S"), []int{0, 2}},
		{"release", 3, []string{on, on, on, on}, nil},
		{"lease-slow", 4, strings.Fields(strings.Repeat(on+" ", 7)), []int{2, 3}},
		{"lease-clocks", 4, strings.Fields(strings.Repeat(on+" ", 14)), nil},
		{"lease-livelock", 4, strings.Fields(strings.Repeat(on+" ", 17)), []int{2}},
		{"provider-forgotten", 5, strings.Fields(strings.Repeat(on+" ", 12)), nil},
		{"provider-hops", 5, strings.Fields(strings.Repeat(on+" ", 17)), []int{0}},
		{"natural-late-copy", 6, strings.Fields(strings.Repeat(on+" ", 7)), []int{0, 2, 3}},
		{"natural-checklist", 6, []string{"t", on}, []int{0}},
		{"retention-late", 7, []string{on, on, on, on}, []int{2}},
		{"menu", 2, []string{"L"}, nil},
		{"help", 2, []string{"?"}, nil},
	} {
		for i, size := range sizes {
			if i != 1 && !slices.Contains(scene.sizes, i) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%dx%d", scene.name, size.w, size.h), func(t *testing.T) {
				onStage(t, lesson.Config{Lesson: scene.lesson, Seed: 1}, size.w, size.h, func(t *testing.T, s *stage) {
					s.typed(scene.keys...)
					fits(t, s.styled(), size.w, size.h)
					golden.RequireEqual(t, s.plain())
				})
			})
		}
	}
}
