package sim

// Rec is the state of a payment's claim row.
type Rec uint8

// The states a claim row can be in. Held is a row inserted by a transaction
// that has not committed: others wait for it instead of reading it.
const (
	RecAbsent Rec = iota
	RecClaimed
	RecDone
	RecFailed
	RecHeld
)

var recNames = [...]string{"no row", "PROCESSING", "DONE", "FAILED", "HELD"}

// String is the state as a screen shows it.
func (r Rec) String() string {
	if int(r) >= len(recNames) {
		return ""
	}
	return recNames[r]
}

// Cell is everything that the deliveries of one payment share: the row in the
// dedup table, and what the provider knows. Steps are the only thing that
// changes it. It has no pointers, so a copy is a snapshot.
type Cell struct {
	Seen    bool   // the check handler's "processed" row exists
	Rec     Rec    // the claim row's state
	Live    bool   // the claim's lease has not lapsed
	Key     bool   // the provider has seen this payment's idempotency key
	Gen     uint32 // the claim's current fencing token; grows with every claim
	MaxTok  uint32 // the highest token that the provider has accepted
	Charges uint32 // the provider's ledger: how often the customer was charged
}

// Delivery is what one delivery knows: where it is in its handler's program,
// and the fencing token of the claim it made (0: none).
type Delivery struct {
	PC  uint8
	Tok uint32
}

// End is the program counter of a delivery that has been acknowledged. It fits
// three bits, as every program counter does.
const End uint8 = 7

// Outcome is what the world decides about a call to the provider. Every other
// step ignores it.
type Outcome uint8

// The outcomes of a charge: it worked; the provider refused; it worked and the
// answer was lost.
const (
	OK Outcome = iota
	Fail
	Timeout
)

var outcomeNames = [...]string{"ok", "fail", "timeout"}

// String names the outcome.
func (o Outcome) String() string {
	if int(o) >= len(outcomeNames) {
		return ""
	}
	return outcomeNames[o]
}
