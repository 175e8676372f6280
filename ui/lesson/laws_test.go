package lesson_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"idemtui/sim/lessons"
	"idemtui/ui"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/lesson"
)

// anyKeys are keys that a viewer may press in a lesson, those that do something
// oftener than the others.
var anyKeys = []string{
	"n", "n", "n", "n", "p", "p", "down", "up", "left", "right", "shift+left", "shift+right", "v", "V", "home", "end", "g", "esc", "enter",
	"1", "2", "3", "4", "5", "6", "7", "8", "L", "t", "a", "a", "r", "w", "S", "tab", "shift+tab", "+", "-", "?", "e", "s", "x", "0", "c", "f", "space",
	"z", "z", "Z", "[", "]", "F", "/", "j", "k", "backspace",
}

// act is a key, or another size of the terminal.
type act struct {
	key  string
	w, h int
}

// TestAnyKeysKeepTheFrame presses anything at any size.
func TestAnyKeysKeepTheFrame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		config := lesson.Config{Lesson: rapid.IntRange(1, 7).Draw(r, "lesson"), Seed: rapid.Uint64Range(0, 50).Draw(r, "seed")}
		acts := []act{{w: rapid.IntRange(60, 220).Draw(r, "w"), h: rapid.IntRange(15, 70).Draw(r, "h")}}
		for range rapid.IntRange(0, 24).Draw(r, "pages") {
			acts = append(acts, act{key: "n"})
		}
		for range rapid.IntRange(1, 25).Draw(r, "acts") {
			if rapid.IntRange(0, 9).Draw(r, "what") == 0 {
				acts = append(acts, act{w: rapid.IntRange(1, 220).Draw(r, "w"), h: rapid.IntRange(1, 70).Draw(r, "h")})
				continue
			}
			acts = append(acts, act{key: rapid.SampledFrom(anyKeys).Draw(r, "key")})
		}
		var wrong failures
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, config, 80, 24)
			w, h := 80, 24
			for _, a := range acts {
				if a.key == "" {
					w, h = a.w, a.h
					s.size(w, h)
				} else {
					s.typed(a.key)
				}
				fits(&wrong, s.styled(), w, h)
			}
		})
		if len(wrong) > 0 {
			r.Fatal(wrong[0])
		}
	})
}

// failures collects what went wrong in a bubble.
type failures []string

// Fatalf implements what fits asks for.
func (f *failures) Fatalf(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// TestBackAndForwardIsTheSamePicture turns pages on and back, past the question
// and over the ends of lessons.
func TestBackAndForwardIsTheSamePicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, l := range lessons.All() {
			s := newStage(t, lesson.Config{Lesson: l.N, Seed: 1}, 100, 30)
			var seen []string
			for {
				view := s.plain()
				if strings.Contains(view, "a question first") {
					s.typed("n") // a question is asked once only
					continue
				}
				if len(seen) > 0 && (view == seen[len(seen)-1] || strings.Contains(view, fmt.Sprintf("lesson %d of 7", l.N+1))) {
					break
				}
				seen = append(seen, view)
				s.typed("n")
			}
			if l.N < 7 {
				s.typed("p")
			}
			for i := len(seen) - 1; i >= 0; i-- {
				if view := s.plain(); view != seen[i] {
					t.Fatalf("lesson %d: on the way back place %d is\n%s\nit was\n%s", l.N, i, view, seen[i])
				}
				s.typed("p")
			}
		}
	})
}

// TestTheQuestionIsAskedOnce answers, goes back, and comes again.
func TestTheQuestionIsAskedOnce(t *testing.T) {
	onStage(t, lesson.Config{Seed: 1}, 80, 24, func(t *testing.T, s *stage) {
		s.typed("n", "n", "n")
		s.shows(t, "a question first", "1 never", "2 once", "3 twice")
		before := s.plain()
		s.typed("right", "left", "v", "end", "space", "a", "t", "tab")
		s.shows(t, "a question first", "charges 0", "paused 0.15 ms")
		s.typed("2")
		s.shows(t, "the answer", "Not quite. It is: twice.")
		s.typed("n")
		s.shows(t, "page 4 of 8")
		s.typed("p")
		s.shows(t, "page 3 of 8")
		s.typed("n")
		s.shows(t, "page 4 of 8")
		if s.plain() == before {
			t.Error("the question is asked again")
		}
	})
}

// TestTheQuestionCanBeSkippedByOneKey, and by arrow keys alone.
func TestTheQuestionCanBeSkippedByOneKey(t *testing.T) {
	for _, key := range []string{"n", "down", "enter", "pgdown"} {
		onStage(t, lesson.Config{Seed: 1}, 80, 24, func(t *testing.T, s *stage) {
			s.typed("n", "n", "n", key)
			s.shows(t, "page 4 of 8")
		})
	}
	onStage(t, lesson.Config{Seed: 1}, 80, 24, func(t *testing.T, s *stage) {
		s.typed("down", "down", "down", "right", "right", "right", "down")
		s.shows(t, "the answer", "Right: twice.")
	})
}

// TestAChangedRunSaysSo turns a parameter: the run is another at once, the
// cursor stays at the page's moment, and r puts everything back.
func TestAChangedRunSaysSo(t *testing.T) {
	onStage(t, lesson.Config{Seed: 1}, 120, 36, func(t *testing.T, s *stage) {
		s.typed("n")
		before := s.plain()
		s.typed("a", "down", "down", "right", "right")
		s.shows(t, "changed: copy-after 2ms", "You have changed this run", "charged twice 1", "(lesson: 300us)")
		s.typed("esc", "n", "p")
		s.shows(t, "changed: copy-after 2ms")
		s.typed("r")
		if after := s.plain(); after != before {
			t.Errorf("put back it is\n%s\nit was\n%s", after, before)
		}
		s.typed("home", "right", "right", "right")
		at := s.plain()
		s.typed("a", "down", "down", "down", "left", "right", "esc")
		if after := s.plain(); after != at {
			t.Errorf("turned there and back it is\n%s\nit was\n%s", after, at)
		}
	})
}

// TestOnlyTheNewestRunIsShown brings the runs in the wrong order.
func TestOnlyTheNewestRunIsShown(t *testing.T) {
	onStage(t, lesson.Config{Seed: 1}, 100, 30, func(t *testing.T, s *stage) {
		s.typed("n", "a", "down", "down")
		_, first := s.app.Update(keyPress("right"))
		_, second := s.app.Update(keyPress("right"))
		s.carryOut(second)
		view := s.plain()
		s.carryOut(first)
		if s.plain() != view {
			t.Errorf("a stale run is shown:\n%s", s.plain())
		}
	})
}

// TestTheTableFillsInAsResultsArrive carries out one run at a time.
func TestTheTableFillsInAsResultsArrive(t *testing.T) {
	onStage(t, lesson.Config{Seed: 1}, 80, 24, func(t *testing.T, s *stage) {
		_, cmd := s.app.Update(keyPress("t"))
		for row := range 3 {
			s.shows(t, fmt.Sprintf("%d of 3 runs are made", row))
			_, cmd = s.app.Update(cmd())
		}
		if cmd != nil {
			var msg tea.Msg = cmd()
			t.Errorf("a fourth run: %v", msg)
		}
		s.shows(t, "no deduplication 2,100 2,000 2,100 ✗ 100", "claim first, atomically 2,100 2,000 2,000 0", "Over the first 400")
		s.typed("t")
		s.shows(t, "page 1 of 8")
	})
}

// TestTheWayOutAndBack plays with all handlers, and comes back to the page.
func TestTheWayOutAndBack(t *testing.T) {
	onStage(t, lesson.Config{Lesson: 4, Seed: 1}, 120, 36, func(t *testing.T, s *stage) {
		s.typed("n", "n")
		before := s.plain()
		s.typed("w")
		s.shows(t, "2,000 payments, 8 workers", "state and lease")
		s.typed("n")
		if after := s.plain(); after != before {
			t.Errorf("back in the lesson it is\n%s\nit was\n%s", after, before)
		}
		s.typed("c")
		s.shows(t, "3 handlers, the same scene", "crash and takeover", "lease deliveries 2", "fence deliveries 2", "key deliveries 2", "paused 3.56 ms")
		s.typed("n")
		if after := s.plain(); after != before {
			t.Errorf("back from comparing it is\n%s\nit was\n%s", after, before)
		}
		s.typed("w", "L", "7")
		s.shows(t, "lesson 7 of 7", "page 1 of 8")
		s.typed("3")
		s.shows(t, "lesson 3 of 7", "page 1 of 11")
		s.typed("e")
		s.shows(t, "claim")
		s.typed("esc")
		s.shows(t, "lesson 3 of 7", "page 1 of 11")
	})
}

// BenchmarkView draws frames at 200x60 while the cursor moves.
func BenchmarkView(b *testing.B) {
	s := &stage{keys: keys.Default()}
	dialogs := &frame.Dialogs{}
	screen := lesson.New(b.Context(), lesson.Config{Lesson: 4, Seed: 1}, s.keys, dialogs)
	s.app = ui.NewApp(screen, dialogs, s.keys)
	s.carryOut(screen.Init())
	i := 0
	for b.Loop() {
		if i++; i%40 == 0 {
			s.app.Update(keyPress("home"))
		}
		s.app.Update(keyPress("right"))
		screen.View(200, 60)
	}
}
