package explore

import (
	"errors"
	"fmt"

	"idemtui/sim"
)

// MaxDeliveries is the largest number of deliveries that is explored.
const MaxDeliveries = 4

// MaxBudget is the most faults of one kind. It keeps the counters of a state
// within 32 bits.
const MaxBudget = 1 << 28

// DefaultMaxMemory is the memory that a search may use unless told otherwise.
const DefaultMaxMemory = 2 << 30

// Budgets says how many faults of each kind may happen in one interleaving.
type Budgets struct {
	Fail    int `json:"fail"`    // charges that the provider refuses
	Timeout int `json:"timeout"` // charges that happen and whose answer is lost
	Crash   int `json:"crash"`   // crashes of a worker, with redelivery
	Slow    int `json:"slow"`    // leases that lapse while their worker lives
	Forget  int `json:"forget"`  // times that the table forgets the payment
}

// list gives the budgets in the order of a state.
func (b Budgets) list() [budgetCount]int {
	return [budgetCount]int{b.Fail, b.Timeout, b.Crash, b.Slow, b.Forget}
}

// sum is the number of all faults.
func (b Budgets) sum() int { return b.Fail + b.Timeout + b.Crash + b.Slow + b.Forget }

// budgetNames are the budgets as the command line spells them.
var budgetNames = [budgetCount]string{"fail", "timeout", "crash", "slow", "forget"}

// Config says what to explore.
type Config struct {
	Handler    *sim.Handler
	Deliveries int
	Budgets    Budgets

	// Symmetry explores states up to the order of the deliveries. It finds
	// the same verdicts, states and shortest counterexamples in less time and
	// memory, and does not count interleavings.
	Symmetry bool
	// VerdictOnly leaves out the second pass, which counts interleavings.
	VerdictOnly bool
	// Workers is the number of goroutines of the search; 0 means 1. It changes
	// nothing but the time, and the memory by BytesPerWorker for each.
	Workers int
	// MaxMemory bounds the search's own memory in bytes; 0 means
	// DefaultMaxMemory. At the bound the search stops with what it has.
	MaxMemory int64
	// Progress, if set, is called now and then from the goroutine of Run.
	Progress func(Progress)
}

// Progress is how far a search is.
type Progress struct {
	Counting bool // the second pass
	States   int  // found so far
	Expanded int  // of them, those whose successors are known; while counting: counted so far
	Depth    int
}

// Validate refuses what cannot be explored, before any search: the error is one
// line for the person who asked.
func (c Config) Validate() error {
	if err := c.validate(); err != nil {
		return err
	}
	_, err := newCodec(c)
	return err
}

// validate checks each value alone.
func (c Config) validate() error {
	switch {
	case c.Handler == nil:
		return errors.New("no handler is given")
	case c.Deliveries > MaxDeliveries:
		return fmt.Errorf("%d deliveries are too many: the explorer takes 1 to %d, because the states multiply with each", c.Deliveries, MaxDeliveries)
	case c.Deliveries < 1:
		return fmt.Errorf("%d deliveries: the explorer takes 1 to %d", c.Deliveries, MaxDeliveries)
	case c.MaxMemory < 0:
		return errors.New("the memory limit is negative")
	}
	for i, n := range c.Budgets.list() {
		if n < 0 {
			return fmt.Errorf("the budget %s is %d: it is 0 or more", budgetNames[i], n)
		}
		if n > MaxBudget {
			return fmt.Errorf("the budget %s is %d: it is at most %d", budgetNames[i], n, MaxBudget)
		}
	}
	return nil
}

// maxMemory is the limit that applies.
func (c Config) maxMemory() int64 {
	if c.MaxMemory == 0 {
		return DefaultMaxMemory
	}
	return c.MaxMemory
}
