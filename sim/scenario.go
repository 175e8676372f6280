package sim

import (
	"fmt"
	"strconv"
)

// Durations in nanoseconds.
const (
	microsecond = int64(1_000)
	millisecond = 1_000 * microsecond
	second      = 1_000 * millisecond
)

// The limits of a scenario. A seed must survive JSON readers that keep numbers
// as doubles, hence 2^53-1.
const (
	MaxSeed          = uint64(1)<<53 - 1
	MaxPayments      = int64(1_000_000_000)
	MaxTracePayments = int64(100_000)
	MaxWorkers       = 64
	MaxDistance      = int64(1_000_000)
	MaxReceives      = int64(1000)
	MaxTime          = 366 * 24 * 3600 * second // a year
)

// maxRenewals is how often a claim can be renewed during one charge.
const maxRenewals = 10_000

// Guard is what a handler with a lease compares before it completes, fails or
// renews a claim.
type Guard uint8

// The guards: the fencing token, which is right, and the owner's name, which
// is not when a successor has the same one.
const (
	GuardToken Guard = iota
	GuardName
)

// Scenario is everything that a run depends on. It is a value: the same
// scenario gives the same trace on every machine. Times are nanoseconds.
type Scenario struct {
	Handler  HandlerID
	Seed     uint64
	Payments int64
	Workers  int

	Duplicates Fraction // of the payments, delivered twice
	Distance   int64    // the copy stands so many places behind its original
	CopyAfter  int64    // where set: instead, the copy comes so long after the original was delivered

	Fail      Fraction // of the payments: the provider refuses the first charge
	Crash     Fraction // the worker crashes in the first delivery
	Timeout   Fraction // the first charge works, and its answer is lost
	Slow      Fraction // the worker pauses in the first delivery, for longer than a lease
	AckLost   Fraction // the ack of the first delivery does not arrive
	Rebalance Fraction // the log's partition changes hands in the middle of the first delivery

	Charge int64 // the median time of a charge
	Lease  int64 // how long a claim is held without renewal
	Renew  int64 // how often a worker renews its claim; 0: never
	Guard  Guard

	NodeClock bool  // leases are judged by each worker's own clock, not by the database's
	Skew      int64 // how far the clock of every second worker (w2, w4 and so on) is ahead

	Exact       bool  // every latency is its nominal value: pick-up, table and ack take no time
	NoNack      bool  // a worker can only leave a message unacknowledged: it comes back when the broker's patience ends
	Direct      bool  // the senders call the worker and no broker brings anything back
	Visibility  int64 // the broker's patience for an ack; 0: as long as a lease, and at least ten charges
	MaxReceives int64 // deliveries of a message before it becomes a dead letter; 0: any number, while acks come in time
	Window      int64 // the broker refuses a message id that it accepted less than so long ago; 0: it accepts all
	Retention   int64 // how long the table remembers; 0: forever
	KeyMemory   int64 // how long the provider remembers a key; 0: forever
	NewKeys     bool  // every try sends a new idempotency key
	Log         bool  // the broker is a log with a partition for each worker, not a queue
	CommitEvery int64 // of a log: messages between two commits of the offset; 0: 10
	RetryTopic  bool  // of a log: what must come back goes to a retry topic; otherwise it blocks its partition
	ByMessage   bool  // the copy is a producer's retry with a new message id, and table and provider go by that id

	// LateAckIgnored is what a queue does with the ack of a delivery whose message
	// it has brought back meanwhile: nothing, as where a receipt has expired or a
	// channel was closed. Otherwise any ack counts, however late. A log never
	// counts what is acked after the partition went to another worker.
	LateAckIgnored bool
}

// DefaultScenario is the workload of the second lesson: 2,000 payments, 8
// workers, and one payment in 20 delivered again while it is in process.
func DefaultScenario() Scenario {
	return Scenario{
		Handler: HandlerCheck, Seed: 1, Payments: 2000, Workers: 8,
		Duplicates: One / 20, Distance: 1, Charge: millisecond, Lease: 30 * second,
	}
}

// DemoScenario is one payment and its copy, with two workers: the smallest run
// in which a handler shows what it is worth.
func DemoScenario(handler HandlerID) Scenario {
	s := DefaultScenario()
	s.Handler = handler
	return DemoOf(s)
}

// DemoOf is one payment and its copy with the scenario's handler, seed, times
// and guard. The copy comes while the first charge runs.
func DemoOf(s Scenario) Scenario {
	d := DefaultScenario()
	d.Payments, d.Workers, d.Duplicates = 1, 2, One
	d.Handler, d.Seed, d.Charge, d.Lease, d.Renew, d.Guard = s.Handler, s.Seed, s.Charge, s.Lease, s.Renew, s.Guard
	d.CopyAfter = max(s.Charge*3/10, 1)
	return d
}

// RangeError is a parameter outside its range. Name is the parameter as the
// command line spells it, without dashes.
type RangeError struct{ Name, Got, Allowed string }

func (e *RangeError) Error() string {
	return fmt.Sprintf("%s is %s; it must be %s", e.Name, e.Got, e.Allowed)
}

// Validate returns a *RangeError for the first parameter that is out of range.
func (s Scenario) Validate() error {
	integers := []struct {
		name      string
		got       int64
		low, high int64
	}{
		{"payments", s.Payments, 1, MaxPayments},
		{"workers", int64(s.Workers), 1, MaxWorkers},
		{"distance", s.Distance, 1, MaxDistance},
		{"max-receives", s.MaxReceives, 0, MaxReceives},
		{"commit-every", s.CommitEvery, 0, MaxReceives},
	}
	for _, p := range integers {
		if p.got < p.low || p.got > p.high {
			return &RangeError{p.name, strconv.FormatInt(p.got, 10), fmt.Sprintf("%d to %d", p.low, p.high)}
		}
	}
	fractions := []struct {
		name string
		got  Fraction
	}{
		{"duplicates", s.Duplicates},
		{"fail", s.Fail},
		{"crash", s.Crash},
		{"timeout", s.Timeout},
		{"slow", s.Slow},
		{"ack-lost", s.AckLost},
		{"rebalance", s.Rebalance},
	}
	for _, p := range fractions {
		if p.got < 0 || p.got > One {
			return &RangeError{p.name, p.got.String(), "a fraction of the payments, 0 to 1"}
		}
	}
	times := []struct {
		name string
		got  int64
		low  int64
		need string
	}{
		{"charge", s.Charge, microsecond, "1us to 366d"},
		{"lease", s.Lease, microsecond, "1us to 366d"},
		{"renew", s.Renew, 0, "0s (never) to 366d"},
		{"copy-after", s.CopyAfter, 0, "0s (by distance) to 366d"},
		{"visibility", s.Visibility, 0, "0s (as the lease) to 366d"},
		{"skew", s.Skew, 0, "0s to 366d"},
		{"window", s.Window, 0, "0s (none) to 366d"},
		{"retention", s.Retention, 0, "0s (forever) to 366d"},
		{"key-memory", s.KeyMemory, 0, "0s (forever) to 366d"},
	}
	for _, p := range times {
		if p.got < p.low || p.got > MaxTime {
			return &RangeError{p.name, formatNanos(p.got), p.need}
		}
	}
	switch {
	case s.Charge > MaxTime/s.Payments/s.mostTries():
		return s.endlessError()
	case s.Log && s.Direct:
		return &RangeError{"direct", "on", "off with a log: callers have no log"}
	case s.Log && s.AckLost > 0:
		return &RangeError{"ack-lost", s.AckLost.String(), "0 with a log: the next commit makes up for a lost one"}
	case !s.Log && s.Rebalance > 0:
		return &RangeError{"rebalance", s.Rebalance.String(), "0 with a queue: only a log has partitions"}
	case s.Renew > 0 && s.Charge/s.Renew > maxRenewals:
		return &RangeError{"renew", formatNanos(s.Renew), fmt.Sprintf("0s (never) or at least %s, a %dth of the charge", formatNanos(s.Charge/maxRenewals), maxRenewals)}
	case s.Seed > MaxSeed:
		return &RangeError{"seed", strconv.FormatUint(s.Seed, 10), fmt.Sprintf("0 to %d", MaxSeed)}
	case s.Handler >= idCount:
		return &RangeError{"handler", strconv.Itoa(int(s.Handler)), "one of the known handlers"}
	case s.Guard > GuardName:
		return &RangeError{"guard", strconv.Itoa(int(s.Guard)), "token or name"}
	}
	if err := s.impatient(); err != nil {
		return err
	}
	return s.validateWaits()
}

// longestRun is the most virtual time that waits may add up to: far less than
// 64 bits of nanoseconds hold.
const longestRun = 100 * MaxTime

// validateWaits refuses scenarios whose pauses and crashes, one after the other,
// would outlast the clock.
func (s Scenario) validateWaits() error {
	waits := s.Slow.of(s.Payments) + s.Crash.of(s.Payments) + s.AckLost.of(s.Payments)
	patience := s.timings().visibility
	if waits == 0 || patience <= longestRun/2/waits {
		return nil
	}
	name := "lease"
	switch {
	case s.Visibility > 0:
		name = "visibility"
	case s.Lease < patience:
		name = "charge"
	}
	most := longestRun / 2 / waits
	if name == "charge" {
		most /= 10
	}
	got := map[string]int64{"lease": s.Lease, "visibility": s.Visibility, "charge": s.Charge}[name]
	return &RangeError{name, formatNanos(got), fmt.Sprintf("at most %s with %s", formatLimit(most), plural(waits, "pause, crash or lost ack", "pauses, crashes and lost acks"))}
}

// String is the guard as the command line spells it.
func (g Guard) String() string {
	if g == GuardName {
		return "name"
	}
	return "token"
}

// ParseGuard reads a guard.
func ParseGuard(text string) (Guard, error) {
	switch text {
	case "token":
		return GuardToken, nil
	case "name":
		return GuardName, nil
	}
	return 0, fmt.Errorf("bad guard %s: it is token or name", quoteShort(text))
}
