package explore

import (
	"context"
	"errors"
	"math"
)

// estimateMemory bounds each of the small searches behind an estimate.
const estimateMemory = 256 << 20

// BytesPerState is about what a search without counts takes for each state that
// it stores; counting interleavings takes as much again.
const BytesPerState = 32

// Estimate is about how many states a config has. It searches with at most one
// fault of each kind, and once more with two of each kind that has more, and
// takes the growth to go on like that. What is at most one of each kind is
// exact. The searches take a fraction of a second; the error is the context's.
func Estimate(ctx context.Context, config Config) (int64, error) {
	if err := config.Validate(); err != nil {
		return 0, err
	}
	wanted := config.Budgets
	small := wanted.capped(1)
	base, err := countStates(ctx, config, small)
	if err != nil || small == wanted {
		return base, err
	}
	estimate := base
	for i, n := range wanted.list() {
		if n <= 1 {
			continue
		}
		more := small
		*more.field(i) = 2
		states, err := countStates(ctx, config, more)
		if err != nil {
			return 0, err
		}
		for range n - 1 {
			estimate = scale(estimate, states, base)
		}
	}
	return estimate, nil
}

// scale is n times a over b, or the largest number there is.
func scale(n, a, b int64) int64 {
	if a > 0 && n > math.MaxInt64/a {
		return math.MaxInt64
	}
	return n * a / b
}

// countStates searches under other budgets. Where even that is too large, what
// was found is a lower bound.
func countStates(ctx context.Context, config Config, b Budgets) (int64, error) {
	config.Budgets, config.Symmetry, config.VerdictOnly, config.MaxMemory, config.Progress = b, true, true, estimateMemory, nil
	r, err := Run(ctx, config)
	var stopped *StoppedError
	if errors.As(err, &stopped) {
		err = nil
	}
	return max(r.States, 1), err
}

// capped is the budgets with at most so many faults of each kind.
func (b Budgets) capped(most int) Budgets {
	for i := range budgetCount {
		field := b.field(i)
		*field = min(*field, most)
	}
	return b
}

// field is a budget by its place.
func (b *Budgets) field(i int) *int {
	return [budgetCount]*int{&b.Fail, &b.Timeout, &b.Crash, &b.Slow, &b.Forget}[i]
}
