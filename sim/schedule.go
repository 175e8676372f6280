package sim

import (
	"cmp"
	"fmt"
	"slices"
)

// MaxScheduled is how many deliveries a schedule can have: each has a worker.
const MaxScheduled = MaxWorkers

// Environment is the mover of what no delivery does: a lease that lapses, a
// table that forgets.
const Environment = -1

// Move is one transition of a schedule: what a delivery (counted from 0) or the
// Environment does next.
type Move struct {
	By    int
	Label Label
}

// The times of a schedule's picture, in nanoseconds. A schedule has an order and
// no times; in the picture each move has its millisecond, and a step is drawn
// from the end of the one before it, since it could have begun then.
const (
	moveEvery    = millisecond
	moveAnswer   = 200 * microsecond // from the effect to the answer
	moveReturn   = 250 * microsecond
	moveRestart  = 300 * microsecond
	moveAgain    = 350 * microsecond // to the next delivery
	movePickedUp = 50 * microsecond  // from a delivery to the first start
)

// RecordSchedule is the trace of a schedule of one payment with so many
// deliveries: every delivery is at its worker from the start, and the moves
// happen in their order, one a millisecond. It is how a counterexample of the
// explorer is put on the timeline. The error names the first move that the
// handler does not allow.
func RecordSchedule(handler HandlerID, deliveries int, moves []Move) (*Trace, error) {
	if deliveries < 1 || deliveries > MaxScheduled {
		return nil, &RangeError{"deliveries", fmt.Sprint(deliveries), fmt.Sprintf("1 to %d", MaxScheduled)}
	}
	if handler >= idCount {
		return nil, &RangeError{"handler", fmt.Sprint(int(handler)), "one of the known handlers"}
	}
	s := DefaultScenario()
	s.Handler, s.Payments, s.Workers, s.Duplicates = handler, 1, deliveries, 0
	b := scheduler{handler: handler.Handler(), actors: make([]actor, deliveries), ordinal: uint32(deliveries)}
	for i := range b.actors {
		b.actors[i].ordinal = uint32(i + 1)
		b.deliver(i, 0, EventDeliver)
	}
	for i, m := range moves {
		if err := b.move(m, int64(i+1)*moveEvery); err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
	}
	t := &Trace{scenario: s, handler: b.handler, events: b.inOrder(), interval: snapshotInterval}
	for i := range deliveries {
		t.queue = append(t.queue, Place{Copy: uint8(i)})
	}
	if err := t.index(); err != nil {
		return nil, err
	}
	c := t.At(t.Len()).Counters
	t.result = Result{
		Handler: handler, Deliveries: c.Deliveries, Payments: c.Payments, Charges: c.Charges, ChargedTwice: c.ChargedTwice,
		NeverCharged: c.Lost, Takeovers: c.Takeovers, Fenced: c.Fenced, VirtualNanos: t.Duration(),
	}
	return t, nil
}

// actor is a delivery of a schedule at its worker.
type actor struct {
	Delivery
	ordinal uint32
	ready   int64 // when its next step could begin
	last    int32 // its last event
}

// scheduler makes the events of a schedule; a step's start comes to light only
// with its effect, so the events are put in order at the end.
type scheduler struct {
	handler *Handler
	cell    Cell
	actors  []actor
	events  []Event
	ordinal uint32
	claim   int32 // the event of the present claim
}

// add adds an event of the delivery, caused by its last one.
func (b *scheduler) add(by int, at int64, kind EventKind, lane Lane, pc uint8, label Label) {
	a := &b.actors[by]
	event := Event{
		At: at, Seq: int32(len(b.events)), Cause: a.last, Ordinal: a.ordinal, Lane: lane, Worker: int16(by),
		Kind: kind, PC: pc, Label: label, Copy: uint8(by),
	}
	b.events = append(b.events, event)
	a.last = event.Seq
}

// deliver hands the message to the delivery's worker.
func (b *scheduler) deliver(by int, at int64, kind EventKind) {
	a := &b.actors[by]
	if kind == EventDeliver {
		a.last = -1
	} else {
		b.ordinal++
		a.ordinal = b.ordinal
	}
	a.Delivery = Delivery{}
	b.add(by, at, kind, LaneBroker, 0, NoLabel)
	a.ready = at + movePickedUp
}

// move makes the events of one transition, whose effect is at the given time.
func (b *scheduler) move(m Move, at int64) error {
	wrong := fmt.Errorf("%s cannot happen here", m.Label)
	if m.By == Environment {
		return b.environment(m.Label, at, wrong)
	}
	if m.By < 0 || m.By >= len(b.actors) {
		return fmt.Errorf("there is no delivery %d", m.By+1)
	}
	a := &b.actors[m.By]
	if a.PC == End {
		return wrong
	}
	if m.Label == LabelCrash {
		b.crash(m.By, at)
		return nil
	}
	outcome := OK
	switch m.Label {
	case LabelChargeFail:
		outcome = Fail
	case LabelChargeTimeout:
		outcome = Timeout
	}
	pc := a.PC
	kind := b.handler.Program[pc].Kind
	if label, busy := b.handler.Step(&b.cell, &a.Delivery, outcome); busy || label != m.Label {
		return wrong
	}
	b.add(m.By, a.ready, EventStart, WorkerLane(m.By), pc, NoLabel)
	b.add(m.By, at, EventEffect, laneOf(kind), pc, m.Label)
	if kind == OpLeaseClaim && a.Tok != 0 {
		b.claim = a.last
	}
	b.add(m.By, at+moveAnswer, EventAnswer, WorkerLane(m.By), pc, NoLabel)
	a.ready = at + moveAnswer
	if a.PC == 0 {
		b.add(m.By, at+moveReturn, EventReturn, LaneBroker, pc, NoLabel)
		b.deliver(m.By, at+moveAgain, EventRedeliver)
	}
	return nil
}

// crash kills the delivery's worker; the message comes back at once.
func (b *scheduler) crash(by int, at int64) {
	a := &b.actors[by]
	pc := a.PC
	// The worker dies in the step that it has begun.
	b.add(by, a.ready, EventStart, WorkerLane(by), pc, NoLabel)
	b.handler.Crash(&b.cell, &a.Delivery)
	b.add(by, at, EventCrash, WorkerLane(by), pc, LabelCrash)
	b.add(by, at+moveRestart, EventRestart, WorkerLane(by), pc, NoLabel)
	b.deliver(by, at+moveAgain, EventRedeliver)
}

// environment is a transition that no delivery makes.
func (b *scheduler) environment(label Label, at int64, wrong error) error {
	event := Event{At: at, Seq: int32(len(b.events)), Cause: -1, Lane: LaneTable, Worker: -1, Label: label}
	switch label {
	case LabelExpire, LabelExpireSlow:
		alive := slices.ContainsFunc(b.actors, func(a actor) bool { return a.Tok == b.cell.Gen })
		if got, ok := b.handler.Expire(&b.cell, alive); !ok || got != label {
			return wrong
		}
		event.Kind, event.Cause = EventExpire, b.claim
	case LabelForget:
		if _, ok := b.handler.Forget(&b.cell); !ok {
			return wrong
		}
		event.Kind = EventForget
	default:
		return wrong
	}
	b.events = append(b.events, event)
	return nil
}

// inOrder sorts the events by time and numbers them anew.
func (b *scheduler) inOrder() []Event {
	events := slices.Clone(b.events)
	slices.SortStableFunc(events, func(x, y Event) int { return cmp.Compare(x.At, y.At) })
	places := make([]int32, len(events))
	for i, e := range events {
		places[e.Seq] = int32(i)
	}
	for i := range events {
		events[i].Seq = int32(i)
		if events[i].Cause >= 0 {
			events[i].Cause = places[events[i].Cause]
		}
	}
	return events
}
