package sim

import (
	"strings"
	"testing"
)

// Adding and setting are statements on our own table: nobody calls a provider.
func TestAnUpdateIsToldAsOne(t *testing.T) {
	for h, want := range map[HandlerID][]string{
		HandlerIncrement: {"sends the update of p1", "The amount of p1 is added.", "The amount of p1 is added again: added 2 times."},
		HandlerNatural:   {"sends the update of p1", "The value of p1 is set.", "The same value is set again: p1 is as it was."},
	} {
		trace := mustRecord(t, DemoScenario(h), snapshotInterval)
		wantTold(t, trace, want...)
		for n := range trace.Len() + 1 {
			if said := trace.Narrate(n); strings.Contains(said, "provider") {
				t.Errorf("%v: %s", h, said)
			}
		}
	}
}

// A worker that wakes after its successor's row was purged is refused, and not
// because of anybody's takeover.
func TestAForgottenRowIsNotToldAsATakeover(t *testing.T) {
	moves, deliveries := movesOf(t, "D1 claim-won, D1 charge, env expire-slow, D2 claim-takeover, D2 charge, D2 complete, env forget, D1 complete-stale")
	trace, err := RecordSchedule(HandlerLease, deliveries, moves)
	if err != nil {
		t.Fatal(err)
	}
	wantTold(t, trace, "wants to mark p1 DONE, but the table has forgotten the row: zero rows.")
}
