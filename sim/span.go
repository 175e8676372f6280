package sim

import "sort"

// SpanKind is what a span of a lane shows.
type SpanKind uint8

// The kinds of span. On the lanes of broker, table and provider every span is a
// moment: it starts and ends at its effect.
const (
	SpanPickUp SpanKind = iota // the worker has the message and has not begun
	SpanStep                   // a step, from its start to its answer
	SpanPause                  // the worker stands still
	SpanDown                   // the worker crashed and is starting again
	SpanMoment                 // something that happened at an instant
)

// Span is a stretch of a lane. Times are virtual nanoseconds. To draw the world
// at event n, leave out what has a FirstSeq of n or more, and end at the present
// what has an EffectSeq or LastSeq of n or more.
type Span struct {
	Start, Effect, End int64 // Effect is -1 where there is none

	FirstSeq, EffectSeq, LastSeq int32 // the events; EffectSeq is -1 where there is none

	Kind    SpanKind
	Event   EventKind // of a moment: what happened; of a step: effect, busy or start (it has none yet)
	PC      uint8     // of a step: its place in the program
	Label   Label     // how it went
	Payment int32
	Ordinal uint32
	Copy    uint8
	Worker  int16
	Step    string // the step's name, or what happened
}

// Spans lists the lane's spans that touch the time from..to, in order.
func (t *Trace) Spans(lane Lane, from, to int64) []Span {
	t.spansOnce.Do(t.buildSpans)
	if lane < 0 || int(lane) >= len(t.spans) {
		return nil
	}
	all := t.spans[lane]
	first := sort.Search(len(all), func(i int) bool { return all[i].End >= from })
	last := first + sort.Search(len(all)-first, func(i int) bool { return all[first+i].Start > to })
	return all[first:last:last]
}

// Lanes lists the run's lanes from top to bottom: broker, workers, table,
// provider.
func (t *Trace) Lanes() []Lane {
	lanes := []Lane{LaneBroker}
	for i := range t.scenario.Workers {
		lanes = append(lanes, WorkerLane(i))
	}
	return append(lanes, LaneTable, LaneProvider)
}

// buildSpans makes the spans of every lane in one pass. A lane's spans do not
// overlap, so both their starts and their ends are in order.
func (t *Trace) buildSpans() {
	t.spans = make([][]Span, int(laneWorkers)+t.scenario.Workers)
	open := make([]*Span, t.scenario.Workers) // the span at each worker that has not ended
	closeAt := func(w int16, e *Event) {
		if s := open[w]; s != nil {
			s.End, s.LastSeq = e.At, e.Seq
			t.spans[WorkerLane(int(w))] = append(t.spans[WorkerLane(int(w))], *s)
			open[w] = nil
		}
	}
	for i := range t.events {
		e := &t.events[i]
		if e.Lane < laneWorkers {
			t.addMoment(e)
		}
		if e.Worker < 0 || e.besideSteps() {
			continue
		}
		switch e.Kind {
		case EventEffect, EventBusy, EventAckLate:
			if s := open[e.Worker]; s != nil {
				s.Effect, s.EffectSeq, s.Label, s.Event = e.At, e.Seq, e.Label, e.Kind
			}
			continue
		}
		closeAt(e.Worker, e)
		s := t.newSpan(e)
		switch e.Kind {
		case EventDeliver, EventRedeliver:
			s.Kind = SpanPickUp
		case EventStart:
			s.Kind = SpanStep
		case EventPause:
			s.Kind = SpanPause
		case EventCrash:
			s.Kind = SpanDown
		default:
			continue
		}
		open[e.Worker] = &s
	}
	if n := len(t.events); n > 0 {
		for w := range open {
			closeAt(int16(w), &t.events[n-1])
		}
	}
}

// besideSteps says whether the event leaves its worker's present step alone.
func (e *Event) besideSteps() bool {
	switch e.Kind {
	case EventVisible, EventReturn, EventRenew, EventRenewStale, EventCommitOffset, EventRebalance:
		return true
	}
	return false
}

// newSpan is a span that begins with the event.
func (t *Trace) newSpan(e *Event) Span {
	return Span{
		Start: e.At, Effect: -1, End: e.At, FirstSeq: e.Seq, EffectSeq: -1, LastSeq: e.Seq,
		Event: e.Kind, PC: e.PC, Label: e.Label, Payment: e.Payment, Ordinal: e.Ordinal, Copy: e.Copy,
		Worker: e.Worker, Step: t.Step(*e),
	}
}

// addMoment adds an instant to the lane of the broker, the table or the provider.
func (t *Trace) addMoment(e *Event) {
	s := t.newSpan(e)
	s.Kind, s.Effect, s.EffectSeq = SpanMoment, e.At, e.Seq
	t.spans[e.Lane] = append(t.spans[e.Lane], s)
}

// RowSpan is a stretch of time during which a payment's row did not change.
type RowSpan struct {
	Start, End int64
	FirstSeq   int32 // the event that made it so; -1 for the beginning
	Cell       Cell  // the payment's cell during that time
}

// Row is the history of a payment's row in the table, from the beginning of the
// run to its end.
func (t *Trace) Row(payment int32) []RowSpan {
	if payment < 0 || int64(payment) >= t.scenario.Payments {
		return nil
	}
	one := State{byMessage: t.scenario.ByMessage, Workers: make([]WorkerState, t.scenario.Workers), Payments: make([]PaymentState, t.scenario.Payments)}
	rows := []RowSpan{{FirstSeq: -1}}
	for i := range t.events {
		e := &t.events[i]
		if e.Payment != payment {
			continue
		}
		one.apply(t.handler, e)
		cell, last := one.Payments[payment].Cell, &rows[len(rows)-1]
		if cell.Rec == last.Cell.Rec && cell.Seen == last.Cell.Seen && cell.Live == last.Cell.Live && cell.Gen == last.Cell.Gen {
			last.Cell = cell
			continue
		}
		last.End = e.At
		rows = append(rows, RowSpan{Start: e.At, FirstSeq: e.Seq, Cell: cell})
	}
	rows[len(rows)-1].End = t.Duration()
	return rows
}
