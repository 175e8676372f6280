package explore

import (
	"runtime"
	"testing"

	"idemtui/sim"
)

// largest is the largest search of the contract.
func largest() Config {
	return Config{
		Handler: sim.HandlerFence.Handler(), Deliveries: 4, VerdictOnly: true,
		Budgets: Budgets{Fail: 2, Timeout: 1, Crash: 2, Slow: 2, Forget: 1},
	}
}

const (
	largestStates = 23_753_315
	largestEdges  = 110_563_421
)

// With symmetry the largest search takes a second, so that it is always run.
func TestLargestSearchWithSymmetry(t *testing.T) {
	config := largest()
	config.Symmetry = true
	result, err := Run(t.Context(), config)
	if err != nil || result.States != largestStates || result.Edges != largestEdges {
		t.Errorf("%d states, %d edges, %v; want %d and %d", result.States, result.Edges, err, largestStates, largestEdges)
	}
}

// In full it takes some ten seconds, and minutes under the race detector.
func TestLargestSearchStaysWithinItsMemory(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("takes some ten seconds, and minutes under the race detector: run it without -short and -race")
	}
	config := largest()
	config.MaxMemory, config.Workers = 1<<30, 2
	result, err := Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if limit := uint64(1536 << 20); memory.Sys > limit {
		t.Errorf("%d MiB from the system, want less than 1536", memory.Sys>>20)
	}
	if result.States != largestStates || result.Edges != largestEdges {
		t.Errorf("%d states and %d edges, want %d and %d", result.States, result.Edges, largestStates, largestEdges)
	}
	config.Symmetry = true
	reduced, err := Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if reduced.Canonical != result.Canonical || reduced.Terminal != result.Terminal {
		t.Errorf("symmetry changes a number: %+v", reduced)
	}
	if text(reduced.ShortestDouble) != text(result.ShortestDouble) || text(reduced.ShortestLost) != text(result.ShortestLost) {
		t.Errorf("symmetry changes a counterexample: %q and %q", text(reduced.ShortestDouble), text(reduced.ShortestLost))
	}
}
