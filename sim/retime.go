package sim

import "slices"

// Retimed is the same run with every event at another time, for a picture that
// leaves out long stretches in which nothing happens. What to gives must not
// decrease. The scenario and the result stay those of the run itself.
func (t *Trace) Retimed(to func(at int64) int64) *Trace {
	r := &Trace{
		scenario: t.scenario, handler: t.handler, result: t.result,
		events: slices.Clone(t.events), interval: t.interval, queue: t.queue, violations: t.violations,
	}
	for i := range r.events {
		r.events[i].At = to(r.events[i].At)
	}
	for _, s := range t.snapshots {
		s = s.clone()
		s.Now = to(s.Now)
		r.snapshots = append(r.snapshots, s)
	}
	return r
}
