package sim

// maxBackOff bounds the doubling of the delay after which a busy delivery
// comes back.
const maxBackOff = 20

// drop ends a delivery for which the broker has nothing to bring back: another
// delivery of the message was acknowledged or has taken its place, or the sender
// is a caller who decides for itself.
func (e *engine) drop(m *message) {
	e.record(Event{Kind: EventDelete, Lane: LaneBroker, Worker: -1, Cause: m.cause}, m)
	e.settle(m.slot)
}

// later makes the message available after a delay.
func (e *engine) later(m message, delay int64) {
	var i int32
	if n := len(e.freeWait); n > 0 {
		i = e.freeWait[n-1]
		e.freeWait = e.freeWait[:n-1]
		e.waiting[i] = m
	} else {
		i = int32(len(e.waiting))
		e.waiting = append(e.waiting, m)
	}
	e.queue.push(e.now+delay, timerReady, i)
}

// arrive puts a message at the head of the queue; an idle worker takes it. The
// broker refuses a new message whose id it has accepted within its window, and
// puts a message aside that it has delivered often enough.
func (e *engine) arrive(m message) {
	switch {
	case !m.again:
		s := &e.slots[m.slot]
		kind := EventArrive
		if m.replay {
			kind = EventReplay
		}
		m.cause = e.record(Event{Kind: kind, Lane: LaneBroker, Worker: -1, Cause: m.cause}, &m)
		if !m.replay && s.accepted >= 0 && e.now-s.accepted < e.scenario.Window {
			e.record(Event{Kind: EventReject, Lane: LaneBroker, Worker: -1, Cause: m.cause}, &m)
			e.settle(m.slot)
			return
		}
		s.accepted = e.now
		if e.log != nil {
			e.append(m)
			e.wake(e.log[e.partitionOf(&m)].owner)
			return
		}
	case e.exhausted(&m) && e.slots[m.slot].gone&(1<<m.send) == 0:
		e.record(Event{Kind: EventDeadLetter, Lane: LaneBroker, Worker: -1, Cause: m.cause}, &m)
		e.slots[m.slot].gone |= 1 << m.send
		e.result.DeadLetters++
		e.settle(m.slot)
		return
	}
	e.ready.push(m)
	e.wakeAny()
}

// exhausted says whether the message has come often enough: as often as the
// scenario allows, or too often without an ack in time where that could go on for
// ever.
func (e *engine) exhausted(m *message) bool {
	if limit := e.scenario.MaxReceives; limit > 0 && int64(m.receives) >= limit {
		return true
	}
	return e.scenario.ignoresLateAcks() && int64(m.silences) >= e.silenceLimit
}

// giveBack ends the worker's delivery badly: the broker brings the message
// back, unless nothing is to be brought back. A delivery that found the claim
// held waits twice as long each time.
func (e *engine) giveBack(i int32) {
	w := &e.workers[i]
	if !w.busy {
		e.watchLease(w.message.slot, never)
	}
	if e.replaced(w) {
		w.message.cause = w.cause
		e.drop(&w.message)
		return
	}
	if e.log != nil {
		e.putBack(i, e.delay(w))
		return
	}
	e.comeBack(w, e.delay(w))
}

// replaced says whether the broker has nothing to bring back for the worker's
// delivery: another one of the message was acknowledged or has taken its place,
// or the sender is a caller.
func (e *engine) replaced(w *worker) bool {
	if e.log != nil {
		return w.replaced
	}
	return e.scenario.Direct || w.replaced || e.slots[w.message.slot].gone&(1<<w.message.send) != 0
}

// late says whether the broker ignores the worker's ack: it has brought the
// message back meanwhile.
func (e *engine) late(w *worker) bool {
	return e.scenario.LateAckIgnored && e.log == nil && w.replaced
}

// comeBack makes the worker's message available again after a delay.
func (e *engine) comeBack(w *worker, delay int64) {
	m := w.message
	m.ordinal, m.again, m.cause = e.nextOrdinal(m.slot), true, w.cause
	e.later(m, delay)
}

// nextOrdinal numbers the payment's next delivery.
func (e *engine) nextOrdinal(i int32) uint32 {
	if p := e.slots[i].primary; p >= 0 {
		i = p
	}
	e.slots[i].ordinal++
	return e.slots[i].ordinal
}

// delay is how long a message that was given back stays away.
func (e *engine) delay(w *worker) int64 {
	m := &w.message
	if e.scenario.NoNack {
		return max(w.deadline-e.now, 0)
	}
	delay, longest := e.timings.redeliver, e.timings.visibility
	if !w.busy {
		return delay
	}
	if delay > longest>>m.tries {
		return longest
	}
	delay <<= m.tries
	if m.tries < maxBackOff {
		m.tries++
	}
	return delay
}

// visible is the end of the broker's patience: the message is delivered again
// while the worker that has it may still be at work. Each delivery of a worker
// has its own deadline, so an old timer is known by it.
func (e *engine) visible(i int32, at int64) {
	w := &e.workers[i]
	s := &e.slots[w.message.slot]
	if at != w.deadline || w.phase == phaseIdle || s.gone&(1<<w.message.send) != 0 {
		return
	}
	e.now = at
	if e.log != nil {
		if !w.message.retry && !w.replaced {
			p := &e.log[w.message.partition]
			p.entries[p.next-1].silences++
			e.lose(i, false)
		}
		return
	}
	w.replaced = true
	m := w.message
	s.outstanding++
	m.ordinal, m.again, m.tries = e.nextOrdinal(m.slot), true, 0
	m.silences++
	m.cause = e.record(Event{Kind: EventVisible, Lane: LaneBroker, Worker: int16(i), Cause: w.cause}, &w.message)
	e.arrive(m)
}
