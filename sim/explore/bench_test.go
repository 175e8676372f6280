package explore

import (
	"testing"

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

func BenchmarkCountsFence4(b *testing.B) {
	benchmark(b, Config{Handler: sim.HandlerFence.Handler(), Deliveries: 4, Budgets: ones()})
}

func BenchmarkCountsFence3(b *testing.B) {
	benchmark(b, Config{Handler: sim.HandlerFence.Handler(), Deliveries: 3, Budgets: ones()})
}

func BenchmarkSymmetryFence4(b *testing.B) {
	benchmark(b, Config{Handler: sim.HandlerFence.Handler(), Deliveries: 4, Budgets: ones(), Symmetry: true})
}
