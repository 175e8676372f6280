package sim

// claimed starts the lease of the claim that the worker has just made.
func (e *engine) claimed(i int32) {
	w := &e.workers[i]
	s := &e.slots[w.message.slot]
	s.leaseUntil, s.expiring, s.claimEvent = e.clock(i)+e.scenario.Lease, false, w.cause
	w.renewAt, w.renewing = e.now+e.scenario.Renew, false
}

// clock is the time by which the worker writes and judges leases: the
// database's, or its own where the scenario says so.
func (e *engine) clock(i int32) int64 {
	if e.scenario.NodeClock && i%2 == 1 {
		return e.now + e.scenario.Skew
	}
	return e.now
}

// judge lets the worker that is about to claim see the lease as lapsed, if it is
// by the worker's own clock.
func (e *engine) judge(i int32) {
	slot := e.workers[i].message.slot
	if s := &e.slots[slot]; e.clock(i) >= s.leaseUntil {
		e.lapse(slot)
	}
}

// holds says whether the worker has a claim to renew: it made one and has not
// completed it.
func (e *engine) holds(w *worker) bool {
	return w.delivery.Tok != 0 && e.handler.Program[w.delivery.PC].Kind != OpAck
}

// watchRenewal sets a timer for the worker's next renewal where it comes before
// the worker's next moment.
func (e *engine) watchRenewal(i int32) {
	w := &e.workers[i]
	if e.scenario.Renew > 0 && e.holds(w) && !w.renewing && w.phase != phasePaused && w.next > w.renewAt {
		w.renewing = true
		e.queue.push(w.renewAt, timerRenew, i)
	}
}

// renew is the moment of a renewal. A worker that stands still renews nothing.
// Each claim has its own next renewal, so an old timer is known by it.
func (e *engine) renew(i int32, at int64) {
	w := &e.workers[i]
	if at != w.renewAt || !w.renewing {
		return
	}
	w.renewing = false
	if w.phase == phaseIdle || w.phase == phaseDown || w.phase == phasePaused || !e.holds(w) {
		return
	}
	e.now = at
	e.extend(i)
}

// renewLate renews what fell due while the worker stood still.
func (e *engine) renewLate(i int32) {
	w := &e.workers[i]
	if e.scenario.Renew > 0 && w.renewAt <= e.now && e.holds(w) {
		e.extend(i)
	}
}

// extend renews the claim, if the guard lets the worker.
func (e *engine) extend(i int32) {
	w := &e.workers[i]
	s := &e.slots[w.message.slot]
	w.renewAt = e.now + e.scenario.Renew
	kind := EventRenewStale
	if e.handler.Renew(&s.cell, &w.delivery) {
		kind = EventRenew
		s.leaseUntil, s.expiring = e.clock(i)+e.scenario.Lease, false
	}
	e.record(Event{Kind: kind, Lane: LaneTable, Worker: int16(i), PC: w.delivery.PC, Cause: w.cause}, &w.message)
	if w.next > e.now {
		e.watchLease(w.message.slot, w.next)
		e.watchRenewal(i)
	}
}

// watchLease sets a timer for the claim's lease where it ends before the given time.
func (e *engine) watchLease(i int32, before int64) {
	s := &e.slots[i]
	if e.scenario.NodeClock || s.expiring || s.cell.Rec != RecClaimed || !s.cell.Live || before <= s.leaseUntil {
		return
	}
	s.expiring = true
	e.queue.push(s.leaseUntil, timerExpire, i)
}

// expire lets a lease lapse. Each claim in a slot has its own end, so an old
// timer is known by it.
func (e *engine) expire(i int32, at int64) {
	if at != e.slots[i].leaseUntil {
		return
	}
	before := e.now
	e.now = at
	if !e.lapse(i) {
		e.now = before // the claim has ended meanwhile: nothing happened now
	}
}

// lapse ends the lease of the slot's claim, if it runs.
func (e *engine) lapse(i int32) bool {
	s := &e.slots[i]
	alive := false
	for j := range e.workers {
		w := &e.workers[j]
		alive = alive || w.phase != phaseIdle && w.message.slot == i && w.delivery.Tok == s.cell.Gen
	}
	label, ok := e.handler.Expire(&s.cell, alive)
	if !ok {
		return false
	}
	m := message{payment: s.payment, copy: s.copyOf()}
	e.record(Event{Kind: EventExpire, Lane: LaneTable, Worker: -1, Label: label, Cause: s.claimEvent}, &m)
	return true
}
