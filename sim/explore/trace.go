package explore

import "idemtui/sim"

// tick is how far two steps of a path stand apart on the timeline, in virtual
// nanoseconds, as sim.RecordSchedule draws them.
const tick = 1_000_000

// Trace puts a path from the start on the timeline: a worker for each delivery,
// a millisecond for each step. The trace is replayed through the handler's Step,
// so it cannot show what the handler does not do.
func (p *Path) Trace() (*sim.Trace, error) {
	moves := make([]sim.Move, len(p.Steps))
	for i, step := range p.Steps {
		moves[i] = sim.Move{By: step.Choice.Delivery(), Label: step.Label}
	}
	return sim.RecordSchedule(p.Handler.ID, p.Start.Count, moves)
}

// TraceTime is the virtual time at which the first n steps of a path's trace
// have happened, with all that follows from them, and no other has.
func TraceTime(n int) int64 { return int64(n)*tick + tick/2 }
