// Package inspect is the domain of a claim table: what a claim is, whether it
// is stuck, whether its worker lives, and what a release may do. It knows no
// SQL, opens nothing and reads no clock: every instant comes from the database.
package inspect

// State is what a claim's row says, in the words of the model. A table's own
// words are mapped to these.
type State string

// The states of a claim.
const (
	StateFree       State = "free"
	StateProcessing State = "processing"
	StateDone       State = "done"
	StateFailed     State = "failed"
	// StateUnmapped is a stored state that the mapping does not name. It is
	// neither hidden nor counted as done.
	StateUnmapped State = "unmapped"
)

// Condition says how a PROCESSING claim stands by the database's clock.
type Condition string

// The conditions of a claimed row. Other rows have none ("").
const (
	ConditionNone        Condition = ""
	ConditionHeld        Condition = "held"
	ConditionStuck       Condition = "stuck"
	ConditionNoLease     Condition = "no-lease"
	ConditionInvalidTime Condition = "invalid-time"
	ConditionFuture      Condition = "future"
)

// Verdict is what the evidence says about the worker of a PROCESSING claim.
type Verdict string

// The verdicts. Rows that are not PROCESSING have none ("").
const (
	VerdictNone       Verdict = ""
	VerdictAlive      Verdict = "alive"
	VerdictLikelyDead Verdict = "likely-dead"
	VerdictCannotTell Verdict = "cannot-tell"
)

// Rung names one kind of evidence, strongest first.
type Rung string

// The rungs of the ladder of evidence.
const (
	RungRowLock      Rung = "row-lock"
	RungAdvisoryLock Rung = "advisory-lock"
	RungRenewed      Rung = "renewed"
	RungHeartbeat    Rung = "heartbeat"
	RungSession      Rung = "session"
	RungLease        Rung = "lease"
	RungAge          Rung = "age"
)

// For says which way a piece of evidence points.
type For string

// The directions of evidence.
const (
	ForAlive   For = "alive"
	ForDead    For = "dead"
	ForNeither For = "neither"
)

// Evidence is one rung: the fact in words and the query with which an
// engineer can check it by hand.
type Evidence struct {
	Rung  Rung
	For   For
	Text  string
	Query string
}

// Kind is the shape of a claim table, K1 to K8.
type Kind string

// The eight shapes of claim tables.
const (
	KindStateLease       Kind = "K1" // state and an absolute lease
	KindStateAge         Kind = "K2" // state and the time of the claim
	KindLockedAt         Kind = "K3" // a nullable locked-at, no state word
	KindHeartbeat        Kind = "K4" // owner and heartbeat
	KindPlaceholder      Kind = "K5" // placeholder row with a row lock
	KindInsertOnly       Kind = "K6" // inserted in the transaction of the work
	KindInsertOnlyCommit Kind = "K7" // inserted and committed before the work
	KindLockRow          Kind = "K8" // a lock with an expiry
)

// Mode says whether this session may write.
type Mode string

// The modes of a session.
const (
	ModeReadOnly  Mode = "read-only"
	ModeArmed     Mode = "armed"
	ModeForbidden Mode = "forbidden"
)

// Null is a value that a row may not have.
type Null[T comparable] struct {
	V  T
	OK bool
}

// Some makes a present value.
func Some[T comparable](v T) Null[T] { return Null[T]{V: v, OK: true} }

// Or returns the value, or other when there is none.
func (n Null[T]) Or(other T) T {
	if n.OK {
		return n.V
	}
	return other
}
