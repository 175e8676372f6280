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
