package explore_test

import (
	"testing"

	"pgregory.net/rapid"

	"idemtui/sim"
	"idemtui/sim/explore"
)

// transition is one event of an engine run that changed the payment's cell.
type transition struct {
	delivery int // the explorer's number of the delivery, or -1
	label    sim.Label
}

// transitions reads the run of one payment as a schedule: a message that comes
// back after its delivery ended badly is the same delivery again; one that comes
// while the earlier is still at work is a further delivery.
func transitions(trace *sim.Trace) (list []transition, deliveries int) {
	at := map[int16]int{}     // worker: its delivery
	back := map[uint8][]int{} // message: its deliveries that ended badly
	for i := range trace.Len() {
		e := trace.Event(i)
		switch e.Kind {
		case sim.EventDeliver, sim.EventRedeliver:
			if ended := back[e.Copy]; len(ended) > 0 {
				at[e.Worker], back[e.Copy] = ended[0], ended[1:]
				continue
			}
			at[e.Worker] = deliveries
			deliveries++
		case sim.EventReturn:
			back[e.Copy] = append(back[e.Copy], at[e.Worker])
		case sim.EventEffect, sim.EventAckLate:
			list = append(list, transition{at[e.Worker], e.Label})
		case sim.EventCrash:
			if e.Label != sim.NoLabel {
				list = append(list, transition{at[e.Worker], e.Label})
				back[e.Copy] = append(back[e.Copy], at[e.Worker])
			}
		case sim.EventExpire, sim.EventForget:
			list = append(list, transition{-1, e.Label})
		}
	}
	return list, deliveries
}

// budgets are the faults that a schedule spends.
func budgets(list []transition) (b explore.Budgets) {
	for _, tr := range list {
		switch tr.label {
		case sim.LabelChargeFail:
			b.Fail++
		case sim.LabelChargeTimeout:
			b.Timeout++
		case sim.LabelCrash:
			b.Crash++
		case sim.LabelExpireSlow:
			b.Slow++
		case sim.LabelForget:
			b.Forget++
		}
	}
	return b
}

// Whatever the engine does with one payment, without renewal and with at most
// four deliveries, is a path of the explored graph.
func TestEngineRunsArePaths(t *testing.T) {
	paths, faults := 0, explore.Budgets{}
	rapid.Check(t, func(t *rapid.T) {
		all := sim.Handlers()
		share := func(name string) sim.Fraction { return sim.One * sim.Fraction(rapid.IntRange(0, 1).Draw(t, name)) }
		scenario := sim.Scenario{
			Handler: all[rapid.IntRange(0, len(all)-1).Draw(t, "handler")].ID,
			Seed:    uint64(rapid.IntRange(0, 1<<20).Draw(t, "seed")), Payments: 1,
			Workers: rapid.IntRange(1, 4).Draw(t, "workers"), Distance: 1,
			Duplicates: share("duplicates"), Fail: share("fail"), Crash: share("crash"), Timeout: share("timeout"), Slow: share("slow"),
			CopyAfter: int64(rapid.IntRange(0, 3_000_000).Draw(t, "copy after")),
			Charge:    1_000_000, Lease: int64(rapid.IntRange(1_000, 20_000_000).Draw(t, "lease")),
			Visibility: int64(rapid.SampledFrom([]int{0, 0, 400_000, 3_000_000}).Draw(t, "visibility")), LateAckIgnored: rapid.Bool().Draw(t, "late ack ignored"),
			Retention: int64(rapid.SampledFrom([]int{0, 0, 100_000, 1_000_000}).Draw(t, "retention")),
		}
		trace, err := sim.Record(scenario)
		if err != nil {
			t.Fatal(err)
		}
		list, deliveries := transitions(trace)
		if deliveries > explore.MaxDeliveries {
			return
		}
		config := explore.Config{Handler: trace.Handler(), Deliveries: deliveries, Budgets: budgets(list)}
		state := config.Start()
		for i, tr := range list {
			next, ok := follow(state, config.Handler, tr)
			if !ok {
				t.Fatalf("transition %d of %v (%v) is no edge of the graph", i, list, tr)
			}
			state = next
		}
		if charges := trace.Result().Charges; int64(state.Cell.Charges) != charges {
			t.Fatalf("%d charges along the path, %d in the engine", state.Cell.Charges, charges)
		}
		paths++
		b := config.Budgets
		faults.Fail, faults.Timeout, faults.Crash, faults.Slow = faults.Fail+b.Fail, faults.Timeout+b.Timeout, faults.Crash+b.Crash, faults.Slow+b.Slow
		faults.Forget += b.Forget
	})
	if paths == 0 || faults.Forget == 0 || faults.Fail == 0 || faults.Timeout == 0 || faults.Crash == 0 || faults.Slow == 0 {
		t.Errorf("%d runs with the faults %+v: the test does not try them all", paths, faults)
	}
}

// follow takes the move of a transition.
func follow(state explore.State, h *sim.Handler, tr transition) (explore.State, bool) {
	for _, m := range state.Moves(h) {
		if m.Label == tr.label && m.Choice.Delivery() == tr.delivery {
			return state.After(m), true
		}
	}
	return state, false
}
