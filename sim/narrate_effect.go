package sim

import "fmt"

// effect is a step that happened.
func (v *narrator) effect() string {
	switch v.event.Label {
	case LabelCheckNew, LabelCheckSeen, LabelRemember:
		return v.check()
	case LabelCharge, LabelChargeFail, LabelChargeTimeout, LabelFenced:
		return v.charge()
	case LabelClaimWon, LabelClaimLost, LabelClaimRetry, LabelClaimTakeover, LabelClaimDone:
		return v.claim()
	case LabelAck:
		return v.ack()
	}
	return v.finish()
}

func (v *narrator) check() string {
	p, w := v.payment, v.worker
	switch v.event.Label {
	case LabelCheckSeen:
		return fmt.Sprintf("%s finds %s already processed and will only acknowledge it.", w, p)
	case LabelRemember:
		if v.trace.rememberedBefore(v.state.N-1, v.event) {
			return fmt.Sprintf("%s inserts the row of %s and finds it there: a violation of the unique key, after the charge. It guards the table, not the customer.", w, p)
		}
		if v.row().Charges > 1 {
			return fmt.Sprintf("%s writes that %s was processed: too late, it was charged %d times.", w, p, v.row().Charges)
		}
		if who, ok := v.other(func(o *WorkerState) bool { return o.PC == 1 }); ok {
			return fmt.Sprintf("%s writes that %s was processed. %s has checked already and will not look again.", w, p, who)
		}
		return fmt.Sprintf("%s writes that %s was processed. From now on a check will find it.", w, p)
	}
	passed := func(o *WorkerState) bool { return o.PC == 1 || o.PC == 2 }
	if who, ok := v.other(passed); ok {
		return fmt.Sprintf("%s checked before %s remembered: both saw \"not processed\". The window is as long as the charge.", w, who)
	}
	return fmt.Sprintf("%s sees %s as not processed, and will charge it.", w, p)
}

func (v *narrator) charge() string {
	p, w, row := v.payment, v.worker, v.row()
	switch v.event.Label {
	case LabelChargeFail:
		if v.ownUpdate() {
			return fmt.Sprintf("The update of %s fails. Nothing was written.", p)
		}
		return fmt.Sprintf("The provider refuses to charge %s. Nothing was charged.", p)
	case LabelFenced:
		return fmt.Sprintf("The provider refuses %s's call: it has seen a higher token than %s's. The stale worker does no harm here.", w, w)
	}
	lost := ""
	if v.event.Label == LabelChargeTimeout {
		lost = " The answer is lost: from now on only the provider knows."
	}
	if v.ownUpdate() {
		return v.update()
	}
	handler := v.trace.handler
	again := v.trace.chargedBefore(v.state.N-1, v.event.Payment)
	switch {
	case again && handler.Effect == EffectKey && row.Charges > v.trace.At(v.state.N - 1).Payments[v.event.Payment].Charges:
		return fmt.Sprintf("The provider no longer knows the key of %s, so it charges again: charged %d times.%s", p, row.Charges, lost)
	case again && handler.Effect == EffectKey:
		return fmt.Sprintf("The provider knows the key of %s and returns the first result. No second charge.%s", p, lost)
	case again && handler.Effect == EffectFence:
		return fmt.Sprintf("The provider charges %s again: charged %d times. A fence refuses an older token that comes later, not a newer one.%s", p, row.Charges, lost)
	case again:
		return fmt.Sprintf("The provider charges %s again: charged %d times. Nothing in this call tells it that it is the same payment.%s", p, row.Charges, lost)
	}
	return fmt.Sprintf("The provider charges %s.%s", p, lost)
}

// ownUpdate says whether the effect is a statement on our own table, and no call
// to the provider.
func (v *narrator) ownUpdate() bool {
	return v.trace.handler.Effect == EffectSet || v.trace.handler.ID == HandlerIncrement
}

// update is an effect on our own table.
func (v *narrator) update() string {
	p, lost := v.payment, ""
	if v.event.Label == LabelChargeTimeout {
		lost = " The answer is lost: from now on only the database knows."
	}
	again := v.trace.chargedBefore(v.state.N-1, v.event.Payment)
	switch {
	case v.trace.handler.Effect == EffectSet && again:
		return fmt.Sprintf("The same value is set again: %s is as it was.%s", p, lost)
	case v.trace.handler.Effect == EffectSet:
		return fmt.Sprintf("The value of %s is set.%s", p, lost)
	case again:
		return fmt.Sprintf("The amount of %s is added again: added %d times. Nothing in this statement tells it that it is the same payment.%s", p, v.row().Charges, lost)
	}
	return fmt.Sprintf("The amount of %s is added.%s", p, lost)
}

// chargedBefore says whether a charge of the payment happened before event n.
func (t *Trace) chargedBefore(n int, payment int32) bool {
	for i := range t.events[:n] {
		e := &t.events[i]
		if e.Payment == payment && (e.Label == LabelCharge || e.Label == LabelChargeTimeout) {
			return true
		}
	}
	return false
}

// rememberedBefore says whether the row that an event writes was there before
// event n.
func (t *Trace) rememberedBefore(n int, event Event) (there bool) {
	for i := range t.events[:n] {
		e := &t.events[i]
		if e.Payment == event.Payment && (e.Copy == event.Copy || !t.scenario.ByMessage) {
			there = (there || e.Label == LabelRemember) && e.Kind != EventForget
		}
	}
	return there
}

func (v *narrator) claim() string {
	p, w, row := v.payment, v.worker, v.row()
	switch v.event.Label {
	case LabelClaimLost:
		if _, ok := v.other(anyone); !ok && row.Charges == 0 {
			return fmt.Sprintf("%s finds %s already claimed and will acknowledge it. But nobody is at work on it: this payment is being lost.", w, p)
		}
		return fmt.Sprintf("%s finds %s already claimed: the table let only one worker win. It will acknowledge and charge nothing.", w, p)
	case LabelClaimRetry:
		return fmt.Sprintf("%s finds %s FAILED and claims it again, with token %d.", w, p, row.Gen)
	case LabelClaimTakeover:
		if who, ok := v.other(func(o *WorkerState) bool { return o.Tok == row.Gen-1 }); ok {
			why := "and only slow"
			if v.trace.scenario.NodeClock {
				why = "and by its own clock the lease may still run"
			}
			return fmt.Sprintf("%s takes over the lapsed claim on %s with token %d. But %s is alive, %s.", w, p, row.Gen, who, why)
		}
		return fmt.Sprintf("%s takes over the lapsed claim on %s with token %d.", w, p, row.Gen)
	case LabelClaimDone:
		return fmt.Sprintf("%s finds %s DONE and will only acknowledge it.", w, p)
	}
	if v.trace.handler.ID == HandlerOneTx {
		return fmt.Sprintf("%s has inserted the row of %s in its open transaction. Another insert of it waits for the commit.", w, p)
	}
	if v.trace.handler.Leased {
		return fmt.Sprintf("%s has claimed %s with token %d. While the lease runs, every other delivery of it has to wait.", w, p, row.Gen)
	}
	return fmt.Sprintf("%s has claimed %s. From now on every other worker is refused.", w, p)
}

// finish is a step that ends the work on a claim.
func (v *narrator) finish() string {
	p, w := v.payment, v.worker
	switch v.event.Label {
	case LabelComplete:
		return fmt.Sprintf("%s marks %s DONE. A later delivery will only be acknowledged.", w, p)
	case LabelCompleteStale:
		return fmt.Sprintf("%s wants to mark %s DONE, but %s", w, p, v.whyStale(" Somebody else has taken over."))
	case LabelMarkFailed:
		if v.unanswered() {
			return fmt.Sprintf("%s marks %s FAILED, although its outcome is unknown. %s", w, p, v.afterUnknown())
		}
		return fmt.Sprintf("%s marks %s FAILED, so that a retry may claim it again.", w, p)
	case LabelMarkFailedStale:
		return fmt.Sprintf("%s wants to mark %s FAILED, but %s", w, p, v.whyStale(""))
	case LabelRelease:
		if v.unanswered() {
			return fmt.Sprintf("%s has released its claim on %s, although its outcome is unknown. %s", w, p, v.afterUnknown())
		}
		return fmt.Sprintf("%s has released its claim on %s. The next delivery can claim it.", w, p)
	case LabelCommit:
		return fmt.Sprintf("Row and work of %s are committed together. The charge was outside: no rollback would have undone it.", p)
	default:
		return fmt.Sprintf("The row of %s is rolled back, as if it had never been. A charge that happened is not.", p)
	}
}

// whyStale says why the guard refuses a write, and what that means where
// somebody else has the claim.
func (v *narrator) whyStale(taken string) string {
	row := v.row().Rec
	if v.trace.scenario.ByMessage && v.event.Copy > 0 {
		row = v.row().Second.Rec
	}
	if row == RecAbsent {
		return "the table has forgotten the row: zero rows."
	}
	return "its token is old: zero rows." + taken
}

// unanswered says whether the answer to the charge of the event's delivery was
// lost.
func (v *narrator) unanswered() bool { return v.state.Workers[v.event.Worker].Lost }

// afterUnknown is what follows when an unknown outcome is treated as a refusal.
func (v *narrator) afterUnknown() string {
	switch {
	case v.trace.handler.Effect != EffectKey:
		return "That is the mistake: a lost answer is no refusal, and the next delivery charges again."
	case v.trace.scenario.KeyMemory > 0:
		return fmt.Sprintf("Here that is safe: the next delivery asks under the same key, which the provider remembers for %s.", formatNanos(v.trace.scenario.KeyMemory))
	}
	return "Here that is safe: the next delivery asks under the same key and gets the first result."
}

func (v *narrator) ack() string {
	p, row := v.payment, v.row()
	if v.trace.scenario.Log {
		return v.logAck()
	}
	switch {
	case row.Charges == 0 && row.AtWork == 1 && row.ToCome == 0:
		return fmt.Sprintf("The broker deletes %s: it was acknowledged. It was never charged, and nothing will bring it back: lost.", p)
	case row.AtWork == 1 && row.ToCome == 0:
		return fmt.Sprintf("The broker deletes %s: every delivery of it is acknowledged. The ledger says %s.", p, times(row.Charges))
	}
	return fmt.Sprintf("The broker deletes this message of %s: it was acknowledged.", p)
}

// logAck is an ack of a log's message: it lets the offset move on, and nothing is
// deleted.
func (v *narrator) logAck() string {
	p, w, row := v.payment, v.worker, v.row()
	last := row.AtWork == 1 && row.ToCome == 0
	switch {
	case v.rewound():
		return fmt.Sprintf("%s is done with %s, and its ack comes too late: the partition has gone to another worker, which begins at the last commit.", w, p)
	case last && row.Charges == 0:
		return fmt.Sprintf("%s acknowledges %s: the offset may move on. It was never charged, and nothing will bring it back: lost.", w, p)
	case last:
		return fmt.Sprintf("%s acknowledges %s: the offset may move on. The ledger says %s.", w, p, times(row.Charges))
	}
	return fmt.Sprintf("%s acknowledges this message of %s: the offset may move on.", w, p)
}

// rewound says whether the event's message has gone back to the log since it was
// delivered to the worker. With a retry topic nothing in the trace tells a copy
// there from the log's own.
func (v *narrator) rewound() bool {
	if v.trace.scenario.RetryTopic {
		return false
	}
	for i := v.event.Seq - 1; i >= 0; i-- {
		e := v.trace.events[i]
		switch {
		case e.Payment != v.event.Payment || e.Copy != v.event.Copy:
		case e.Kind == EventRewind:
			return true
		case (e.Kind == EventDeliver || e.Kind == EventRedeliver) && e.Worker == v.event.Worker:
			return false
		}
	}
	return false
}

// lateAck is an ack that the broker ignores.
func (v *narrator) lateAck() string {
	since := "is to deliver it again"
	for i := v.event.Seq - 1; i >= 0; i-- {
		e := v.trace.events[i]
		switch {
		case e.Payment != v.event.Payment || e.Copy != v.event.Copy:
			continue
		case e.Kind == EventDeadLetter:
			since = "has put it aside as a dead letter"
		case e.Kind == EventRedeliver && e.Worker != v.event.Worker:
			since = "has given it to " + WorkerLane(int(e.Worker)).String()
		case e.Kind != EventVisible || e.Worker != v.event.Worker:
			continue
		}
		break
	}
	return fmt.Sprintf("The ack of %s comes too late: the broker has taken the message back from %s, %s, and ignores this ack.", v.payment, v.worker, since)
}

// times is a number of charges in words.
func times(charges uint32) string {
	switch charges {
	case 0:
		return "no charge"
	case 1:
		return "one charge"
	}
	return fmt.Sprintf("%d charges", charges)
}
