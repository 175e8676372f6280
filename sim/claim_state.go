package sim

import "fmt"

// ClaimState is what a payment's row says of its claim, and what the world knows
// besides: whether a charge was sent whose answer nobody will learn, and whether
// any delivery can still come. It is a word for people, made from the facts of a
// trace; the steps themselves know only the cell.
type ClaimState uint8

// The states of a claim. The first and the last two are of handlers that keep
// another kind of row than one with a state and a lease, or none.
const (
	ClaimNoTable       ClaimState = iota // the handler keeps no table
	ClaimNoRow                           // never seen, or forgotten
	ClaimRunning                         // PROCESSING, and the lease runs: somebody is at work
	ClaimLapsed                          // PROCESSING, and the lease has lapsed: the worker died, or is slow
	ClaimUnknown                         // PROCESSING, a charge was sent and nobody has the answer
	ClaimFailed                          // FAILED: the next delivery tries again
	ClaimFailedForGood                   // unfinished, and its message is a dead letter: nobody will come
	ClaimDone                            // DONE, or remembered as processed
	ClaimWithoutLease                    // a row without a state: being processed or processed, it does not say which
	ClaimInTransaction                   // a row in a transaction that is still open
)

var claimStateNames = [...]string{
	"no table", "no row", "PROCESSING, lease running", "PROCESSING, lease lapsed", "PROCESSING, unknown outcome",
	"FAILED", "FAILED for good", "DONE", "claimed", "a row in an open transaction",
}

// String is the state in words.
func (s ClaimState) String() string {
	if int(s) >= len(claimStateNames) {
		return ""
	}
	return claimStateNames[s]
}

// Claim is how the claim on a payment stands at a moment of a run.
type Claim struct {
	State ClaimState
	Cell  Cell // the row and the ledger that it was judged by

	// Asked says that the state is ClaimUnknown, also where it is told as
	// ClaimFailedForGood: a charge was sent and nobody has the answer.
	Asked bool

	deadLetter bool // its message is a dead letter, and no delivery is left
	handler    *Handler
	broker     *Scenario
}

// Claim is how the claim on a payment stands in a state of the run, by the row of
// its first message id. It depends on nothing but the trace and the state.
func (t *Trace) Claim(s *State, payment int32) Claim {
	p := &s.Payments[payment]
	c := Claim{
		Cell: p.Cell, handler: t.handler, broker: &t.scenario,
		deadLetter: p.DeadLetter && p.AtWork == 0 && p.ToCome == 0,
		Asked:      p.Unknown[0],
	}
	c.State = c.judge()
	if c.deadLetter && (c.State == ClaimFailed || c.State == ClaimLapsed || c.State == ClaimRunning || c.State == ClaimUnknown) {
		c.State = ClaimFailedForGood
	}
	return c
}

// judge is the claim's state as long as deliveries can come.
func (c *Claim) judge() ClaimState {
	first := c.handler.Program[0].Kind
	switch {
	case first != OpCheck && first != OpClaim && first != OpLeaseClaim && first != OpOpenAndClaim:
		return ClaimNoTable
	case first == OpCheck && c.Cell.Seen, c.Cell.Rec == RecDone:
		return ClaimDone
	case first == OpCheck, c.Cell.Rec == RecAbsent:
		return ClaimNoRow
	case c.Cell.Rec == RecHeld:
		return ClaimInTransaction
	case c.Cell.Rec == RecFailed:
		return ClaimFailed
	case c.Asked:
		return ClaimUnknown
	case !c.handler.Leased:
		return ClaimWithoutLease
	case c.Cell.Live:
		return ClaimRunning
	}
	return ClaimLapsed
}

// Row is what the table shows, in words: the state, and where there are any the
// token and the lease.
func (c Claim) Row() string {
	switch {
	case c.State == ClaimNoTable:
		return "this handler keeps no table"
	case c.State == ClaimDone && c.Cell.Rec != RecDone:
		return "processed"
	case c.State == ClaimUnknown && !c.handler.Leased:
		return "claimed, unknown outcome"
	case c.Cell.Rec != RecClaimed || !c.handler.Leased:
		return c.State.String()
	}
	row, lease := c.Cell.Rec.String(), "lapsed"
	if c.State == ClaimFailedForGood {
		row += ", a dead letter"
	}
	if c.Asked {
		row += ", unknown outcome"
	}
	if c.Cell.Live {
		lease = "running"
	}
	return fmt.Sprintf("%s, token %d, lease %s", row, c.Cell.Gen, lease)
}

// Next is what the next delivery of the payment's message does, as a phrase
// after "the next delivery".
func (c Claim) Next() string {
	if c.deadLetter {
		return "does not come: the message is a dead letter"
	}
	switch c.State {
	case ClaimNoTable:
		return c.charges()
	case ClaimNoRow:
		if c.handler.Program[0].Kind == OpCheck {
			return "finds nothing and " + c.charges()
		}
		return "claims it and " + c.charges()
	case ClaimFailed:
		return "claims it again and " + c.charges()
	case ClaimDone:
		if c.handler.Leased || c.handler.ID == HandlerOneTx {
			return "acknowledges, and returns the stored result"
		}
		return "acknowledges, and charges nothing"
	case ClaimInTransaction:
		return "waits until the transaction ends"
	}
	switch {
	case !c.handler.Leased:
		return "finds it claimed, acknowledges, and charges nothing"
	case !c.Cell.Live:
		return "takes over with a higher token and " + c.charges()
	}
	return c.waits()
}

// waits is what becomes of a delivery that finds the lease running.
func (c Claim) waits() string {
	switch {
	case c.broker.Direct:
		return "is told that it is in progress"
	case c.broker.Log && c.broker.RetryTopic:
		return "goes to the retry topic and comes back later"
	case c.broker.Log:
		return "waits, and its partition with it"
	}
	return "does nothing now and comes back later"
}

// charges is what a delivery that goes on to the charge does to the customer.
func (c Claim) charges() string {
	switch {
	case c.handler.Effect == EffectSet:
		return "sets the same value"
	case c.handler.Effect == EffectKey && c.Cell.Key:
		return "gets the provider's first result under the same key"
	case c.Cell.Charges == 0:
		return "charges"
	case c.Asked:
		return "charges, although the first charge may have happened"
	}
	return "charges again"
}
