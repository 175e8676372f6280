package player

import (
	"idemtui/sim"
	"idemtui/sim/explore"
)

// Shown is the scenario on the screen, with the handler that is shown.
func (p *Player) Shown() sim.Scenario {
	s := p.workloads[p.shown].scenario
	s.Handler = p.handler
	return s
}

// Explores is what there is to explore of the run on the screen.
func (p *Player) Explores() explore.Config {
	return ExploresOf(p.Shown(), p.workloads[p.shown].sends)
}

// ExploresOf is what there is to explore of a run: its handler, and one fault of
// each kind that its scenario and its messages have.
func ExploresOf(s sim.Scenario, sends []sim.Send) explore.Config {
	budgets := budgetsOf(s)
	for _, send := range sends {
		switch send.Fault {
		case sim.FaultCrash:
			budgets.Crash = 1
		case sim.FaultPause:
			budgets.Slow = 1
		}
		switch send.Outcome {
		case sim.Fail:
			budgets.Fail = 1
		case sim.Timeout:
			budgets.Timeout = 1
		}
	}
	return explore.Config{Handler: explored(s).Handler(), Deliveries: exploredDeliveries, Budgets: budgets}
}

// explored is the handler to explore: the explorer's key is the payment's, and a
// key made anew for each try does what no key does.
func explored(s sim.Scenario) sim.HandlerID {
	switch {
	case s.NewKeys && s.Handler == sim.HandlerKeyOnly:
		return sim.HandlerNone
	case s.NewKeys && s.Handler == sim.HandlerKey:
		return sim.HandlerLease
	}
	return s.Handler
}

// exploredDeliveries is the original and its copy.
const exploredDeliveries = 2

// budgetsOf are the faults of a scenario, one of each kind that it has.
func budgetsOf(s sim.Scenario) explore.Budgets {
	one := func(present bool) int {
		if present {
			return 1
		}
		return 0
	}
	return explore.Budgets{
		Fail: one(s.Fail > 0), Timeout: one(s.Timeout > 0), Crash: one(s.Crash > 0), Slow: one(s.Slow > 0), Forget: one(s.Retention > 0),
	}
}
