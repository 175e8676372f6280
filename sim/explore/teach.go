package explore

import (
	"fmt"
	"math/big"
	"strings"

	"idemtui/sim"
)

// Lookup gives the result of another handler under the same deliveries and
// faults, where it is known.
type Lookup func(h sim.HandlerID) (Result, bool)

// Teaches is the statement that this result proves, with its own numbers. It is
// empty where the result proves none that is worth remembering, and where it is
// not complete.
func (r Result) Teaches(other Lookup) string {
	if !r.Complete || r.Interleavings == nil {
		return ""
	}
	switch r.Handler.ID {
	case sim.HandlerNone, sim.HandlerIncrement:
		return r.teachNone()
	case sim.HandlerCheck:
		if r.doubles() {
			return "To look and then to act is a race, however quick the look is: " + r.twiceOf() + "."
		}
	case sim.HandlerClaim:
		return r.teachClaim()
	case sim.HandlerRelease:
		return r.teachRelease()
	case sim.HandlerLease:
		return r.teachLease()
	case sim.HandlerFence:
		return r.teachFence(other)
	case sim.HandlerOneTx:
		return r.teachOneTx()
	case sim.HandlerKey, sim.HandlerKeyOnly, sim.HandlerNatural:
		return r.teachKey()
	}
	return ""
}

func (r Result) doubles() bool  { return r.Double.Sign() > 0 }
func (r Result) losesAny() bool { return r.Lost.Sign() > 0 }

// of says "60 of 66 schedules".
func (r Result) of(n *big.Int) string {
	return fmt.Sprintf("%s of %s", n, plural(r.Interleavings, "schedule"))
}

// twiceOf says "60 of 66 schedules charge twice".
func (r Result) twiceOf() string {
	return r.of(r.Double) + " " + verb(r.Double, "charges", "charge") + " twice"
}

// losesOf says "20 of 32 schedules lose the payment".
func (r Result) losesOf() string {
	return r.of(r.Lost) + " " + verb(r.Lost, "loses", "lose") + " the payment"
}

// faulty says whether anything may go wrong beside the order of the steps.
func (b Budgets) faulty() bool { return b.sum() > 0 }

func (r Result) teachNone() string {
	switch {
	case !r.doubles():
		return ""
	case r.Handler.ID == sim.HandlerIncrement:
		return "Adding to a value is no idempotent effect: " + r.of(r.Double) + " " + verb(r.Double, "adds", "add") + " it twice."
	}
	return "Duplicates are normal, and without deduplication a duplicate charges: " + r.twiceOf() + "."
}

func (r Result) teachClaim() string {
	switch {
	case r.losesAny() && r.doubles():
		return "Claiming without a lease loses what a worker leaves behind (" + r.of(r.Lost) + "), and a table that forgets lets a copy charge again (" + r.Double.String() + ")."
	case r.losesAny():
		return "Claiming without a lease trades double charges for lost payments: none charges twice, and " + r.losesOf() + "."
	case r.doubles():
		return "To a table that has forgotten the claim, a copy is new: " + r.twiceOf() + ". Retention must outlast the last copy."
	case !r.Budgets.faulty():
		return "One atomic step decides who charges: none of " + plural(r.Interleavings, "schedule") + " charges twice."
	}
	return ""
}

func (r Result) teachRelease() string {
	b := r.Budgets
	switch {
	case r.losesAny() && b.Crash > 0:
		return "Releasing repairs a failure, not a crash: " + r.losesOf() + ". A crash runs no code."
	case r.doubles() && b.Timeout > 0:
		return "Releasing turns a lost answer into a double charge: " + r.twiceOf() + ". A timeout is no refusal."
	case r.doubles():
		return "To a table that has forgotten the claim, a copy is new: " + r.twiceOf() + ". Retention must outlast the last copy."
	case b.Fail > 0 && !r.losesAny():
		return "Releasing repairs a failure: none of " + plural(r.Interleavings, "schedule") + " loses the payment, and none charges twice."
	}
	return ""
}

// withDeliveries says under how many deliveries a lease has its double charge.
func (r Result) withDeliveries() string {
	if r.Deliveries == 1 {
		return "already with one delivery"
	}
	return fmt.Sprintf("with %d deliveries", r.Deliveries)
}

// causes names the faults that can bring a lease to a double charge: "a crash or
// a lost answer".
func (b Budgets) causes() string {
	var causes []string
	for _, c := range []struct {
		budget int
		name   string
	}{{b.Crash, "a crash"}, {b.Timeout, "a lost answer"}, {b.Slow, "a slow worker"}, {b.Forget, "a table that forgets"}} {
		if c.budget > 0 {
			causes = append(causes, c.name)
		}
	}
	if last := len(causes) - 1; last > 0 {
		return strings.Join(causes[:last], ", ") + " or " + causes[last]
	}
	return strings.Join(causes, "")
}

func (r Result) teachLease() string {
	const reachable = "A lease loses no payment, and has a reachable double charge: "
	b := r.Budgets
	switch {
	case r.losesAny():
		return ""
	case !r.doubles():
		return "A lease loses no payment: none of " + plural(r.Interleavings, "schedule") + " does, and here none charges twice."
	case b.Slow > 0 && b.Crash+b.Timeout+b.Forget == 0:
		return reachable + "a worker that is only slow is taken for dead, " + r.withDeliveries() + " in " + r.of(r.Double) + "."
	case b.Crash+b.Timeout+b.Slow > 0:
		return reachable + "under " + b.causes() + ", " + r.withDeliveries() + " in " + r.of(r.Double) + "."
	}
	return "Forgetting a finished claim makes the next copy new: " + r.twiceOf() + ". Retention must outlast the last copy."
}

func (r Result) teachFence(other Lookup) string {
	if !r.doubles() || r.losesAny() {
		return ""
	}
	text := "A fencing token checked at the provider does not stop the double charge when the old worker charged before the new one: " + r.of(r.Double) + " still " + verb(r.Double, "charges", "charge") + " twice"
	if lease, ok := other(sim.HandlerLease); ok && lease.Complete && lease.Interleavings != nil {
		text += fmt.Sprintf(" (%s of %s without the token)", lease.Double, lease.Interleavings)
	}
	return text + ". It refuses only the stale call that comes later."
}

func (r Result) teachOneTx() string {
	switch {
	case !r.doubles():
		return ""
	case r.Budgets.Crash+r.Budgets.Timeout > 0:
		return "The provider cannot join your transaction: a rollback takes the row back and not the charge. " + r.twiceOf() + "."
	}
	return "To a table that has forgotten the row, a copy is new: " + r.twiceOf() + "."
}

func (r Result) teachKey() string {
	if r.doubles() || r.losesAny() || !r.Budgets.faulty() && r.Deliveries < 2 {
		return ""
	}
	none := ": none of " + plural(r.Interleavings, "schedule") + " charges twice or loses the payment"
	switch r.Handler.ID {
	case sim.HandlerNatural:
		return "An effect that is idempotent by itself needs no table and no key" + none + "."
	case sim.HandlerKeyOnly:
		return "The provider's idempotency key is enough even with no table of your own" + none + ", as long as the provider remembers the key."
	}
	holds := "The idempotency key at the provider holds"
	if b := r.Budgets; b.Fail > 0 && b.Timeout > 0 && b.Crash > 0 && b.Slow > 0 && b.Forget > 0 {
		holds += " under every fault"
	}
	return holds + none + ", as long as the provider remembers the key."
}
