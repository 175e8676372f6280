package player

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"idemtui/sim"
	"idemtui/sim/lessons"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
)

// anyScene is the run of one of the lessons' scenes.
func anyScene(r *rapid.T) *sim.Trace {
	l := rapid.SampledFrom(lessons.All()).Draw(r, "lesson").WithSeed(rapid.Uint64Range(0, 100).Draw(r, "seed"))
	trace, err := rapid.SampledFrom(l.Scenes).Draw(r, "scene").Record()
	if err != nil {
		r.Fatal(err)
	}
	return trace
}

// TestFoldedTimeIsTheRunsTime sees that every event's time comes back, that
// order is kept, and that no silence is left longer than two charges.
func TestFoldedTimeIsTheRunsTime(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		trace := anyScene(r)
		f := fold(trace)
		last := int64(0)
		for i := range trace.Len() {
			at := trace.Event(i).At
			shown := f.shown(at)
			if back := f.real(shown); back != at {
				r.Fatalf("event %d at %d is shown at %d, which is %d", i, at, shown, back)
			}
			if shown < last || shown-last > 2*max(trace.Scenario().Charge, leastShort) {
				r.Fatalf("event %d is shown at %d after %d", i, shown, last)
			}
			last = shown
		}
		a, b := rapid.Int64Range(0, last).Draw(r, "a"), rapid.Int64Range(0, last).Draw(r, "b")
		if a > b {
			a, b = b, a
		}
		if f.real(a) > f.real(b) || f.real(b) > trace.Duration() {
			r.Fatalf("%d and %d on the screen are %d and %d of %d", a, b, f.real(a), f.real(b), trace.Duration())
		}
		retimed := trace.Retimed(f.shown)
		n := rapid.IntRange(0, trace.Len()).Draw(r, "n")
		was, is := trace.At(n), retimed.At(n)
		was.Now, is.Now = 0, 0
		if was.Counters != is.Counters || !slices.Equal(was.Payments, is.Payments) || trace.Narrate(n) != retimed.Narrate(n) {
			r.Fatalf("at event %d the folded run is another", n)
		}
	})
}

// present makes a player show a lesson's scene.
func present(t *testing.T, lesson string, scene int) *Player {
	t.Helper()
	l, ok := lessons.Find(lesson)
	if !ok {
		t.Fatalf("no lesson %s", lesson)
	}
	trace, err := l.Scenes[scene].Record()
	if err != nil {
		t.Fatal(err)
	}
	p := New(Config{}, keys.Default(), &frame.Dialogs{})
	p.Present(trace, false)
	return p
}

func TestARunOfNineDaysIsOnOnePage(t *testing.T) {
	p := present(t, "retention", 0)
	p.StandAt(p.Trace().Len())
	view := ansi.Strip(p.Upper(100, 12))
	for _, want := range []string{"9d + 5.", "9d pass", "╱╱", "✗ $ p1", "the end"} {
		if !strings.Contains(view, want) {
			t.Errorf("the screen lacks %q:\n%s", want, view)
		}
	}
}

// TestNothingIsShownBeforeItHappens looks at a crashed worker and at a paused
// one, whose stretches go on after the cursor.
func TestNothingIsShownBeforeItHappens(t *testing.T) {
	for _, scene := range []int{0, 2} { // a crash; an answer that takes too long
		p := present(t, "duplicates", scene)
		for n := range p.Trace().Len() {
			p.StandAt(n)
			v := p.prepare(100)
			const slack = 13 // the words of a step that has begun
			for y, line := range strings.Split(ansi.Strip(p.Upper(100, 12)), "\n") {
				if y < 3 || y > 4 || v.cursor+gutter+slack >= 100 {
					continue
				}
				if rest := []rune(line); len(rest) > v.cursor+gutter+slack {
					t.Fatalf("scene %d, event %d, the cursor at %d: %q", scene, n, v.cursor, line)
				}
			}
		}
	}
}

func TestAGlideArrives(t *testing.T) {
	p := present(t, "race", 1)
	p.GlideTo(9)
	for range 10 {
		p.Update(tickedMsg{id: p.tick, passed: 40 * time.Millisecond})
	}
	if p.mode != gliding || p.n > 9 || p.now <= 0 {
		t.Errorf("on the way it is in mode %d at event %d, %d ns", p.mode, p.n, p.now)
	}
	for range 20 {
		p.Update(tickedMsg{id: p.tick, passed: 40 * time.Millisecond})
	}
	if p.mode != paused || p.n != 9 {
		t.Errorf("it ends in mode %d at event %d", p.mode, p.n)
	}
	p.GlideTo(20)
	p.Arrive()
	if p.mode != paused || p.n != 20 {
		t.Errorf("at once it is in mode %d at event %d", p.mode, p.n)
	}
	p.GlideTo(3)
	if p.mode != paused || p.n != 3 {
		t.Errorf("back it is in mode %d at event %d", p.mode, p.n)
	}
}
