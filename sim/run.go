package sim

import (
	"context"
	"sync/atomic"
)

// Run simulates the scenario and keeps no trace: memory is bounded by what is
// in process. The error is a *RangeError.
func Run(s Scenario) (Result, error) { return RunContext(context.Background(), s, nil) }

// checkEvery is how many events lie between two looks at the context.
const checkEvery = 1 << 16

// RunContext is Run for long runs: it ends with the context's error when the
// context does, and where done is not nil it keeps adding the payments that
// are finished, for a progress bar that may watch several runs.
func RunContext(ctx context.Context, s Scenario, done *atomic.Int64) (Result, error) {
	if err := s.Validate(); err != nil {
		return Result{}, err
	}
	e := newEngine(s, nil)
	e.start()
	reported := int64(0)
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		more = e.steps(checkEvery)
		if done != nil {
			done.Add(e.result.Payments - reported)
			reported = e.result.Payments
		}
	}
	return e.finish(), nil
}

// start lets every worker ask for its first message.
func (e *engine) start() {
	if e.sends != nil {
		e.startScript()
	}
	for i := range e.workers {
		e.pick(int32(i))
	}
}

// steps handles at most so many timers; more is false when none is left.
func (e *engine) steps(most int) (more bool) {
	for range most {
		if e.queue.empty() {
			return false
		}
		e.step()
	}
	return true
}

// finish is what the run came to.
func (e *engine) finish() Result {
	e.result.VirtualNanos = e.now
	return e.result
}
