package sim

// never is later than any virtual time of a run.
const never = int64(1)<<62 - 1

// deliver hands the message to the worker, which needs a moment to pick it up.
func (e *engine) deliver(i int32, m message) {
	w, s := &e.workers[i], &e.slots[m.slot]
	e.result.Deliveries++
	m.receives++
	w.message, w.delivery = m, Delivery{}
	w.steps, w.visible, w.replaced, w.busy, w.ackLost = 0, false, false, false, false
	w.crashAt, w.pauseAt, w.rebalanceAt, w.pause, w.charge, w.outcome = noStep, noStep, noStep, e.timings.pause, 0, OK
	w.deadline = e.now + e.timings.visibility
	if e.scenario.Direct {
		w.deadline = never
	}
	kind := EventDeliver
	if m.again {
		kind = EventRedeliver
	}
	w.cause, w.pc = m.cause, 0
	e.note(i, kind, LaneBroker, NoLabel)
	if e.sends != nil {
		e.planSend(w)
	} else if m.ordinal == 1 && s.faults != 0 {
		e.planFaults(w, s)
	}
	at := e.now
	if !e.scenario.Exact {
		at += pickUpTime.at(e.streams.draw(concernPickUp, m.payment, m.ordinal))
	}
	if w.crashAt == 0 {
		w.phase = phaseCrash
		e.schedule(i, at)
		return
	}
	e.begin(i, at, false)
}

// planFaults decides what goes wrong in the first delivery, and between which
// two steps, and sends the late copy on its way.
func (e *engine) planFaults(w *worker, s *slot) {
	if s.faults&faultFail != 0 {
		w.outcome = Fail
	} else if s.faults&faultTimeout != 0 {
		w.outcome = Timeout
	}
	if s.faults&faultCrash != 0 {
		w.crashAt = uint8(below(e.streams.draw(concernCrashAt, s.payment, 1), e.mainSteps))
	}
	if s.faults&faultSlow != 0 {
		w.pauseAt = uint8(1 + below(e.streams.draw(concernSlowAt, s.payment, 1), e.mainSteps-1))
	}
	w.ackLost = s.faults&faultAckLost != 0
	if s.faults&faultRebalance != 0 {
		w.rebalanceAt = 1
	}
	if s.faults&faultDuplicate != 0 && e.scenario.CopyAfter > 0 {
		twin := e.twin(w.message)
		twin.cause = w.cause
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
		e.schedule(i, e.now+w.pause)
	case phasePaused:
		e.renewLate(i)
		if w.delivery.PC == End || w.delivery.PC == 0 {
			e.answer(i)
			return
		}
		e.begin(i, e.now, true)
	case phaseDown:
		w.cause = e.record(Event{Kind: EventRestart, Lane: WorkerLane(int(i)), Worker: int16(i), Cause: w.cause}, nil)
		w.phase = phaseIdle
		if e.log != nil {
			e.rejoin(i)
		}
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
	w.pc, w.phase = w.delivery.PC, phaseBefore
	e.work(i, at, e.duration(w))
}

// duration is how long the worker's step takes from start to answer.
func (e *engine) duration(w *worker) int64 {
	m, takes := &w.message, tableTime
	switch kind := e.handler.Program[w.pc].Kind; {
	case kind == OpCharge && w.charge > 0:
		return w.charge
	case kind == OpCharge && e.scenario.Exact:
		return e.scenario.Charge
	case kind == OpCharge:
		thousandths := chargeTime.at(e.streams.draw(concernCharge, m.payment, m.ordinal))
		charge := e.scenario.Charge
		// Divide first: a year's charge times 4000 does not fit 64 bits.
		return charge/1000*thousandths + charge%1000*thousandths/1000
	case e.scenario.Exact:
		return 0
	case kind == OpAck:
		takes = ackTime
	}
	return takes.at(e.streams.draw(concernTable+concern(w.pc), m.payment, m.ordinal))
}

// work sets the timer of the step's effect, half-way between start and answer.
func (e *engine) work(i int32, at, takes int64) {
	e.workers[i].answerAt = at + takes
	e.schedule(i, at+takes/2)
}

// effect is the step's one instant: the only place where the engine changes a
// cell for a worker.
func (e *engine) effect(i int32) {
	w := &e.workers[i]
	s := &e.slots[w.message.slot]
	kind := e.handler.Program[w.pc].Kind
	if e.scenario.Retention > 0 || e.scenario.KeyMemory > 0 {
		e.forget(kind, w.message.slot)
	}
	if kind == OpLeaseClaim && e.scenario.NodeClock {
		e.judge(i)
	}
	if kind == OpAck && w.ackLost {
		e.loseAck(i)
		return
	}
	label, busy := e.stepIn(w.message.slot, w)
	w.steps++
	w.busy = busy
	switch {
	case busy:
		e.note(i, EventBusy, LaneTable, NoLabel)
	case kind == OpAck && e.late(w):
		e.note(i, EventAckLate, LaneBroker, label)
	default:
		e.note(i, EventEffect, laneOf(kind), label)
	}
	e.consider(w, s, label)
	if kind == OpLeaseClaim && w.delivery.Tok != 0 {
		e.claimed(i)
	}
	e.proceed(i)
}

// stepIn takes the worker's delivery through its step in the slot's cell. The
// ledger and the highest token are the payment's, whatever the message id.
func (e *engine) stepIn(i int32, w *worker) (Label, bool) {
	s := &e.slots[i]
	if s.primary < 0 {
		return e.handler.Step(&s.cell, &w.delivery, w.outcome)
	}
	ledger := &e.slots[s.primary].cell
	s.cell.Charges, s.cell.MaxTok = ledger.Charges, ledger.MaxTok
	label, busy := e.handler.Step(&s.cell, &w.delivery, w.outcome)
	ledger.Charges, ledger.MaxTok = s.cell.Charges, s.cell.MaxTok
	return label, busy
}

// loseAck lets the worker's ack get lost: to the worker the delivery is over,
// and to the broker nothing was acknowledged, as after a crash.
func (e *engine) loseAck(i int32) {
	w := &e.workers[i]
	e.handler.Crash(&e.slots[w.message.slot].cell, &w.delivery)
	e.note(i, EventAckLost, LaneBroker, NoLabel)
	w.busy = false
	if e.replaced(w) {
		e.drop(&w.message)
	} else {
		e.comeBack(w, max(w.deadline-e.now, 0))
	}
	e.pick(i)
}

// consider draws the consequences that a step's label has outside the cell.
func (e *engine) consider(w *worker, s *slot, label Label) {
	switch label {
	case LabelCharge:
		e.keep(s)
	case LabelChargeTimeout:
		e.keep(s)
		w.answerAt = e.now + e.timings.patience
	case LabelChargeFail:
		if w.message.ordinal == 1 {
			e.result.FailedFirst++
		}
	case LabelFenced:
		e.result.Fenced++
		// The worker gives up a claim that may be its own: nobody but the
		// clock ends it now.
		e.watchLease(w.message.slot, never)
	case LabelClaimTakeover:
		e.result.Takeovers++
	case LabelRemember, LabelClaimWon, LabelComplete, LabelCommit:
		s.rememberedAt = e.now
	case LabelAck:
		if (e.log == nil || w.message.retry) && !e.late(w) {
			s.gone |= 1 << w.message.send
		}
	}
}

// proceed goes from a step's effect to what its answer leads to.
func (e *engine) proceed(i int32) {
	w := &e.workers[i]
	if w.steps == w.rebalanceAt {
		e.lose(i, false)
	}
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
		e.end(i)
	} else {
		e.note(i, EventReturn, LaneBroker, NoLabel)
		e.giveBack(i)
	}
	if e.log != nil && w.replaced {
		w.replaced = false
		e.rejoin(i)
	}
	e.pick(i)
}

// end ends an acknowledged delivery. An entry of a log stays until the
// offset is committed.
func (e *engine) end(i int32) {
	w := &e.workers[i]
	if e.log != nil && !w.message.retry && !w.replaced {
		e.acked(i)
		return
	}
	e.settle(w.message.slot)
}

// crash kills the worker; the broker notices and brings the message back.
func (e *engine) crash(i int32) {
	w := &e.workers[i]
	s := &e.slots[w.message.slot]
	label, _ := e.handler.Crash(&s.cell, &w.delivery)
	e.note(i, EventCrash, WorkerLane(int(i)), label)
	w.busy = false
	if e.log != nil {
		e.crashLog(i)
	} else {
		e.giveBack(i)
	}
	w.phase, w.visible, w.replaced, w.deadline = phaseDown, false, false, never
	e.schedule(i, e.now+e.timings.restart)
}
