package sim

import (
	"fmt"
	"slices"
)

// Narrate says in one or two plain sentences what the last event of At(n) did
// and why it matters.
func (t *Trace) Narrate(n int) string {
	if n <= 0 || len(t.events) == 0 {
		return "Nothing has happened yet."
	}
	n = min(n, len(t.events))
	s := t.At(n)
	e := t.events[n-1]
	v := narrator{trace: t, state: &s, event: e, payment: PaymentName(e.Payment), worker: WorkerLane(int(e.Worker)).String()}
	said := v.said()
	if e.Kind == EventAnswer && t.lostAt(n-1) {
		said += " No delivery of " + v.payment + " is left: it is never charged."
	}
	return said
}

// said is the sentence about the event itself.
func (v *narrator) said() string {
	if v.trace.scenario.Direct {
		if said := v.direct(); said != "" {
			return said
		}
	}
	switch v.event.Kind {
	case EventStart:
		return v.start()
	case EventEffect:
		return v.effect()
	case EventAckLate:
		return v.lateAck()
	case EventAnswer:
		return v.answer()
	}
	return v.world()
}

// lostAt says whether a payment is lost with the event.
func (t *Trace) lostAt(seq int) bool {
	return slices.ContainsFunc(t.violations, func(v Violation) bool { return v.Seq == seq && v.Kind == NeverCharged })
}

// PaymentName is a payment as the timeline names it: p1 is the first.
func PaymentName(payment int32) string { return fmt.Sprintf("p%d", payment+1) }

// narrator has what a sentence about an event needs.
type narrator struct {
	trace           *Trace
	state           *State
	event           Event
	payment, worker string
}

// row is the event's payment.
func (v *narrator) row() *PaymentState { return &v.state.Payments[v.event.Payment] }

// other is another worker with a delivery of the same payment, for which the
// condition holds.
func (v *narrator) other(holds func(*WorkerState) bool) (name string, ok bool) {
	for i := range v.state.Workers {
		w := &v.state.Workers[i]
		if i != int(v.event.Worker) && w.Payment == v.event.Payment && w.Phase != PhaseDown && holds(w) {
			return WorkerLane(i).String(), true
		}
	}
	return "", false
}

// anyone holds for every worker.
func anyone(*WorkerState) bool { return true }

// world is what the broker, the environment or a fault did.
func (v *narrator) world() string {
	p, w := v.payment, v.worker
	switch v.event.Kind {
	case EventDeliver:
		if v.event.Copy == 0 {
			return fmt.Sprintf("The broker delivers %s to %s.", p, w)
		}
		if who, ok := v.other(anyone); ok {
			return fmt.Sprintf("The broker delivers %s again, to %s, while %s is still at work on it.", p, w, who)
		}
		return fmt.Sprintf("The broker delivers %s again, to %s.", p, w)
	case EventRedeliver:
		return fmt.Sprintf("The broker delivers %s again, to %s: its delivery number %d.", p, w, v.row().Deliveries)
	case EventBusy:
		return fmt.Sprintf("%s finds %s claimed, and the claim's lease is running. It does nothing now: the message comes back later.", w, p)
	case EventReturn:
		return fmt.Sprintf("%s gives %s back. It is not acknowledged, so the broker will deliver it again.", w, p)
	case EventCrash:
		return fmt.Sprintf("%s crashes with %s in its hands. It acknowledged nothing, so the broker will deliver the message again.", w, p)
	case EventRestart:
		return fmt.Sprintf("%s is running again. It remembers nothing.", w)
	case EventPause:
		return fmt.Sprintf("%s stops, and does not know it: a long garbage collection, a frozen machine. The clock goes on without it.", w)
	case EventVisible:
		return fmt.Sprintf("The broker has waited for %s's ack long enough: %s is to be delivered again. To the broker, slow and dead look the same.", w, p)
	case EventExpire:
		if v.event.Label == LabelExpireSlow && v.trace.scenario.NodeClock {
			return fmt.Sprintf("By the clock of the worker that looks, the lease of the claim on %s has lapsed. By another clock it may still run: let the database's judge.", p)
		}
		if v.event.Label == LabelExpireSlow {
			return fmt.Sprintf("The lease of the claim on %s lapses while its worker is alive and slow. From now on another may take over.", p)
		}
		return fmt.Sprintf("The lease of the claim on %s lapses: its worker is gone. From now on another may take over.", p)
	case EventArrive:
		return v.arrival()
	case EventReplay:
		return v.replay()
	case EventDelete:
		if v.trace.scenario.Direct {
			return fmt.Sprintf("Nobody brings %s back: whoever called decides whether to try again.", p)
		}
		return fmt.Sprintf("The broker has nothing to bring back of %s: another delivery of it counts.", p)
	case EventForget:
		return fmt.Sprintf("The table no longer remembers %s: its retention of %s is over. To the next step it is new.", p, formatNanos(v.trace.scenario.Retention))
	case EventForgetKey:
		return fmt.Sprintf("The provider no longer remembers the key of %s: it keeps keys for %s. The same key charges again.", p, formatNanos(v.trace.scenario.KeyMemory))
	case EventRenew:
		if w := v.state.Workers[v.event.Worker]; w.Tok != v.row().Gen {
			return fmt.Sprintf("%s renews the claim on %s, which is no longer its own: the guard compares names, and the name is the same.", v.worker, p)
		}
		return fmt.Sprintf("%s renews its claim on %s: the lease runs for another %s.", w, p, formatNanos(v.trace.scenario.Lease))
	case EventRenewStale:
		return fmt.Sprintf("%s tries to renew its claim on %s and gets zero rows: it is no longer its own.", w, p)
	case EventAckLost:
		return fmt.Sprintf("The ack of %s gets lost on its way. %s believes it is done; the broker will deliver the message again.", p, w)
	case EventCommitOffset:
		return fmt.Sprintf("%s commits the offset: what lies before it will not come again.", w)
	case EventRebalance:
		return fmt.Sprintf("A partition goes to %s, which begins at the last committed offset.", w)
	case EventRewind:
		return fmt.Sprintf("%s lies after the last commit and is delivered again, finished or not.", p)
	case EventReject:
		return fmt.Sprintf("The broker refuses the message of %s: it accepted that id less than %s ago. The window guards sending, not handling.", p, formatNanos(v.trace.scenario.Window))
	case EventDeadLetter:
		if v.trace.scenario.Log {
			return fmt.Sprintf("%s has come %d times and was never finished in time: it is put aside as a dead letter, so that the others go on.", p, v.trace.scenario.silenceLimit())
		}
		if limit := v.trace.scenario.MaxReceives; limit > 0 {
			return fmt.Sprintf("The broker has delivered %s %d times without an ack and moves it to the dead letters.", p, limit)
		}
		return fmt.Sprintf("The broker has waited %d times for an ack of %s in vain and moves it to the dead letters.", standardReceives, p)
	}
	return ""
}

// arrival is a message that reaches the broker.
func (v *narrator) arrival() string {
	row := v.row()
	switch {
	case row.Deliveries == 0:
		return fmt.Sprintf("A message arrives at the broker: %s is to be paid.", v.payment)
	case row.AtWork > 0:
		return fmt.Sprintf("A copy of %s arrives at the broker: the first one is not acknowledged yet.", v.payment)
	}
	return fmt.Sprintf("A copy of %s arrives at the broker. An earlier delivery of it has ended.", v.payment)
}

// replay is a message that comes once more under its own id.
func (v *narrator) replay() string {
	if v.trace.scenario.Log {
		return fmt.Sprintf("The log is read again from an earlier offset: %s comes once more, whatever became of it.", v.payment)
	}
	return fmt.Sprintf("The message of %s is sent once more, under the same message id and whatever became of it.", v.payment)
}

// start is a step that begins.
func (v *narrator) start() string {
	p, w := v.payment, v.worker
	switch v.trace.handler.Program[v.event.PC].Kind {
	case OpCheck:
		return fmt.Sprintf("%s asks the table: was %s processed?", w, p)
	case OpCharge:
		if v.ownUpdate() {
			return fmt.Sprintf("%s sends the update of %s to the database.", w, p)
		}
		return fmt.Sprintf("%s calls the provider to charge %s.", w, p)
	case OpRemember:
		return fmt.Sprintf("%s begins to write that %s was processed.", w, p)
	case OpClaim, OpLeaseClaim, OpOpenAndClaim:
		return fmt.Sprintf("%s tries to claim %s: one insert that only one worker can win.", w, p)
	case OpRelease:
		if v.unanswered() {
			return fmt.Sprintf("No answer came, which looks like a failure. %s deletes its claim on %s, so that a retry may proceed.", w, p)
		}
		return fmt.Sprintf("The charge failed. %s deletes its claim on %s, so that a retry may proceed.", w, p)
	case OpComplete:
		return fmt.Sprintf("%s begins to mark %s DONE.", w, p)
	case OpMarkFailed:
		if v.unanswered() {
			return fmt.Sprintf("No answer came, which looks like a failure. %s begins to mark %s FAILED.", w, p)
		}
		return fmt.Sprintf("%s saw an error and begins to mark %s FAILED.", w, p)
	case OpCommit:
		return fmt.Sprintf("%s commits its transaction.", w)
	case OpRollback:
		return fmt.Sprintf("%s rolls its transaction back.", w)
	default:
		return fmt.Sprintf("%s sends the ack of %s to the broker.", w, p)
	}
}

// answer is a worker that learns how its step went.
func (v *narrator) answer() string {
	for i := v.event.Cause; i >= 0; i = v.trace.events[i].Cause {
		e := v.trace.events[i]
		switch {
		case e.Kind == EventPause:
			return fmt.Sprintf("%s goes on as if no time had passed. What it believed about %s may no longer hold.", v.worker, v.payment)
		case e.Kind == EventEffect && e.Label == LabelChargeTimeout:
			return fmt.Sprintf("%s has waited long enough for an answer. Only the provider knows whether %s was charged.", v.worker, v.payment)
		case e.Kind == EventEffect && e.Label == LabelChargeFail:
			return fmt.Sprintf("%s learns that the provider refused %s.", v.worker, v.payment)
		}
		if e.Kind == EventStart || e.Kind == EventEffect {
			break
		}
	}
	return fmt.Sprintf("%s has the answer to its %s of %s.", v.worker, v.trace.handler.Program[v.event.PC].Kind, v.payment)
}
