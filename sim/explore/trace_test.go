package explore

import (
	"testing"

	"pgregory.net/rapid"

	"idemtui/sim"
)

// anyWalkConfig draws a handler, deliveries and faults.
func anyWalkConfig(t *rapid.T) Config {
	budget := func(name string) int { return rapid.IntRange(0, 2).Draw(t, name) }
	return Config{
		Handler:    rapid.SampledFrom(sim.Handlers()).Draw(t, "handler"),
		Deliveries: rapid.IntRange(1, MaxDeliveries).Draw(t, "deliveries"),
		Budgets: Budgets{
			Fail: budget("fail"), Timeout: budget("timeout"), Crash: budget("crash"), Slow: budget("slow"), Forget: budget("forget"),
		},
	}
}

// After each step the trace's world is the path's state: the payment's cell and
// every delivery.
func TestAWalkOnTheTimelineIsTheWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path, err := Walk(anyWalkConfig(t), func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
		if err != nil {
			t.Fatal(err)
		}
		trace, err := path.Trace()
		if err != nil {
			t.Fatal(err)
		}
		for n, state := range path.States() {
			at := trace.At(trace.IndexAt(TraceTime(n)))
			if at.Payments[0].Cell != state.Cell {
				t.Fatalf("after %d steps of %s the trace has %+v, the path %+v", n, path, at.Payments[0].Cell, state.Cell)
			}
			for i, d := range state.Deliveries[:state.Count] {
				if at.Workers[i].Delivery != d {
					t.Fatalf("after %d steps of %s worker %d has %+v, the delivery is %+v", n, path, i+1, at.Workers[i].Delivery, d)
				}
			}
			if violated := at.Counters.ChargedTwice > 0; violated != (state.Cell.Charges >= 2) {
				t.Fatalf("after %d steps of %s: charged twice %v, %d charges", n, path, violated, state.Cell.Charges)
			}
		}
		end := path.States()[path.Len()]
		if lost := trace.Result().NeverCharged > 0; lost != (end.Cell.Charges == 0) {
			t.Fatalf("%s: lost %v with %d charges", path, lost, end.Cell.Charges)
		}
		for n := range trace.Len() + 1 {
			if trace.Narrate(n) == "" {
				t.Fatalf("nothing is said of event %d of %s", n, path)
			}
		}
	})
}
