package sim

// Step takes delivery d of one payment through the next step of its handler's
// program. It is the only definition of what a step does: the explorer calls it
// in every order, the engine in the order of virtual time. It reads and changes
// nothing but the cell and the delivery; it allocates nothing.
//
// busy means that the step is not enabled now (somebody else holds the claim);
// then nothing changed and the label is NoLabel. The outcome matters to a
// charge only, and not even there when a fence refuses the call: see CanFault.
// A delivery at End must not be stepped.
func (h *Handler) Step(c *Cell, d *Delivery, o Outcome) (label Label, busy bool) {
	op := &h.Program[d.PC&(ProgramSize-1)]
	switch op.Kind {
	case OpCheck:
		if c.Seen {
			d.PC = op.Refuse
			return LabelCheckSeen, false
		}
		d.PC = op.Next
		return LabelCheckNew, false
	case OpCharge:
		return h.charge(op, c, d, o), false
	case OpRemember:
		c.Seen = true
		d.PC = op.Next
		return LabelRemember, false
	case OpClaim:
		if c.Rec != RecAbsent {
			d.PC = op.Refuse
			return LabelClaimLost, false
		}
		c.Rec = RecClaimed
		d.PC = op.Next
		return LabelClaimWon, false
	case OpRelease:
		c.Rec = RecAbsent
		d.PC = op.Next
		return LabelRelease, false
	case OpLeaseClaim:
		return leaseClaim(op, c, d)
	case OpComplete:
		d.PC = op.Next
		if h.stale(c, d) {
			return LabelCompleteStale, false
		}
		c.Rec, c.Live = RecDone, false
		return LabelComplete, false
	case OpMarkFailed:
		stale := h.stale(c, d)
		d.PC, d.Tok = op.Next, 0
		if stale {
			return LabelMarkFailedStale, false
		}
		c.Rec, c.Live = RecFailed, false
		return LabelMarkFailed, false
	case OpOpenAndClaim:
		switch c.Rec {
		case RecAbsent:
			c.Rec = RecHeld
			d.PC = op.Next
			return LabelClaimWon, false
		case RecDone:
			d.PC = op.Refuse
			return LabelClaimDone, false
		}
		return NoLabel, true
	case OpCommit:
		c.Rec = RecDone
		d.PC = op.Next
		return LabelCommit, false
	case OpRollback:
		c.Rec = RecAbsent
		d.PC = op.Next
		return LabelRollback, false
	case OpAck:
		d.PC, d.Tok = End, 0
		return LabelAck, false
	}
	return NoLabel, true
}

// stale says whether the guard refuses to write to the claim. A guard by token
// lets only the latest claim through. A guard by name lets everybody through who
// has the owner's name, as a stalled worker and its successor do when the name
// is the service's.
func (h *Handler) stale(c *Cell, d *Delivery) bool {
	if h.Guard == GuardName {
		return c.Rec == RecAbsent
	}
	return d.Tok != c.Gen
}

// Renew extends the lease of the claim that delivery d made, even one that has
// lapsed, as long as nobody has taken over. ok is false where the guard refuses.
// A guard by name lets a stalled worker extend its successor's lease.
func (h *Handler) Renew(c *Cell, d *Delivery) (ok bool) {
	if c.Rec != RecClaimed || d.Tok == 0 || h.stale(c, d) {
		return false
	}
	c.Live = true
	return true
}

// ForgetKey lets the provider forget the payment's idempotency key: what is
// charged stays charged, and the same key charges again. ok is false where it
// knows none.
func (h *Handler) ForgetKey(c *Cell) (ok bool) {
	ok = c.Key
	c.Key = false
	return ok
}

// leaseClaim claims a free row, a failed one, or one whose lease has lapsed;
// each claim has the next token.
func leaseClaim(op *Op, c *Cell, d *Delivery) (Label, bool) {
	label := LabelClaimWon
	switch c.Rec {
	case RecDone:
		d.PC = op.Refuse
		return LabelClaimDone, false
	case RecClaimed:
		if c.Live {
			return NoLabel, true
		}
		label = LabelClaimTakeover
	case RecFailed:
		label = LabelClaimRetry
	}
	c.Gen++
	c.Rec, c.Live = RecClaimed, true
	d.Tok, d.PC = c.Gen, op.Next
	return label, false
}

// charge is the call to the provider at its instant of effect.
func (h *Handler) charge(op *Op, c *Cell, d *Delivery, o Outcome) Label {
	if h.Effect == EffectFence && d.Tok < c.MaxTok {
		d.PC, d.Tok = 0, 0
		return LabelFenced
	}
	if o == Fail {
		d.PC = op.Bad
		return LabelChargeFail
	}
	switch h.Effect {
	case EffectKey:
		if !c.Key {
			c.Key = true
			c.Charges++
		}
	case EffectSet:
		c.Charges = 1
	case EffectFence:
		c.MaxTok = d.Tok
		c.Charges++
	default:
		c.Charges++
	}
	if o == Timeout {
		d.PC = op.Bad
		return LabelChargeTimeout
	}
	d.PC = op.Next
	return LabelCharge
}

// CanFault says whether the delivery's next step is a call that the provider
// may refuse or whose answer may be lost. A call that the fence refuses is
// neither: it has one outcome.
func (h *Handler) CanFault(c *Cell, d *Delivery) bool {
	if h.Program[d.PC&(ProgramSize-1)].Kind != OpCharge {
		return false
	}
	return h.Effect != EffectFence || d.Tok >= c.MaxTok
}

// Crash kills the worker of delivery d; the broker delivers again at once. A
// transaction that was open never was. ok is false for an acknowledged
// delivery, which no crash can touch.
func (h *Handler) Crash(c *Cell, d *Delivery) (label Label, ok bool) {
	if d.PC == End {
		return NoLabel, false
	}
	if h.ID == HandlerOneTx && (d.PC == 1 || d.PC == 2 || d.PC == 4) {
		c.Rec = RecAbsent
	}
	d.PC, d.Tok = 0, 0
	return LabelCrash, true
}

// Expire lets the lease of the current claim lapse. holderAlive says whether a
// delivery still has the claim's token: then the worker is merely slow, and the
// label is LabelExpireSlow (which the explorer takes from the budget of slow
// workers). ok is false where there is no running lease.
func (h *Handler) Expire(c *Cell, holderAlive bool) (label Label, ok bool) {
	if !h.Leased || c.Rec != RecClaimed || !c.Live {
		return NoLabel, false
	}
	c.Live = false
	if holderAlive {
		return LabelExpireSlow, true
	}
	return LabelExpire, true
}

// Forget removes what the table remembers of the payment, as a purge does when
// the retention is too short. What the provider knows stays. ok is false where
// there is nothing to forget.
func (h *Handler) Forget(c *Cell) (label Label, ok bool) {
	switch {
	case h.ID == HandlerCheck && c.Seen:
		c.Seen = false
	case (h.ID == HandlerClaim || h.ID == HandlerRelease) && c.Rec == RecClaimed,
		(h.Leased || h.ID == HandlerOneTx) && c.Rec == RecDone:
		c.Rec = RecAbsent
	default:
		return NoLabel, false
	}
	return LabelForget, true
}
