package player

import (
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"idemtui/sim"
	"idemtui/sim/lessons"
	"idemtui/ui/keys"
)

// Every scene of every lesson can be seen under other handlers, in the same
// script, under one clock: a time on the screen is the same time in all of them.
func TestScenesAreComparedOnTheirOwnScript(t *testing.T) {
	for _, l := range lessons.All() {
		for _, scene := range l.Scenes {
			p := open(t, Config{Scenario: l.Workload, Scene: &scene, Lesson: l.Title})
			others := scene.Compare
			if len(others) < 2 {
				others = []sim.HandlerID{scene.Scenario.Handler, sim.HandlerClaim, sim.HandlerKey}
			}
			settle(p, p.Compare(others[1:]...))
			press(p, p.keys.Player.Last)
			for _, r := range p.rows() {
				alone := scene
				alone.Scenario.Handler = r.trace.Handler().ID
				want, err := alone.Record()
				if err != nil {
					t.Fatal(err)
				}
				if r.trace.Result() != want.Result() || r.trace.Len() != want.Len() {
					t.Errorf("%s, %s: %s came to %+v, alone to %+v", l.Name, scene.Title, r.trace.Handler().Name, r.trace.Result(), want.Result())
				}
				for i := range want.Len() {
					if at := p.folds.real(r.trace.Event(i).At); at != want.Event(i).At {
						t.Fatalf("%s, %s: event %d of %s is shown at %d, not %d", l.Name, scene.Title, i, r.trace.Handler().Name, at, want.Event(i).At)
					}
				}
			}
			view := screen(p, 120, 40)
			if len(p.rows()) != len(p.rivals)+1 || strings.Contains(view, "cannot be shown") {
				t.Errorf("%s, %s:\n%s", l.Name, scene.Title, view)
			}
		}
	}
}

// A run told message by message has no token, and says so.
func TestAToldRunHasNoToken(t *testing.T) {
	l, _ := lessons.Find("lease")
	p := open(t, Config{Scenario: l.Workload, Scene: &l.Scenes[0]})
	press(p, p.keys.Player.Copy)
	if view := screen(p, 120, 36); p.Token() != "" || strings.Contains(view, "token s1") || !strings.Contains(view, "No token tells of this run") {
		t.Errorf("token %q:\n%s", p.Token(), view)
	}
	press(p, p.keys.Player.Workload)
	if p.Token() == "" || !strings.Contains(screen(p, 120, 36), "2,000 payments, 8 workers") {
		t.Errorf("the lesson's workload is not there:\n%s", screen(p, 120, 36))
	}
}

// What is folded can be zoomed and looked back on, alone and beside others, and
// every tick stands where its time is.
func TestFoldedRunsKeepTheFrameInEveryGlance(t *testing.T) {
	k := keys.Default().Player
	moves := []key.Binding{
		k.Closer, k.Closer, k.Farther, k.NextSeen, k.NextSeen, k.PrevSeen, k.Earlier, k.Later, k.Compare, k.NextHandler, k.Last, k.NextPage, k.Follow, k.NextBad,
	}
	rapid.Check(t, func(r *rapid.T) {
		l := rapid.SampledFrom(lessons.All()).Draw(r, "lesson")
		scene := rapid.SampledFrom(l.Scenes).Draw(r, "scene")
		p := open(t, Config{Scenario: l.Workload, Scene: &scene})
		w, h := rapid.IntRange(60, 200).Draw(r, "w"), rapid.IntRange(14, 60).Draw(r, "h")
		p.View(w, h)
		for range rapid.IntRange(1, 20).Draw(r, "keys") {
			press(p, rapid.SampledFrom(moves).Draw(r, "key"))
			checkFrame(r, p.View(w, h), w, h)
			if p.n < 0 || p.n > p.trace.Len() || p.now < 0 || p.now > p.duration() {
				r.Fatalf("the cursor is after %d of %d events, at %d of %d", p.n, p.trace.Len(), p.now, p.duration())
			}
		}
	})
}

func checkFrame(t *rapid.T, frame string, w, h int) {
	lines := strings.Split(frame, "\n")
	if len(lines) > h {
		t.Fatalf("the frame has %d lines of %d", len(lines), h)
	}
	for _, line := range lines {
		if got := ansi.StringWidth(line); got > w {
			t.Fatalf("a line takes %d cells of %d: %q", got, w, line)
		}
	}
}
