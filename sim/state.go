package sim

import "slices"

// Counters are the totals that a screen shows beside a run.
type Counters struct {
	Deliveries   int64 // arrivals at a worker, redeliveries included
	Payments     int64 // different payments that were delivered
	Charges      int64 // the provider's ledger
	ChargedTwice int64 // payments charged two or more times
	Lost         int64 // payments of which every delivery is acknowledged and which were never charged
	Takeovers    int64
	Fenced       int64
	DeadLetters  int64 // messages that the broker put aside
}

// Phase is where a worker is at an instant.
type Phase uint8

// The phases of a worker.
const (
	PhaseIdle    Phase = iota // it has nothing to do
	PhasePickUp               // it has the message and has not begun
	PhaseBefore               // a step has begun; its effect is to come
	PhaseAfter                // the effect has been; the answer is to come
	PhaseBetween              // between two steps
	PhasePaused               // it stands still and does not know it
	PhaseDown                 // it crashed and is starting again
)

var phaseNames = [...]string{"idle", "picking up", "at work", "waiting for the answer", "between steps", "paused", "down"}

// String is the phase in words.
func (p Phase) String() string {
	if int(p) >= len(phaseNames) {
		return ""
	}
	return phaseNames[p]
}

// WorkerState is what one worker is doing.
type WorkerState struct {
	Delivery         // where it is in the program, and its token
	Payment  int32   // -1: none
	Ordinal  uint32  // which delivery of the payment
	Copy     uint8   // which message of the payment
	Step     uint8   // the step in progress or last made
	Phase    Phase   // where it is in that step
	Since    int64   // when this phase began
	Busy     bool    // the step found the claim held
	Asked    bool    // it has sent its charge in this delivery
	Lost     bool    // and the answer was lost
	_        [5]byte // keeps the size a multiple of eight
}

// Row is the part of a cell that belongs to a message id: the row in the table,
// and whether the provider knows the key.
type Row struct {
	Seen bool
	Rec  Rec
	Live bool
	Key  bool
	Gen  uint32
}

// swap exchanges the cell's row with another. Ledger and highest token stay.
func (r *Row) swap(c *Cell) {
	r.Seen, c.Seen = c.Seen, r.Seen
	r.Rec, c.Rec = c.Rec, r.Rec
	r.Live, c.Live = c.Live, r.Live
	r.Key, c.Key = c.Key, r.Key
	r.Gen, c.Gen = c.Gen, r.Gen
}

// PaymentState is one payment: its cell, and how its deliveries stand.
type PaymentState struct {
	Cell
	Second     Row   // the row under a second message id, where the table goes by that
	Deliveries int32 // made so far
	AtWork     int32 // in a worker's hands now
	ToCome     int32 // copies and redeliveries known to the trace and not yet made

	// Unknown says of the row, and of the second one, that its claim has an unknown
	// outcome: a charge was sent under it and nobody has the answer. It ends when
	// the row is settled, marked or taken over.
	Unknown    [2]bool
	DeadLetter bool // a message of it was put aside
}

// Returned is a message that the broker will deliver again.
type Returned struct {
	Payment int32
	Copy    uint8
	Since   int64
}

// State is the world after the first N events of a trace.
type State struct {
	N        int   // how many events it includes
	Now      int64 // the time of the last of them
	Counters Counters
	Workers  []WorkerState
	Payments []PaymentState
	Returned []Returned // in the order in which they came back
	Taken    int        // how many places of the queue are already delivered

	byMessage bool // a copy has a row of its own
}

// clone copies the state, so that neither can change the other.
func (s *State) clone() State {
	c := *s
	c.Workers = slices.Clone(s.Workers)
	c.Payments = slices.Clone(s.Payments)
	c.Returned = slices.Clone(s.Returned)
	return c
}

// apply takes the state over the next event. Cells change by the handler's
// Step and by nothing else; ok is false where the event's label is not what
// Step says, which would be a fault of the engine.
func (s *State) apply(h *Handler, e *Event) (ok bool) {
	s.N++
	s.Now = e.At
	if s.rowOf(e) > 0 {
		p := &s.Payments[e.Payment]
		p.Second.swap(&p.Cell)
		defer p.Second.swap(&p.Cell)
	}
	if ok, done := s.applyWorld(h, e); done {
		return ok
	}
	w := &s.Workers[e.Worker]
	w.Since = e.At
	switch e.Kind {
	case EventStart:
		w.Step, w.Phase = e.PC, PhaseBefore
	case EventEffect, EventBusy, EventAckLate:
		return s.effect(h, w, e)
	case EventAnswer:
		w.Phase = PhaseBetween
		if w.PC == End {
			s.finish(w)
		}
	case EventPause:
		w.Phase = PhasePaused
	case EventAckLost:
		h.Crash(&s.Payments[e.Payment].Cell, &w.Delivery)
		s.giveBack(w, e)
	case EventReturn:
		s.giveBack(w, e)
	case EventCrash:
		s.orphan(w, e)
		got, _ := h.Crash(&s.Payments[e.Payment].Cell, &w.Delivery)
		s.giveBack(w, e)
		w.Phase = PhaseDown
		return got == e.Label
	case EventRestart:
		w.Phase = PhaseIdle
	}
	return true
}

// applyWorld takes the state over an event that is no worker's own progress;
// done is false for the others.
func (s *State) applyWorld(h *Handler, e *Event) (ok, done bool) {
	switch e.Kind {
	case EventDeliver, EventRedeliver:
		s.deliver(e)
	case EventArrive, EventReplay:
		s.Returned = append(s.Returned, Returned{e.Payment, e.Copy, e.At})
	case EventReject:
		s.take(e)
	case EventVisible:
		s.Returned = append(s.Returned, Returned{e.Payment, e.Copy, e.At})
		s.Payments[e.Payment].ToCome++
	case EventRewind:
		s.rewind(e)
	case EventCommitOffset, EventRebalance:
	case EventDelete, EventDeadLetter:
		s.drop(e)
	case EventExpire:
		got, _ := h.Expire(&s.Payments[e.Payment].Cell, e.Label == LabelExpireSlow)
		return got == e.Label, true
	case EventForget:
		s.Payments[e.Payment].Unknown[s.rowOf(e)] = false
		got, _ := h.Forget(&s.Payments[e.Payment].Cell)
		return got == e.Label, true
	case EventForgetKey:
		return h.ForgetKey(&s.Payments[e.Payment].Cell), true
	case EventRenew, EventRenewStale:
		renewed := h.Renew(&s.Payments[e.Payment].Cell, &s.Workers[e.Worker].Delivery)
		return renewed == (e.Kind == EventRenew), true
	default:
		return false, false
	}
	return true, true
}

// rewind is a log's message that is to come again. What was given up for lost
// has another chance.
func (s *State) rewind(e *Event) {
	p := &s.Payments[e.Payment]
	if p.lost() {
		s.Counters.Lost--
	}
	p.ToCome++
	s.Returned = append(s.Returned, Returned{e.Payment, e.Copy, e.At})
}

// drop is a message that the broker will not bring back.
func (s *State) drop(e *Event) {
	p := &s.Payments[e.Payment]
	p.ToCome--
	s.take(e)
	if e.Kind == EventDeadLetter {
		p.DeadLetter = true
		s.Counters.DeadLetters++
	}
	if p.lost() {
		s.Counters.Lost++
	}
}

// deliver hands a message to a worker.
func (s *State) deliver(e *Event) {
	p, w := &s.Payments[e.Payment], &s.Workers[e.Worker]
	s.Counters.Deliveries++
	if p.Deliveries == 0 {
		s.Counters.Payments++
	}
	p.Deliveries++
	p.AtWork++
	p.ToCome--
	if !s.take(e) {
		s.Taken++
	}
	*w = WorkerState{Payment: e.Payment, Ordinal: e.Ordinal, Copy: e.Copy, Phase: PhasePickUp, Since: e.At}
}

// take removes the event's message from those that came back; ok is false when
// it was not among them.
func (s *State) take(e *Event) (ok bool) {
	i := slices.IndexFunc(s.Returned, func(r Returned) bool { return r.Payment == e.Payment && r.Copy == e.Copy })
	if i >= 0 {
		s.Returned = slices.Delete(s.Returned, i, i+1)
	}
	return i >= 0
}

// effect is the instant at which a step happens.
func (s *State) effect(h *Handler, w *WorkerState, e *Event) bool {
	outcome := OK
	switch e.Label {
	case LabelChargeFail:
		outcome = Fail
	case LabelChargeTimeout:
		outcome = Timeout
	case LabelClaimTakeover:
		s.Counters.Takeovers++
	case LabelFenced:
		s.Counters.Fenced++
	}
	c := &s.Payments[e.Payment].Cell
	before := *c
	label, busy := h.Step(c, &w.Delivery, outcome)
	s.Counters.Charges += int64(c.Charges) - int64(before.Charges)
	if before.Charges < 2 && c.Charges >= 2 {
		s.Counters.ChargedTwice++
	}
	s.outcome(w, e, before.Rec != c.Rec || before.Gen != c.Gen)
	w.Phase, w.Busy = PhaseAfter, busy
	return label == e.Label && busy == (e.Kind == EventBusy)
}

// outcome follows whether the outcome of the row's claim is known; turned says
// that the event has given the row another state or owner.
func (s *State) outcome(w *WorkerState, e *Event, turned bool) {
	unknown := &s.Payments[e.Payment].Unknown[s.rowOf(e)]
	if turned {
		*unknown = false
	}
	switch e.Label {
	case LabelCharge, LabelChargeFail, LabelChargeTimeout:
		w.Asked, w.Lost = true, e.Label == LabelChargeTimeout
		*unknown = *unknown || e.Label == LabelChargeTimeout && s.holds(w, e)
	}
}

// orphan is a crash: where the worker had sent the charge of its claim, nobody
// has the answer from now on.
func (s *State) orphan(w *WorkerState, e *Event) {
	unknown := &s.Payments[e.Payment].Unknown[s.rowOf(e)]
	*unknown = *unknown || w.Asked && s.holds(w, e)
}

// holds says whether the row is the worker's own claim.
func (s *State) holds(w *WorkerState, e *Event) bool {
	c := &s.Payments[e.Payment].Cell
	return c.Rec == RecClaimed && (w.Tok == c.Gen || c.Gen == 0)
}

// rowOf is which of the payment's rows the event is about: 0, or 1 for that of a
// second message id.
func (s *State) rowOf(e *Event) int {
	if s.byMessage && e.Copy > 0 {
		return 1
	}
	return 0
}

// finish ends an acknowledged delivery.
func (s *State) finish(w *WorkerState) {
	p := &s.Payments[w.Payment]
	p.AtWork--
	if p.lost() {
		s.Counters.Lost++
	}
	*w = WorkerState{Payment: -1, Since: w.Since, Delivery: Delivery{PC: End}}
}

// lost says that no delivery is left and that the payment was never charged.
func (p *PaymentState) lost() bool { return p.AtWork == 0 && p.ToCome == 0 && p.Charges == 0 }

// giveBack returns the worker's message to the broker.
func (s *State) giveBack(w *WorkerState, e *Event) {
	p := &s.Payments[e.Payment]
	p.AtWork--
	p.ToCome++
	s.Returned = append(s.Returned, Returned{e.Payment, e.Copy, e.At})
	*w = WorkerState{Payment: -1, Since: e.At, Delivery: Delivery{PC: End}}
}
