package sim

// HandlerID numbers the handlers in the order in which commands and screens list them.
type HandlerID uint8

// The handlers.
const (
	HandlerNone      HandlerID = iota // no deduplication
	HandlerCheck                      // check, charge, then remember
	HandlerClaim                      // claim first, atomically
	HandlerRelease                    // claim, charge, release on failure
	HandlerLease                      // claim with state and lease
	HandlerFence                      // the same with a fencing token
	HandlerKey                        // lease, with the provider's idempotency key
	HandlerKeyOnly                    // the provider's idempotency key and no table
	HandlerNatural                    // an effect that is idempotent by itself
	HandlerIncrement                  // an effect that is not
	HandlerOneTx                      // one transaction for claim and database work
	idCount
)

// OpKind is what a step of a handler's program does.
type OpKind uint8

// The kinds of step.
const (
	OpNone         OpKind = iota
	OpCheck               // read whether the payment was processed
	OpCharge              // call the provider
	OpRemember            // write that the payment was processed
	OpClaim               // insert the claim row; only one can win
	OpRelease             // delete the claim row
	OpLeaseClaim          // claim a row with state and lease; takes over a lapsed claim
	OpComplete            // mark the claim DONE, guarded by its token
	OpMarkFailed          // mark the claim FAILED, guarded by its token
	OpOpenAndClaim        // open a transaction and insert the row in it
	OpCommit              // commit that transaction
	OpRollback            // roll it back
	OpAck                 // acknowledge the delivery
	opCount
)

var opNames = [opCount]string{
	"", "check", "charge", "remember", "claim", "release", "claim", "complete", "mark failed", "claim", "commit", "rollback", "ack",
}

// String is the word that a screen uses for the step.
func (k OpKind) String() string {
	if k >= opCount {
		return ""
	}
	return opNames[k]
}

// Op is one step of a program.
type Op struct {
	Kind   OpKind
	Code   string // its line of pseudo-code
	Next   uint8  // program counter after success
	Refuse uint8  // after the row said no: seen, lost or done
	Bad    uint8  // after the provider refused, or its answer was lost
}

// Effect is what a charge does to the provider's ledger.
type Effect uint8

// The effects.
const (
	EffectCount Effect = iota // every call charges
	EffectKey                 // only the first call with the key charges
	EffectSet                 // the call sets the ledger to one charge
	EffectFence               // a token lower than the highest seen is refused
)

// ProgramSize is the number of program counters, End included.
const ProgramSize = 8

// Handler is a strategy under study, as data. Handlers are made once and never
// change; share them by pointer.
type Handler struct {
	ID      HandlerID
	Name    string // as the command line spells it
	Title   string // as a screen heads it
	Program [ProgramSize]Op
	Steps   int // the program's length: counters 0..Steps-1 are used
	Effect  Effect
	Leased  bool // its claims carry a lease
	Guard   Guard
}

// Handler returns the handler with this number.
func (id HandlerID) Handler() *Handler { return &handlers[id] }

// String is the handler's name on the command line.
func (id HandlerID) String() string {
	if id >= idCount {
		return ""
	}
	return handlers[id].Name
}

// variants are the handlers of the lease family with a guard by name, and those
// that send a new key with every try, made once like the handlers themselves.
var byName, newKeys, newKeysByName = vary(GuardName, false), vary(GuardToken, true), vary(GuardName, true)

func vary(guard Guard, fresh bool) (all [idCount]Handler) {
	for i, h := range handlers {
		if h.Leased && guard == GuardName {
			h.Guard = GuardName
			h.Program[2].Code = "set DONE if owner = me"
			h.Program[4].Code = "on error: set FAILED if owner = me; retry"
		}
		if h.Effect == EffectKey && fresh {
			h.Effect = EffectCount
			for pc := range h.Program {
				if h.Program[pc].Kind == OpCharge {
					h.Program[pc].Code = "charge(id, key = random())"
				}
			}
		}
		all[i] = h
	}
	return all
}

// handler is the scenario's handler with its guard and its keys.
func (s *Scenario) handler() *Handler {
	switch {
	case s.Guard == GuardName && s.NewKeys:
		return &newKeysByName[s.Handler]
	case s.Guard == GuardName:
		return &byName[s.Handler]
	case s.NewKeys:
		return &newKeys[s.Handler]
	}
	return s.Handler.Handler()
}

// Handlers lists every handler in the order of the command line.
func Handlers() []*Handler {
	all := make([]*Handler, idCount)
	for i := range handlers {
		all[i] = &handlers[i]
	}
	return all
}

// ByName finds a handler by its name on the command line.
func ByName(name string) (*Handler, bool) {
	for i := range handlers {
		if handlers[i].Name == name {
			return &handlers[i], true
		}
	}
	return nil, false
}
