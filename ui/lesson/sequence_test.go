package lesson_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"idemtui/ui/lesson"
)

// toLateCopy turns to the first page about the late copy.
func toLateCopy(s *stage) { s.typed("n", "n", "n", "n", "n") }

// TestASequenceIsSteppedLikeARun goes through the late copy with the arrow keys:
// the same picture comes from either side, and the pages have their moments.
func TestASequenceIsSteppedLikeARun(t *testing.T) {
	onStage(t, lesson.Config{Lesson: 6, Seed: 1}, 80, 24, func(t *testing.T, s *stage) {
		toLateCopy(s)
		s.shows(t, "page 5 of 9", "step 2 of 4", "m1 says SHIPPED")
		s.typed("home")
		s.shows(t, "step 0 of 4", "Nothing has happened yet.")
		var seen []string
		for _, want := range []string{"step 1 of 4", "step 2 of 4", "step 3 of 4", "step 4 of 4"} {
			s.typed("right")
			s.shows(t, want)
			seen = append(seen, s.plain())
		}
		s.shows(t, "the end", "\u2717 SHIPPED", "0 rows")
		s.typed("right")
		for i := len(seen) - 1; i >= 0; i-- {
			if got := s.plain(); got != seen[i] {
				t.Errorf("on the way back step %d is\n%s\nit was\n%s", i+1, got, seen[i])
			}
			s.typed("left")
		}
		s.typed("v")
		s.shows(t, "step 4 of 4")
		s.typed("V", "home", "end")
		s.shows(t, "step 4 of 4")
		s.typed("n")
		s.shows(t, "page 6 of 9", "step 3 of 4")
		s.typed("a", "tab", "r", "g")
		s.shows(t, "page 6 of 9", "step 3 of 4")
	})
}

// TestASequenceIsPlayed lets it play, holds it, and takes the focus away.
func TestASequenceIsPlayed(t *testing.T) {
	onStage(t, lesson.Config{Lesson: 6, Seed: 1}, 80, 24, func(t *testing.T, s *stage) {
		toLateCopy(s)
		s.typed("space")
		s.shows(t, "the end  step 4 of 4")
		_, cmd := s.app.Update(keyPress("space"))
		s.shows(t, "playing  step 0 of 4")
		s.typed("space")
		s.carryOut(cmd)
		s.shows(t, "paused  step 0 of 4")
		_, cmd = s.app.Update(keyPress("space"))
		s.app.Update(tea.BlurMsg{})
		s.carryOut(cmd)
		s.shows(t, "paused  step 0 of 4")
	})
}

// TestAKeyEndsTheWayToAPage presses one while the cursor is on its way.
func TestAKeyEndsTheWayToAPage(t *testing.T) {
	onStage(t, lesson.Config{Lesson: 6, Seed: 1}, 80, 24, func(t *testing.T, s *stage) {
		s.typed("n", "n", "n", "n")
		_, cmd := s.app.Update(keyPress("n"))
		s.shows(t, "step 0 of 4")
		s.typed("right")
		s.shows(t, "step 3 of 4")
		s.carryOut(cmd)
		s.shows(t, "step 3 of 4")
	})
}
