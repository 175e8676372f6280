package explore

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"idemtui/sim"
)

// drawGrain cuts even a small search into many parts and windows.
func drawGrain(t *rapid.T) grain {
	part := rapid.IntRange(8, 80).Draw(t, "part")
	return grain{part: part, window: part * rapid.IntRange(1, 5).Draw(t, "parts"), alone: rapid.IntRange(0, 20).Draw(t, "alone")}
}

// searchedBy is a finished search, and its error.
func searchedBy(t interface{ Fatal(args ...any) }, c Config, workers int, g grain) (*search, error) {
	c.Workers = workers
	s, err := newSearch(c)
	if err != nil {
		t.Fatal(err)
	}
	s.grain = g
	err = s.finish(context.Background())
	return s, err
}

// difference is what differs between two searches: a number, a path, an error,
// or even the order of the states or the memory.
func difference(one *search, oneErr error, other *search, otherErr error) string {
	if text := cmp.Diff(one.result.Report(), other.result.Report()); text != "" {
		return text
	}
	if text := cmp.Diff(one.result.Rows(), other.result.Rows()); text != "" {
		return text
	}
	var stopped, otherStopped *StoppedError
	if errors.As(oneErr, &stopped) != errors.As(otherErr, &otherStopped) || stopped != nil && *stopped != *otherStopped {
		return cmp.Diff(stopped, otherStopped)
	}
	if one.store.len() != other.store.len() || one.store.bytes() != other.store.bytes() {
		return "the stores differ in size"
	}
	if !slices.Equal(one.layers, other.layers) {
		return "the layers differ"
	}
	for i := range uint32(one.store.len()) {
		if one.store.at(i) != other.store.at(i) || one.store.parent(i) != other.store.parent(i) {
			return "a state or its parent differs"
		}
	}
	return ""
}

// More workers change nothing but the time, also where the search stops at its
// memory limit.
func TestWorkersChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		c.Symmetry = rapid.Bool().Draw(t, "symmetry")
		if rapid.Bool().Draw(t, "limited") {
			c.MaxMemory = rapid.Int64Range(1, 2<<20).Draw(t, "memory")
		}
		g := drawGrain(t)
		one, oneErr := searchedBy(t, c, 1, g)
		for workers := 2; workers <= 3; workers++ {
			other, err := searchedBy(t, c, workers, g)
			if text := difference(one, oneErr, other, err); text != "" {
				t.Fatalf("%d workers: %s", workers, text)
			}
		}
	})
}

// The same for a search of many windows, as it is cut in earnest.
func TestWorkersChangeNothingInALargeSearch(t *testing.T) {
	c := config(sim.HandlerFence, 4, Budgets{Timeout: 1, Crash: 1, Slow: 1})
	one, oneErr := searchedBy(t, c, 1, coarse(c.maxMemory()))
	for workers := 2; workers <= 3; workers++ {
		other, err := searchedBy(t, c, workers, coarse(c.maxMemory()))
		if text := difference(one, oneErr, other, err); text != "" {
			t.Fatalf("%d workers: %s", workers, text)
		}
	}
}
