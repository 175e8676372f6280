package lessons

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"idemtui/sim"
)

// seeds is how many seeds every page is held to.
const seeds = 50

// The room that a page has on a screen of 80 columns.
const (
	pageWidth = 76
	pageLines = 5
)

func record(t *testing.T, s Scene) *sim.Trace {
	t.Helper()
	trace, err := s.Record()
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// wrap is the text in lines of the page's width.
func wrap(text string) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) <= pageWidth:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// checkSaid checks a text as it is shown.
func checkSaid(t *testing.T, where, said string) {
	t.Helper()
	if strings.ContainsAny(said, "{}") {
		t.Errorf("%s: a word is not known: %s", where, said)
	}
	if lines := wrap(said); len(lines) > pageLines {
		t.Errorf("%s: %d lines:\n%s", where, len(lines), strings.Join(lines, "\n"))
	}
	for sentence := range strings.SplitSeq(said, ". ") {
		if n := len(strings.Fields(sentence)); n > 30 {
			t.Errorf("%s: a sentence of %d words: %s", where, n, sentence)
		}
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(said), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if slices.Contains([]string{"attempt", "attempts", "event", "events", "algorithm", "holder", "holders", "steal", "steals", "ttl", "unlock", "lock", "status", "version"}, word) {
			t.Errorf("%s: the glossary has another word for %q: %s", where, word, said)
		}
	}
}

func TestEveryPageFindsItsMomentWhateverTheSeed(t *testing.T) {
	for _, l := range All() {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			for seed := uint64(1); seed <= seeds; seed++ {
				l := l.WithSeed(seed)
				traces := make([]*sim.Trace, len(l.Scenes))
				for i, s := range l.Scenes {
					traces[i] = record(t, s)
				}
				before := -1
				for i, p := range l.Pages {
					shown := l.Show(i, traces[p.Scene])
					said, n := shown.Text, shown.N
					if !shown.Found || !shown.Own {
						t.Fatalf("seed %d, page %d: %+v", seed, i+1, shown)
					}
					if i > 0 && p.Scene == l.Pages[i-1].Scene && n < before {
						t.Errorf("seed %d, page %d goes back from event %d to %d", seed, i+1, before, n)
					}
					before = n
					if seed == 1 || seed == seeds {
						checkSaid(t, l.Name, said)
					}
					if seed == 1 {
						t.Logf("page %d, scene %d (%s), event %d of %d\n%s", i+1, p.Scene, l.Scenes[p.Scene].Title, n, traces[p.Scene].Len(), strings.Join(wrap(said), "\n"))
					}
				}
			}
		})
	}
}

func TestTheAnswerComesFromTheRunAndIsTheSameForEverySeed(t *testing.T) {
	for _, l := range All() {
		q := l.Question
		if q.Before <= 0 || q.Before >= len(l.Pages) || len(q.Choices) < 2 {
			t.Errorf("%s: the question has no place or no choices", l.Name)
			continue
		}
		first := -1
		for seed := uint64(1); seed <= seeds; seed++ {
			r := record(t, l.WithSeed(seed).Asked()).Result()
			choice, number, ok := q.Answer(r)
			if !ok {
				t.Fatalf("%s, seed %d: no choice says %d", l.Name, seed, number)
			}
			if first < 0 {
				first = choice
			}
			if choice != first {
				t.Errorf("%s: with seed %d the answer is %q, with seed 1 %q", l.Name, seed, q.Choices[choice].Text, q.Choices[first].Text)
			}
			for chosen := -1; chosen < len(q.Choices); chosen++ {
				said := q.Explain(r, chosen)
				checkSaid(t, l.Name, said)
				if right := strings.HasPrefix(said, "Right"); right != (chosen == choice) {
					t.Errorf("%s: choice %d is answered by %q", l.Name, chosen, said)
				}
			}
			if seed == 1 {
				t.Logf("%s: %s\n  %s", l.Name, q.Text, q.Explain(r, choice))
			}
		}
	}
}

func TestTablesRunAndAreExplained(t *testing.T) {
	for _, l := range All() {
		if err := l.Workload.Validate(); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
		for _, table := range l.Tables {
			results, err := table.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			note := table.Note(results)
			checkSaid(t, l.Name, note)
			t.Logf("%s: %s\n%s", l.Name, table.Title, note)
			for i, r := range results {
				t.Logf("%-40s deliveries %d payments %d charges %d twice %d never %d failed %d takeovers %d fenced %d stuck %d", table.Rows[i].Label, r.Deliveries, r.Payments, r.Charges, r.ChargedTwice, r.NeverCharged, r.FailedFirst, r.Takeovers, r.Fenced, r.Stuck)
			}
		}
		checkSaid(t, l.Name, l.Closing)
		for _, question := range l.Checklist {
			checkSaid(t, l.Name, question)
		}
	}
}

func TestExhibitsFit(t *testing.T) {
	for _, l := range All() {
		for i, p := range l.Pages {
			if p.Exhibit == nil {
				continue
			}
			width := 0
			for column := range p.Exhibit.Titles {
				widest := len(p.Exhibit.Titles[column])
				for _, row := range p.Exhibit.Rows {
					if len(row) != len(p.Exhibit.Titles) {
						t.Fatalf("%s, page %d: a row of %d cells", l.Name, i+1, len(row))
					}
					widest = max(widest, len(row[column]))
				}
				width += widest + 2
			}
			if width > pageWidth || len(p.Exhibit.Rows) > pageLines {
				t.Errorf("%s, page %d: an exhibit of %d by %d", l.Name, i+1, width, len(p.Exhibit.Rows))
			}
		}
	}
}

// A sequence has a mark for each lane, its times go on, its words keep to the
// glossary, and its marks fit into 60 columns.
func TestSequencesFit(t *testing.T) {
	for _, l := range All() {
		for i, p := range l.Pages {
			if p.Sequence == nil {
				continue
			}
			where, q := fmt.Sprintf("%s, page %d", l.Name, i+1), p.Sequence
			if p.Step < 1 || p.Step > len(q.Instants) || p.Lane < 0 || p.Lane >= len(q.Lanes) {
				t.Errorf("%s: step %d of %d, lane %d", where, p.Step, len(q.Instants), p.Lane)
			}
			widest, before := 0, int64(0)
			for _, lane := range q.Lanes {
				widest = max(widest, len(lane))
			}
			room := (60-widest-4)/len(q.Instants) - 1
			for n, instant := range q.Instants {
				checkSaid(t, where, instant.Told)
				if len(instant.Marks) != len(q.Lanes) || instant.At < before {
					t.Errorf("%s: instant %d has %d marks, and is at %d after %d", where, n, len(instant.Marks), instant.At, before)
				}
				before = instant.At
				for _, mark := range instant.Marks {
					if len([]rune(mark.Text)) > room || len([]rune(mark.Note)) > room-1 {
						t.Errorf("%s: %q or %q is wider than %d", where, mark.Text, mark.Note, room)
					}
					if mark.Wrong && !strings.HasPrefix(mark.Text, "✗") {
						t.Errorf("%s: %q went wrong and does not say so", where, mark.Text)
					}
				}
			}
		}
	}
}

func TestFindTakesNumberAndName(t *testing.T) {
	for i, name := range Names() {
		byName, ok := Find(strings.ToUpper(name))
		byNumber, okNumber := Find(string(rune('1' + i)))
		if !ok || !okNumber || byName.N != i+1 || byNumber.Name != name {
			t.Errorf("%s is not lesson %d", name, i+1)
		}
	}
	for _, unknown := range []string{"", "0", "8", "nothing"} {
		if l, ok := Find(unknown); ok {
			t.Errorf("%q finds %s", unknown, l.Name)
		}
	}
}

func TestParametersTurnBothWaysAndStayValid(t *testing.T) {
	for _, l := range All() {
		for _, scene := range l.Scenes {
			if err := scene.Scenario.Validate(); err != nil {
				t.Errorf("%s: %v", l.Name, err)
			}
			if scene.Compare[0] != scene.Scenario.Handler && len(l.Scenes) == 1 {
				t.Errorf("%s: the scene's own handler is not the first", l.Name)
			}
			for _, p := range scene.Parameters {
				s, turned := scene.Scenario, 0
				for next, ok := p.Turn(s, 1); ok; next, ok = p.Turn(s, 1) {
					if next == s || next.Validate() != nil || turned > 100 {
						t.Fatalf("%s: %s turns from %s to %s", l.Name, p, p.Value(s), p.Value(next))
					}
					s, turned = next, turned+1
				}
				for next, ok := p.Turn(s, -1); ok; next, ok = p.Turn(s, -1) {
					s, turned = next, turned+1
				}
				if turned == 0 {
					t.Errorf("%s: %s is stuck at %s", l.Name, p, p.Value(scene.Scenario))
				}
			}
		}
	}
}

// Whatever a viewer changes, a page never tells what did not happen.
// A sequence is a run of its own, which no change of the scene reaches.
func TestChangedRunsAreNeverMisdescribed(t *testing.T) {
	for _, l := range All() {
		for i, p := range l.Pages {
			scene := l.Scenes[p.Scene]
			for _, h := range sim.Handlers() {
				changed := scene
				changed.Scenario.Handler = h.ID
				trace := record(t, changed)
				shown := l.Show(i, trace)
				if strings.ContainsAny(shown.Text, "{}") || shown.N < 0 || shown.N > trace.Len() || shown.Own != (h.ID == scene.Scenario.Handler || p.Sequence != nil) {
					t.Errorf("%s, page %d under %s: %+v", l.Name, i+1, h.Name, shown)
				}
			}
		}
	}
}

// What the narration says of a key that was forgotten, and of a payment whose
// last delivery ends without a charge.
func TestNarrationOfWhatIsLost(t *testing.T) {
	for _, c := range []struct{ lesson, scene, want string }{
		{"provider", "a key that was forgotten", "The provider no longer knows the key of p1, so it charges again: charged 2 times."},
		{"release", "release, and a crash", "No delivery of p1 is left: it is never charged."},
	} {
		trace := record(t, sceneTitled(t, lessonNamed(t, c.lesson), c.scene))
		n, ok := trace.NextViolation(0)
		if !ok || !strings.Contains(trace.Narrate(n), c.want) {
			t.Errorf("%s: %q", c.scene, trace.Narrate(n))
		}
	}
}
