package player

import (
	"testing"

	"idemtui/sim"
	"idemtui/sim/explore"
)

func TestFaultsOfAScenarioBecomeBudgets(t *testing.T) {
	s := sim.DefaultScenario()
	if got := budgetsOf(s); got != (explore.Budgets{}) {
		t.Errorf("no faults give %v", got)
	}
	s.Fail, s.Timeout, s.Crash, s.Slow, s.Retention = 1, 1, sim.One, sim.One/2, 1000
	if got := budgetsOf(s); got != (explore.Budgets{Fail: 1, Timeout: 1, Crash: 1, Slow: 1, Forget: 1}) {
		t.Errorf("all faults give %v", got)
	}
}

// What is explored has the faults of the messages too, and a key that is new
// with every try is none.
func TestExploresWhatTheRunMeets(t *testing.T) {
	s := sim.DefaultScenario()
	s.Handler = sim.HandlerLease
	for name, c := range map[string]struct {
		send sim.Send
		want explore.Budgets
	}{
		"crash":   {sim.Send{Fault: sim.FaultCrash}, explore.Budgets{Crash: 1}},
		"pause":   {sim.Send{Fault: sim.FaultPause}, explore.Budgets{Slow: 1}},
		"refused": {sim.Send{Outcome: sim.Fail}, explore.Budgets{Fail: 1}},
		"both":    {sim.Send{Fault: sim.FaultCrash, Outcome: sim.Timeout}, explore.Budgets{Crash: 1, Timeout: 1}},
	} {
		if got := ExploresOf(s, []sim.Send{{}, c.send}); got.Budgets != c.want || got.Handler.ID != sim.HandlerLease {
			t.Errorf("%s: %s with %+v", name, got.Handler.Name, got.Budgets)
		}
	}
	s.NewKeys = true
	for own, want := range map[sim.HandlerID]sim.HandlerID{
		sim.HandlerKeyOnly: sim.HandlerNone, sim.HandlerKey: sim.HandlerLease, sim.HandlerCheck: sim.HandlerCheck,
	} {
		if s.Handler = own; ExploresOf(s, nil).Handler.ID != want {
			t.Errorf("%v with new keys: %s", own, ExploresOf(s, nil).Handler.Name)
		}
	}
}
