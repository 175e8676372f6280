package explore

import (
	"math"
	"testing"
	"time"

	"idemtui/sim"
)

// ones gives each fault once.
func ones() Budgets { return Budgets{Fail: 1, Timeout: 1, Crash: 1, Slow: 1, Forget: 1} }

func benchmark(b *testing.B, config Config) {
	b.ReportAllocs()
	states := int64(0)
	for b.Loop() {
		result, err := Run(b.Context(), config)
		if err != nil {
			b.Fatal(err)
		}
		states += result.States
	}
	b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
}

func BenchmarkVerdictFence4(b *testing.B) {
	benchmark(b, Config{Handler: sim.HandlerFence.Handler(), Deliveries: 4, Budgets: ones(), VerdictOnly: true})
}

func BenchmarkVerdictFence4TwoWorkers(b *testing.B) {
	benchmark(b, Config{Handler: sim.HandlerFence.Handler(), Deliveries: 4, Budgets: ones(), VerdictOnly: true, Workers: 2})
}

// BenchmarkTwoWorkersLargest searches the largest graph by one worker and by
// two in turn, and compares the best runs.
func BenchmarkTwoWorkersLargest(b *testing.B) {
	if testing.Short() {
		b.Skip("takes some ten seconds: run it without -short")
	}
	best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	for b.Loop() {
		for i := range best {
			c := largest()
			c.Workers = i + 1
			began := time.Now()
			if r, err := Run(b.Context(), c); err != nil || r.States != largestStates {
				b.Fatalf("%d states, %v", r.States, err)
			}
			best[i] = min(best[i], time.Since(began))
		}
	}
	b.ReportMetric(best[0].Seconds(), "s-1-worker")
	b.ReportMetric(best[1].Seconds(), "s-2-workers")
	b.ReportMetric(best[0].Seconds()/best[1].Seconds(), "times-one-worker")
}

func BenchmarkCountsFence4(b *testing.B) {
	benchmark(b, Config{Handler: sim.HandlerFence.Handler(), Deliveries: 4, Budgets: ones()})
}

func BenchmarkCountsFence3(b *testing.B) {
	benchmark(b, Config{Handler: sim.HandlerFence.Handler(), Deliveries: 3, Budgets: ones()})
}

func BenchmarkSymmetryFence4(b *testing.B) {
	benchmark(b, Config{Handler: sim.HandlerFence.Handler(), Deliveries: 4, Budgets: ones(), Symmetry: true})
}
