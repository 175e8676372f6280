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

// Explores is what there is to explore of the run on the screen: its handler,
// and one fault of each kind that its scenario has.
func (p *Player) Explores() explore.Config {
	s := p.Shown()
	return explore.Config{Handler: s.Handler.Handler(), Deliveries: exploredDeliveries, Budgets: budgetsOf(s)}
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
