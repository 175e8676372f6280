package explore

import (
	"context"
	"errors"
	"testing"

	"idemtui/sim"
)

func TestEstimatesAreOfTheRightSize(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		within int64 // the factor that it may be off by
	}{
		"exact with one of each":  {config(sim.HandlerFence, 3, Budgets{1, 1, 1, 1, 1}), 1},
		"two crashes":             {config(sim.HandlerLease, 3, Budgets{Crash: 2, Slow: 1}), 1},
		"two of three kinds":      {config(sim.HandlerFence, 3, Budgets{2, 1, 2, 2, 1}), 3},
		"three crashes":           {config(sim.HandlerOneTx, 4, Budgets{Crash: 3}), 3},
		"three of each":           {config(sim.HandlerCheck, 3, Budgets{3, 3, 3, 0, 3}), 4},
		"none is wasted on check": {config(sim.HandlerCheck, 2, Budgets{Slow: 3}), 1},
	} {
		got, err := Estimate(t.Context(), c.config)
		if err != nil {
			t.Fatal(err)
		}
		c.config.VerdictOnly, c.config.Symmetry = true, true
		r, err := Run(t.Context(), c.config)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: about %d, it is %d", name, got, r.States)
		if got > r.States*c.within || got*c.within < r.States {
			t.Errorf("%s: about %d states, it is %d", name, got, r.States)
		}
	}
}

func TestAnEstimateStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Estimate(ctx, config(sim.HandlerFence, 4, Budgets{3, 3, 3, 3, 3})); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
