package player

import (
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"idemtui/sim"
	"idemtui/sim/lessons"
	"idemtui/ui/keys"
)

// While the panel is open its keys turn what is selected; whatever is turned,
// there is a run or a reason why there is none, and the cursor stands in it.
func TestAnythingCanBeChanged(t *testing.T) {
	m := keys.Default()
	l, k := m.Lesson, m.Player
	bindings := []key.Binding{
		l.Down, l.Down, l.Down, l.Up, l.More, l.More, l.More, l.Less, l.Less, k.Change, k.Reset, k.NextHandler, k.Compare, k.Workload, k.NextBad, k.Last, k.First, k.NextSeen, k.Closer,
	}
	scenario := sim.DefaultScenario()
	scenario.Payments = 50
	rapid.Check(t, func(r *rapid.T) {
		p := open(t, Config{Scenario: scenario})
		w, h := rapid.IntRange(60, 200).Draw(r, "w"), rapid.IntRange(15, 60).Draw(r, "h")
		p.View(w, h)
		press(p, k.Change)
		for range rapid.IntRange(1, 30).Draw(r, "keys") {
			cmd := p.Update(typed(rapid.SampledFrom(bindings).Draw(r, "key")))
			p.setMode(paused)
			p.View(w, h)
			settle(p, cmd)
			p.View(w, h)
			if p.trace == nil {
				if p.failure == "" {
					r.Fatal("there is neither a run nor a reason")
				}
				continue
			}
			if p.n < 0 || p.n > p.trace.Len() || p.now > p.duration() || p.now < 0 {
				r.Fatalf("the cursor is after %d of %d events, at %d of %d", p.n, p.trace.Len(), p.now, p.duration())
			}
			if p.trace.Scenario() != p.Shown() {
				r.Fatalf("the run is of %+v, the screen's workload is %+v", p.trace.Scenario(), p.Shown())
			}
		}
	})
}

func TestAChangedRunIsMadeAtOnceAndCanBePutBack(t *testing.T) {
	p := open(t, Config{})
	k := p.keys.Player
	press(p, k.Last)
	before, token := p.trace.Result(), p.Token()
	press(p, k.Change)
	for _, want := range []string{"change the run · 1 of", "> workers", "workers take messages"} {
		if !strings.Contains(screen(p, 80, 24), want) {
			t.Errorf("no %q in\n%s", want, screen(p, 80, 24))
		}
	}
	for p.panel.Selected(p.dials().Parameters).String() != "duplicates" {
		press(p, p.keys.Lesson.Down)
	}
	press(p, p.keys.Lesson.Less)
	if p.trace.Result() == before || p.trace.Result().Deliveries != 1 || p.n != p.trace.Len() {
		t.Errorf("the run came to %+v, and the cursor is after %d of %d events", p.trace.Result(), p.n, p.trace.Len())
	}
	if p.Token() == token || !strings.Contains(screen(p, 120, 36), "(was: 1)") {
		t.Errorf("the change does not show:\n%s", screen(p, 120, 36))
	}
	press(p, p.keys.Lesson.Less)
	if !strings.Contains(screen(p, 120, 36), "it goes no further") {
		t.Errorf("the end of the values is not said:\n%s", screen(p, 120, 36))
	}
	press(p, k.Reset, k.Change)
	if p.trace.Result() != before || p.Token() != token || p.panel.Open {
		t.Errorf("put back, the run came to %+v, token %s", p.trace.Result(), p.Token())
	}
}

// Where a charge takes longer, the cursor stays at the same part of the run.
// Only what the shown broker and the shown clock can do is among the dials.
func TestEachBrokerHasItsOwnDials(t *testing.T) {
	for name, c := range map[string]struct {
		set        func(*sim.Scenario)
		with, less []lessons.Parameter
	}{
		"queue": {func(*sim.Scenario) {}, []lessons.Parameter{lessons.LateAck, lessons.AckLost}, []lessons.Parameter{lessons.CommitEvery, lessons.Rebalance, lessons.Skew}},
		"log":   {func(s *sim.Scenario) { s.Log = true }, []lessons.Parameter{lessons.CommitEvery, lessons.Rebalance}, []lessons.Parameter{lessons.LateAck, lessons.AckLost}},
		"clock": {func(s *sim.Scenario) { s.NodeClock = true }, []lessons.Parameter{lessons.Skew}, nil},
	} {
		s := sim.DefaultScenario()
		s.Payments = 50
		c.set(&s)
		player := open(t, Config{Scenario: s})
		press(player, player.keys.Player.Workload)
		shown := player.dials().Parameters
		for _, p := range c.with {
			if !slices.Contains(shown, p) {
				t.Errorf("%s: no dial for %s", name, p)
			}
		}
		for _, p := range c.less {
			if slices.Contains(shown, p) {
				t.Errorf("%s: a dial for %s", name, p)
			}
		}
	}
}

func TestTheCursorKeepsItsPlaceInAChangedRun(t *testing.T) {
	p := open(t, Config{})
	press(p, p.keys.Player.NextBad)
	n, now := p.n, p.now
	s := p.Shown()
	s.Charge, s.CopyAfter = 2*s.Charge, 2*s.CopyAfter
	settle(p, p.change(s))
	if off := p.now - 2*now; off < -2 || off > 2 {
		t.Errorf("the cursor went from %d to %d", now, p.now)
	}
	settle(p, p.change(p.workloads[p.shown].own))
	if p.n != n || p.now != now {
		t.Errorf("and back to event %d at %d, not %d at %d", p.n, p.now, n, now)
	}
}

func TestAChangeReachesTheComparedRuns(t *testing.T) {
	p := open(t, Config{})
	press(p, p.keys.Player.Compare, p.keys.Player.Change)
	s := p.Shown()
	s.Workers = 3
	cmd := p.change(s)
	if p.rivals[0].trace == nil {
		t.Error("what is compared vanishes while the new run is made")
	}
	settle(p, cmd)
	if got := p.rivals[0].trace.Scenario().Workers; got != 3 {
		t.Errorf("the handler beneath runs on %d workers", got)
	}
	if p.Update(tea.KeyPressMsg{Code: tea.KeyEscape}); p.panel.Open || p.compared != 1 {
		t.Error("esc closes more than the panel")
	}
}
