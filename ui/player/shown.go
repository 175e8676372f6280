package player

import "idemtui/sim"

// Shown is the scenario on the screen, with the handler that is shown.
func (p *Player) Shown() sim.Scenario {
	s := p.workloads[p.shown].scenario
	s.Handler = p.handler
	return s
}
