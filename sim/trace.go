package sim

import (
	"fmt"
	"sort"
	"sync"
)

// snapshotInterval is how many events lie between two stored states. A state is
// replayed from the snapshot before it, so the interval trades memory for time
// and changes nothing else.
const snapshotInterval = 2048

// Trace is a finished run: what happened, in order. It never changes, so it can
// be read from anywhere.
type Trace struct {
	scenario   Scenario
	handler    *Handler
	result     Result
	events     []Event
	snapshots  []State
	interval   int
	queue      []Place
	violations []Violation

	spansOnce sync.Once
	spans     [][]Span // by lane
}

// Place is one message in the broker's queue at the beginning.
type Place struct {
	Payment int32
	Copy    uint8
}

// Record runs the scenario and keeps its trace. The error is a *RangeError.
func Record(s Scenario) (*Trace, error) { return record(s, intervalFor(s.Payments)) }

// intervalFor keeps the stored states of a large run within a few hundred
// megabytes: each is as large as the number of payments, and there are as many
// more of them.
func intervalFor(payments int64) int {
	const each = 8 // payments for each event between two stored states
	return int(max(snapshotInterval, min(payments, MaxTracePayments)/each))
}

func record(s Scenario, interval int) (*Trace, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Payments > MaxTracePayments {
		return nil, &RangeError{"payments", fmt.Sprint(s.Payments), fmt.Sprintf("1 to %d where a trace is kept", MaxTracePayments)}
	}
	return recordRun(s, nil, interval)
}

// recordRun runs the scenario, or the script where there are sends.
func recordRun(s Scenario, sends []Send, interval int) (*Trace, error) {
	r := newRecorder(s)
	e := newEngine(s, r)
	e.sends = sends
	e.start()
	for e.steps(checkEvery) {
	}
	t := &Trace{scenario: s, handler: e.handler, result: e.finish(), events: r.events, interval: interval, queue: r.places}
	return t, t.index()
}

// index replays the trace once, stores the snapshots and finds the violations.
func (t *Trace) index() error {
	s := State{
		byMessage: t.scenario.ByMessage,
		Workers:   make([]WorkerState, t.scenario.Workers),
		Payments:  make([]PaymentState, t.scenario.Payments),
	}
	for i := range s.Workers {
		s.Workers[i] = WorkerState{Payment: -1, Delivery: Delivery{PC: End}}
	}
	for i := range t.events {
		if e := &t.events[i]; e.Kind == EventDeliver {
			s.Payments[e.Payment].ToCome++
		}
	}
	for i := range t.events {
		if i%t.interval == 0 {
			t.snapshots = append(t.snapshots, s.clone())
		}
		before := s.Counters
		if !s.apply(t.handler, &t.events[i]) {
			return fmt.Errorf("record a trace: event %d does not follow from the steps of %s", i, t.handler.Name)
		}
		t.judge(&before, &s, i)
	}
	if len(t.events)%t.interval == 0 {
		t.snapshots = append(t.snapshots, s.clone())
	}
	return nil
}

// Scenario is what the trace is a run of.
func (t *Trace) Scenario() Scenario { return t.scenario }

// Handler is the handler that ran.
func (t *Trace) Handler() *Handler { return t.handler }

// Result is what the run came to.
func (t *Trace) Result() Result { return t.result }

// Len is the number of events.
func (t *Trace) Len() int { return len(t.events) }

// Event is event i, counted from 0.
func (t *Trace) Event(i int) Event { return t.events[i] }

// Duration is the time of the last event.
func (t *Trace) Duration() int64 {
	if len(t.events) == 0 {
		return 0
	}
	return t.events[len(t.events)-1].At
}

// At is the world after the first n events: 0 is the beginning, Len the end;
// what lies outside is taken to be the nearest of the two. The state is the
// caller's own.
func (t *Trace) At(n int) State {
	n = min(max(n, 0), len(t.events))
	i := min(n/t.interval, len(t.snapshots)-1)
	s := t.snapshots[i].clone()
	for s.N < n {
		s.apply(t.handler, &t.events[s.N])
	}
	return s
}

// IndexAt is how many events have happened at a time: the n for which At(n) is
// the world at that time.
func (t *Trace) IndexAt(at int64) int {
	return sort.Search(len(t.events), func(i int) bool { return t.events[i].At > at })
}

// Waiting is what stands at the head of the broker's queue in a state: up to
// limit messages that were never delivered, in order.
func (t *Trace) Waiting(s State, limit int) []Place {
	first := min(s.Taken, len(t.queue))
	last := min(first+max(limit, 0), len(t.queue))
	return t.queue[first:last:last]
}
