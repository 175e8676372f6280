package sim

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Where callers call the workers, nothing that is told speaks of a broker.
func TestNothingIsToldOfABrokerWhereThereIsNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScenario(t)
		s.Log, s.Direct, s.RetryTopic, s.CommitEvery, s.Rebalance = false, true, false, 0, 0
		s.Window, s.MaxReceives, s.Payments = 0, 0, min(s.Payments, 5)
		trace, err := Record(s)
		if err != nil {
			t.Skip(err)
		}
		for n := 1; n <= trace.Len(); n++ {
			if said := trace.Narrate(n); strings.Contains(said, "broker") || said == "" {
				t.Fatalf("event %d, %v: %q", n, trace.Event(n-1).Kind, said)
			}
		}
	})
}
