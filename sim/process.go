package sim

// maxBackOff bounds the doubling of the delay after which a busy delivery
// comes back.
const maxBackOff = 20

// never is later than any virtual time of a run.
const never = int64(1)<<62 - 1

// deliver hands the message to the worker, which needs a moment to pick it up.
func (e *engine) deliver(i int32, m message) {
	w, s := &e.workers[i], &e.slots[m.slot]
	e.result.Deliveries++
	w.message, w.delivery = m, Delivery{}
	w.steps, w.visible, w.busy = 0, false, false
	w.crashAt, w.pauseAt = noStep, noStep
	w.deadline = e.now + e.timings.visibility
	kind := EventDeliver
	if m.again {
		kind = EventRedeliver
	}
	w.cause, w.pc = m.cause, 0
	e.note(i, kind, LaneBroker, NoLabel)
	if m.ordinal == 1 && s.faults != 0 {
		e.planFaults(w, s)
	}
	at := e.now + pickUpTime.at(e.streams.draw(concernPickUp, m.payment, m.ordinal))
	if w.crashAt == 0 {
		w.phase = phaseCrash
		e.schedule(i, at)
		return
	}
	e.begin(i, at, false)
}

// planFaults decides between which two steps the first delivery crashes or
// pauses, and sends the late copy on its way.
func (e *engine) planFaults(w *worker, s *slot) {
	if s.faults&faultCrash != 0 {
		w.crashAt = uint8(below(e.streams.draw(concernCrashAt, s.payment, 1), e.mainSteps))
	}
	if s.faults&faultSlow != 0 {
		w.pauseAt = uint8(1 + below(e.streams.draw(concernSlowAt, s.payment, 1), e.mainSteps-1))
	}
	if s.faults&faultDuplicate != 0 && e.scenario.CopyAfter > 0 {
		twin := w.message
		twin.copy, twin.ordinal, twin.cause = 1, 2, w.cause
		e.later(twin, e.scenario.CopyAfter)
	}
}

// advance takes the worker through its next moment.
func (e *engine) advance(i int32) {
	w := &e.workers[i]
	switch w.phase {
	case phaseBefore:
		e.effect(i)
	case phaseAfter:
		e.answer(i)
	case phaseCrash:
		e.crash(i)
	case phasePause:
		w.phase = phasePaused
		e.note(i, EventPause, WorkerLane(int(i)), NoLabel)
		e.schedule(i, e.now+e.timings.pause)
	case phasePaused:
		if w.delivery.PC == End || w.delivery.PC == 0 {
			e.answer(i)
			return
		}
		e.begin(i, e.now, true)
	case phaseDown:
		e.record(Event{Kind: EventRestart, Lane: WorkerLane(int(i)), Worker: int16(i), Cause: w.cause}, nil)
		e.pick(i)
	}
}

// begin starts the step at the delivery's program counter at a time that is
// not yet past; answered says that the answer to the step before comes then.
// Nothing else can depend on that moment, so the worker's next timer is the
// step's effect.
func (e *engine) begin(i int32, at int64, answered bool) {
	w := &e.workers[i]
	if e.recorder != nil {
		e.expect(i, at, answered)
	}
	m := &w.message
	w.pc, w.phase = w.delivery.PC, phaseBefore
	takes := tableTime
	switch e.handler.Program[w.pc].Kind {
	case OpCharge:
		thousandths := chargeTime.at(e.streams.draw(concernCharge, m.payment, m.ordinal))
		charge := e.scenario.Charge
		// Divide first: a year's charge times 4000 does not fit 64 bits.
		e.work(i, at, charge/1000*thousandths+charge%1000*thousandths/1000)
		return
	case OpAck:
		takes = ackTime
	}
	e.work(i, at, takes.at(e.streams.draw(concernTable+concern(w.pc), m.payment, m.ordinal)))
}

// work sets the timer of the step's effect, half-way between start and answer.
func (e *engine) work(i int32, at, takes int64) {
	e.workers[i].answerAt = at + takes
	e.schedule(i, at+takes/2)
}

// outcome is what the world decided about the charge of this delivery.
func (e *engine) outcome(w *worker, s *slot) Outcome {
	if w.message.ordinal != 1 || s.faults == 0 {
		return OK
	}
	switch {
	case s.faults&faultFail != 0:
		return Fail
	case s.faults&faultTimeout != 0:
		return Timeout
	}
	return OK
}

// effect is the step's one instant: the only place where the engine changes a
// cell for a worker.
func (e *engine) effect(i int32) {
	w := &e.workers[i]
	s := &e.slots[w.message.slot]
	kind := e.handler.Program[w.pc].Kind
	label, busy := e.handler.Step(&s.cell, &w.delivery, e.outcome(w, s))
	w.steps++
	w.busy = busy
	if busy {
		e.note(i, EventBusy, LaneTable, NoLabel)
	} else {
		e.note(i, EventEffect, laneOf(kind), label)
	}
	switch label {
	case LabelChargeTimeout:
		w.answerAt = e.now + e.timings.patience
	case LabelChargeFail:
		if w.message.ordinal == 1 {
			e.result.FailedFirst++
		}
	case LabelFenced:
		e.result.Fenced++
	case LabelClaimTakeover:
		e.result.Takeovers++
	case LabelAck:
		s.acked |= 1 << w.message.copy
	}
	if kind == OpLeaseClaim && w.delivery.Tok != 0 {
		s.leaseUntil, s.expiring, s.claimEvent = e.now+e.scenario.Lease, false, w.cause
	}
	e.proceed(i)
}

// proceed goes from a step's effect to what its answer leads to.
func (e *engine) proceed(i int32) {
	w := &e.workers[i]
	switch {
	case w.steps == w.crashAt:
		w.phase = phaseCrash
	case w.steps == w.pauseAt:
		w.phase = phasePause
	case w.delivery.PC == End || w.delivery.PC == 0:
		w.phase = phaseAfter
	default:
		e.begin(i, w.answerAt, true)
		return
	}
	e.schedule(i, w.answerAt)
}

// laneOf is where a step's effect shows.
func laneOf(kind OpKind) Lane {
	switch kind {
	case OpCharge:
		return LaneProvider
	case OpAck:
		return LaneBroker
	}
	return LaneTable
}

// answer ends a delivery: the worker learns that its ack arrived, or has to
// give the message back.
func (e *engine) answer(i int32) {
	w := &e.workers[i]
	e.note(i, EventAnswer, WorkerLane(int(i)), NoLabel)
	if w.delivery.PC == End {
		e.settle(w.message.slot)
	} else {
		e.note(i, EventReturn, LaneBroker, NoLabel)
		e.giveBack(i)
	}
	e.pick(i)
}

// giveBack ends the worker's delivery badly: the broker brings the message
// back, unless another delivery of it was acknowledged meanwhile. A delivery
// that found the claim held waits twice as long each time.
func (e *engine) giveBack(i int32) {
	w := &e.workers[i]
	m := w.message
	s := &e.slots[m.slot]
	if !w.busy {
		e.watchLease(m.slot, never)
	}
	m.cause = w.cause
	if s.acked&(1<<m.copy) != 0 {
		e.drop(&m)
		return
	}
	delay := e.timings.redeliver
	if w.busy {
		if longest := e.timings.visibility; delay > longest>>m.tries {
			delay = longest
		} else {
			delay <<= m.tries
		}
		if m.tries < maxBackOff {
			m.tries++
		}
	}
	s.ordinal++
	m.ordinal, m.again = s.ordinal, true
	e.later(m, delay)
}

// crash kills the worker; the broker notices and brings the message back.
func (e *engine) crash(i int32) {
	w := &e.workers[i]
	s := &e.slots[w.message.slot]
	label, _ := e.handler.Crash(&s.cell, &w.delivery)
	e.note(i, EventCrash, WorkerLane(int(i)), label)
	w.busy = false
	e.giveBack(i)
	w.phase, w.visible, w.deadline = phaseDown, false, never
	e.schedule(i, e.now+e.timings.restart)
}

// visible is the end of the broker's patience: the message is delivered again
// while the worker that has it may still be at work. Each delivery of a worker
// has its own deadline, so an old timer is known by it.
func (e *engine) visible(i int32, at int64) {
	w := &e.workers[i]
	s := &e.slots[w.message.slot]
	if at != w.deadline || w.phase == phaseIdle || s.acked&(1<<w.message.copy) != 0 {
		return
	}
	e.now = at
	m := w.message
	s.outstanding++
	s.ordinal++
	m.ordinal, m.again, m.tries = s.ordinal, true, 0
	m.cause = e.record(Event{Kind: EventVisible, Lane: LaneBroker, Worker: int16(i), Cause: w.cause}, &w.message)
	e.arrive(m)
}

// expire lets a lease lapse. Each claim in a slot has its own end, so an old
// timer is known by it.
func (e *engine) expire(i int32, at int64) {
	s := &e.slots[i]
	if at != s.leaseUntil {
		return
	}
	alive := false
	for j := range e.workers {
		w := &e.workers[j]
		alive = alive || w.phase != phaseIdle && w.message.slot == i && w.delivery.Tok == s.cell.Gen
	}
	label, ok := e.handler.Expire(&s.cell, alive)
	if !ok {
		return
	}
	e.now = at
	m := message{payment: s.payment}
	e.record(Event{Kind: EventExpire, Lane: LaneTable, Worker: -1, Label: label, Cause: s.claimEvent}, &m)
}
