package lessons

import (
	"fmt"
	"slices"

	"idemtui/sim"
)

// Parameter is something of a scenario that a viewer may change on the spot.
type Parameter uint8

// The parameters, named as the flags of `sim run`.
const (
	Workers Parameter = iota
	Duplicates
	Distance
	CopyAfter
	Charge
	Lease
	Renew
	Fail
	Crash
	Timeout
	Slow
	AckLost
	Rebalance
	ByMessage
	Guard
	Visibility
	MaxReceives
	Window
	Retention
	KeyMemory
	NewKeys
	PaymentCount
	Seed
	Log
	NodeClock
	Skew
	CommitEvery
	LateAck
	parameterCount
)

// dial is how a parameter is read, written and shown, and through which values
// it turns.
type dial struct {
	name   string
	values []int64
	field  func(*sim.Scenario) any
	show   func(int64) string
}

const (
	microsecond = int64(1_000)
	millisecond = 1_000 * microsecond
	second      = 1_000 * millisecond
	minute      = 60 * second
	hour        = 60 * minute
	day         = 24 * hour
)

var (
	fractions = []int64{0, int64(sim.One) / 100, int64(sim.One) / 50, int64(sim.One) / 20, int64(sim.One) / 10, int64(sim.One) / 5, int64(sim.One) / 2, int64(sim.One)}
	lengths   = []int64{
		100 * microsecond, 300 * microsecond, millisecond, 2 * millisecond, 3 * millisecond, 5 * millisecond, 10 * millisecond,
		20 * millisecond, 30 * millisecond, 100 * millisecond, 300 * millisecond, second, 3 * second, 10 * second, 30 * second,
		minute, 2 * minute, 5 * minute, hour, 12 * hour, day, 7 * day, 9 * day, 12 * day, 30 * day,
	}
	orNone = append([]int64{0}, lengths...)
)

var dials = [parameterCount]dial{
	Workers:      {"workers", []int64{1, 2, 3, 4, 8, 16, 32}, func(s *sim.Scenario) any { return &s.Workers }, count},
	Duplicates:   {"duplicates", fractions, func(s *sim.Scenario) any { return &s.Duplicates }, fraction},
	Distance:     {"distance", []int64{1, 2, 4, 8, 12, 16, 24, 32, 64}, func(s *sim.Scenario) any { return &s.Distance }, count},
	CopyAfter:    {"copy-after", orNone, func(s *sim.Scenario) any { return &s.CopyAfter }, length},
	Charge:       {"charge", lengths, func(s *sim.Scenario) any { return &s.Charge }, length},
	Lease:        {"lease", lengths, func(s *sim.Scenario) any { return &s.Lease }, length},
	Renew:        {"renew", orNone, func(s *sim.Scenario) any { return &s.Renew }, length},
	Fail:         {"fail", fractions, func(s *sim.Scenario) any { return &s.Fail }, fraction},
	Crash:        {"crash", fractions, func(s *sim.Scenario) any { return &s.Crash }, fraction},
	Timeout:      {"timeout", fractions, func(s *sim.Scenario) any { return &s.Timeout }, fraction},
	Slow:         {"slow", fractions, func(s *sim.Scenario) any { return &s.Slow }, fraction},
	Rebalance:    {"rebalance", fractions, func(s *sim.Scenario) any { return &s.Rebalance }, fraction},
	AckLost:      {"ack-lost", fractions, func(s *sim.Scenario) any { return &s.AckLost }, fraction},
	ByMessage:    {"by-message", []int64{0, 1}, func(s *sim.Scenario) any { return &s.ByMessage }, yesNo},
	Guard:        {"guard", []int64{0, 1}, func(s *sim.Scenario) any { return &s.Guard }, func(n int64) string { return sim.Guard(n).String() }},
	Visibility:   {"visibility", orNone, func(s *sim.Scenario) any { return &s.Visibility }, length},
	MaxReceives:  {"max-receives", []int64{0, 1, 2, 3, 5, 10}, func(s *sim.Scenario) any { return &s.MaxReceives }, count},
	Window:       {"window", orNone, func(s *sim.Scenario) any { return &s.Window }, length},
	Retention:    {"retention", orNone, func(s *sim.Scenario) any { return &s.Retention }, length},
	KeyMemory:    {"key-memory", orNone, func(s *sim.Scenario) any { return &s.KeyMemory }, length},
	NewKeys:      {"new-keys", []int64{0, 1}, func(s *sim.Scenario) any { return &s.NewKeys }, yesNo},
	PaymentCount: {"payments", []int64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000}, func(s *sim.Scenario) any { return &s.Payments }, count},
	Seed:         {"seed", nil, func(s *sim.Scenario) any { return &s.Seed }, count},
	Log:          {"log", []int64{0, 1}, func(s *sim.Scenario) any { return &s.Log }, yesNo},
	NodeClock:    {"node-clock", []int64{0, 1}, func(s *sim.Scenario) any { return &s.NodeClock }, yesNo},
	CommitEvery:  {"commit-every", []int64{0, 1, 2, 5, 10}, func(s *sim.Scenario) any { return &s.CommitEvery }, count},
	Skew:         {"skew", orNone, func(s *sim.Scenario) any { return &s.Skew }, length},
	LateAck:      {"late-ack", []int64{0, 1}, func(s *sim.Scenario) any { return &s.LateAckIgnored }, honouredOrIgnored},
}

func honouredOrIgnored(n int64) string {
	if n == 0 {
		return "honoured"
	}
	return "ignored"
}

func yesNo(n int64) string {
	if n == 0 {
		return "no"
	}
	return "yes"
}

func fraction(parts int64) string { return sim.Fraction(parts).String() }

// String is the parameter's flag, without dashes.
func (p Parameter) String() string {
	if p >= parameterCount {
		return ""
	}
	return dials[p].name
}

// abouts say what the parameters mean, in few words.
var abouts = [parameterCount]string{
	Workers:      "workers take messages at the same time",
	Duplicates:   "of the payments are delivered twice",
	Distance:     "places the copy stands behind its original",
	CopyAfter:    "after its original the copy comes",
	Charge:       "a charge takes, from call to answer",
	Lease:        "a claim is held without being renewed",
	Renew:        "passes until a worker renews its claim; 0: never",
	Fail:         "of the first charges are refused",
	Crash:        "of the first deliveries meet a crash",
	Timeout:      "of the first charges work, and the answer is lost",
	Slow:         "of the first deliveries pause past their lease",
	Rebalance:    "of the payments meet a rebalance",
	AckLost:      "of the first acks are lost",
	ByMessage:    "remember message ids, not payment ids",
	Guard:        "is what a completion is guarded by",
	Visibility:   "is the broker's patience before it delivers again",
	MaxReceives:  "deliveries until a message is a dead letter; 0: never",
	Window:       "the broker refuses an id that it has accepted",
	Retention:    "finished rows are remembered; 0: for ever",
	KeyMemory:    "the provider remembers a key; 0: for ever",
	NewKeys:      "make a new key for each try",
	PaymentCount: "payments come, each to be charged once",
	Seed:         "is what every random choice is drawn from",
	Log:          "the broker is a log, not a queue",
	NodeClock:    "each worker judges leases by its own clock",
	CommitEvery:  "messages of a log between two commits; 0: 10",
	Skew:         "is how far every second worker's clock is ahead",
	LateAck:      "are acks that come after the broker's patience",
}

// About is what the parameter means, to stand behind its value.
func (p Parameter) About() string {
	if p >= parameterCount {
		return ""
	}
	return abouts[p]
}

// Value is the parameter in the scenario, as its flag would spell it.
func (p Parameter) Value(s sim.Scenario) string { return dials[p].show(p.get(&s)) }

// Turn moves the parameter to its next value up (by > 0) or down. At the end of
// its values, or where the scenario would not be valid, nothing changes and ok
// is false.
func (p Parameter) Turn(s sim.Scenario, by int) (changed sim.Scenario, ok bool) {
	now, values := p.get(&s), p.values(s)
	i, found := slices.BinarySearch(values, now)
	switch {
	case by > 0 && found:
		i++
	case by < 0:
		i--
	}
	if i < 0 || i >= len(values) {
		return s, false
	}
	changed = s
	p.set(&changed, values[i])
	if changed.Validate() != nil {
		return s, false
	}
	return changed, true
}

// values are the parameter's values; a fraction of one payment is all or none,
// and a seed goes on by one.
func (p Parameter) values(s sim.Scenario) []int64 {
	if p == Seed {
		now := int64(s.Seed)
		return slices.Compact([]int64{max(now-1, 0), now, min(now+1, int64(sim.MaxSeed))})
	}
	values := dials[p].values
	if _, isFraction := dials[p].field(&s).(*sim.Fraction); isFraction && s.Payments == 1 {
		return []int64{values[0], values[len(values)-1]}
	}
	return values
}

func (p Parameter) get(s *sim.Scenario) int64 {
	switch field := dials[p].field(s).(type) {
	case *int:
		return int64(*field)
	case *sim.Fraction:
		return int64(*field)
	case *sim.Guard:
		return int64(*field)
	case *bool:
		if *field {
			return 1
		}
		return 0
	case *int64:
		return *field
	case *uint64:
		return int64(*field)
	default:
		panic(fmt.Sprintf("parameter %s has a field of type %T", dials[p].name, field))
	}
}

func (p Parameter) set(s *sim.Scenario, value int64) {
	switch field := dials[p].field(s).(type) {
	case *int:
		*field = int(value)
	case *sim.Fraction:
		*field = sim.Fraction(value)
	case *sim.Guard:
		*field = sim.Guard(value)
	case *bool:
		*field = value != 0
	case *int64:
		*field = value
	case *uint64:
		*field = uint64(value)
	}
}
