package sim

// copyOf is the message whose row the slot holds: the copy's, where it has one
// of its own.
func (s *slot) copyOf() uint8 {
	if s.primary >= 0 {
		return 1
	}
	return 0
}

// keep notes when the provider first saw the payment's key.
func (e *engine) keep(s *slot) {
	if s.keyAt < 0 && s.cell.Key {
		s.keyAt = e.now
	}
}

// forget lets the table and the provider forget what is too old, at the moment
// when it would matter: before a step that asks. What is exactly as old as it is
// kept is forgotten.
func (e *engine) forget(kind OpKind, i int32) {
	s := &e.slots[i]
	m := message{payment: s.payment, copy: s.copyOf()}
	switch kind {
	case OpCheck, OpClaim, OpLeaseClaim, OpOpenAndClaim:
		keep := e.scenario.Retention
		if keep == 0 || e.now-s.rememberedAt < keep {
			return
		}
		if label, ok := e.handler.Forget(&s.cell); ok {
			e.record(Event{Kind: EventForget, Lane: LaneTable, Worker: -1, Label: label, Cause: -1}, &m)
		}
	case OpCharge:
		keep := e.scenario.KeyMemory
		if keep == 0 || s.keyAt < 0 || e.now-s.keyAt < keep {
			return
		}
		if e.handler.ForgetKey(&s.cell) {
			s.keyAt = -1
			e.record(Event{Kind: EventForgetKey, Lane: LaneProvider, Worker: -1, Cause: -1}, &m)
		}
	}
}
