package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"idemtui/sim"
	"idemtui/ui/explorer"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/player"
)

func newTestSimulator(t *testing.T, s sim.Scenario, many bool) *simulator {
	t.Helper()
	screen := NewSimulator(t.Context(), player.Config{Scenario: s, Many: many}, nil, keys.Default(), &frame.Dialogs{})
	sm := screen.(*simulator)
	t.Cleanup(sm.Close)
	sm.behind.Update(sm.behind.Init()())
	return sm
}

// e explores the handler and the faults that are on the screen.
func TestTheExplorerBeginsWithWhatIsShown(t *testing.T) {
	s := sim.DefaultScenario()
	s.Handler, s.Crash = sim.HandlerLease, sim.One/50
	sm := newTestSimulator(t, s, true)
	sm.Update(press("e"))
	view := ansi.Strip(sm.View(100, 30))
	if !sm.open || !strings.Contains(view, "lease: claim with state and lease, crash 1") {
		t.Fatalf("e opens %v:\n%s", sm.open, view)
	}
	if got := sm.Title(); got != "idemtui explore: claim with state and lease" {
		t.Errorf("the title is %q", got)
	}
	sm.Update(explorer.ClosedMsg{})
	if sm.open || !strings.Contains(ansi.Strip(sm.View(100, 30)), "deliveries") {
		t.Error("the player does not come back")
	}
	sm.Update(press("s"))
	if view := ansi.Strip(sm.View(100, 30)); !strings.Contains(view, "you are the scheduler") || !strings.Contains(view, "crash 1") {
		t.Errorf("s opens\n%s", view)
	}
}

// The player's clock stands while the explorer is in front of it, whatever the
// terminal's focus does, and goes on afterwards.
func TestThePlayerWaitsBehindTheExplorer(t *testing.T) {
	sm := newTestSimulator(t, sim.DefaultScenario(), false)
	sm.Update(tea.KeyPressMsg{Code: tea.KeySpace})
	sm.Update(press("e"))
	for _, msg := range []tea.Msg{tea.BlurMsg{}, tea.FocusMsg{}} {
		sm.Update(msg)
		if view := ansi.Strip(sm.behind.View(100, 30)); !strings.Contains(view, "waiting") {
			t.Fatalf("behind the explorer, after %T, the player shows\n%s", msg, view)
		}
	}
	if cmd := sm.Update(explorer.ClosedMsg{}); cmd == nil || !strings.Contains(ansi.Strip(sm.behind.View(100, 30)), "playing") {
		t.Error("the player does not go on")
	}
}
