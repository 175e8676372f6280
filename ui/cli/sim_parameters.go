package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"idemtui/sim"
)

// parameter is something of a scenario that a flag sets.
type parameter struct {
	name string
	add  func(*pflag.FlagSet, *sim.Scenario)
	take func(to, from *sim.Scenario) // copies the parameter
}

// makeParameter makes a parameter from where its value is and the flag that
// reads it.
func makeParameter[V any](name, usage string, at func(*sim.Scenario) *V, flag func(*V) pflag.Value) parameter {
	return parameter{
		name: name,
		add:  func(flags *pflag.FlagSet, s *sim.Scenario) { flags.Var(flag(at(s)), name, usage) },
		take: func(to, from *sim.Scenario) { *at(to) = *at(from) },
	}
}

func wholeParameter[N int | int64 | uint64](name, usage string, low, high N, at func(*sim.Scenario) *N) parameter {
	return makeParameter(name, usage, at, func(value *N) pflag.Value { return wholeFlag(value, low, high) })
}

func fractionParameter(name, usage string, at func(*sim.Scenario) *sim.Fraction) parameter {
	return makeParameter(name, usage, at, func(value *sim.Fraction) pflag.Value { return fractionFlag{value} })
}

func timeParameter(name, usage string, at func(*sim.Scenario) *int64) parameter {
	return makeParameter(name, usage, at, func(value *int64) pflag.Value { return nanosFlag{value} })
}

func choiceParameter(name, usage string, words [2]string, at func(*sim.Scenario) *bool) parameter {
	return makeParameter(name, usage, at, func(value *bool) pflag.Value { return choiceFlag{value, words} })
}

func switchParameter(name, usage string, at func(*sim.Scenario) *bool) parameter {
	p := choiceParameter(name, usage, [2]string{}, at)
	p.add = func(flags *pflag.FlagSet, s *sim.Scenario) { flags.BoolVar(at(s), name, *at(s), usage) }
	return p
}

// workloadParameters are the messages and what goes wrong with them, in the order
// in which help lists them.
var workloadParameters = []parameter{
	wholeParameter("payments", "how many payments", 1, sim.MaxPayments, func(s *sim.Scenario) *int64 { return &s.Payments }),
	wholeParameter("workers", "how many workers", 1, sim.MaxWorkers, func(s *sim.Scenario) *int { return &s.Workers }),
	fractionParameter("duplicates", "fraction of the payments that are delivered twice", func(s *sim.Scenario) *sim.Fraction { return &s.Duplicates }),
	wholeParameter("distance", "how many places the copy stands behind its original", 1, sim.MaxDistance, func(s *sim.Scenario) *int64 { return &s.Distance }),
	timeParameter("copy-after", "instead of --distance: how long after its original the copy comes, 1ns to 366d", func(s *sim.Scenario) *int64 { return &s.CopyAfter }),
	fractionParameter("fail", "fraction of the payments whose first charge the provider refuses", func(s *sim.Scenario) *sim.Fraction { return &s.Fail }),
	fractionParameter("crash", "fraction of the payments whose worker crashes in the first delivery", func(s *sim.Scenario) *sim.Fraction { return &s.Crash }),
	fractionParameter("timeout", "fraction of the payments whose first charge works and whose answer is lost", func(s *sim.Scenario) *sim.Fraction { return &s.Timeout }),
	fractionParameter("slow", "fraction of the payments whose worker pauses, in the first delivery, for longer than a lease", func(s *sim.Scenario) *sim.Fraction { return &s.Slow }),
	fractionParameter("ack-lost", "fraction of the payments whose first ack does not arrive (a queue)", func(s *sim.Scenario) *sim.Fraction { return &s.AckLost }),
	fractionParameter("rebalance", "fraction of the payments in whose first delivery the partition changes hands (a log)", func(s *sim.Scenario) *sim.Fraction { return &s.Rebalance }),
}

// workerParameters are what a worker does with a message.
var workerParameters = []parameter{
	timeParameter("charge", "how long a charge takes, as a median, 1us to 366d", func(s *sim.Scenario) *int64 { return &s.Charge }),
	timeParameter("lease", "how long a claim is held without being renewed, 1us to 366d", func(s *sim.Scenario) *int64 { return &s.Lease }),
	timeParameter("renew", "how often a worker renews its claim, to 366d (default never)", func(s *sim.Scenario) *int64 { return &s.Renew }),
	makeParameter("guard", "what completes a claim is guarded by: token or name", func(s *sim.Scenario) *sim.Guard { return &s.Guard }, func(g *sim.Guard) pflag.Value { return guardFlag{g} }),
	wholeParameter("seed", "the seed of every random choice", 0, sim.MaxSeed, func(s *sim.Scenario) *uint64 { return &s.Seed }),
}

// worldParameters are the broker, the table and the provider.
var worldParameters = []parameter{
	choiceParameter("broker", "broker: queue (each message settled alone) or log (an offset is committed)", [2]string{"queue", "log"}, func(s *sim.Scenario) *bool { return &s.Log }),
	timeParameter("visibility", "broker: how long it waits for an ack, to 366d (default the lease, and at least ten charges)", func(s *sim.Scenario) *int64 { return &s.Visibility }),
	wholeParameter("max-receives", "broker: deliveries before a message is a dead letter, 0 to 1000; 0: any number", 0, sim.MaxReceives, func(s *sim.Scenario) *int64 { return &s.MaxReceives }),
	choiceParameter("late-ack", "broker: an ack that comes after its patience is honoured, or ignored (then a message is put aside after 20 of them)", [2]string{"honoured", "ignored"}, func(s *sim.Scenario) *bool { return &s.LateAckIgnored }),
	switchParameter("no-nack", "broker: a worker can give nothing back; it comes again when the broker has waited long enough", func(s *sim.Scenario) *bool { return &s.NoNack }),
	timeParameter("window", "broker: how long it refuses a message id that it has accepted, to 366d (default not at all)", func(s *sim.Scenario) *int64 { return &s.Window }),
	wholeParameter("commit-every", "log: messages between two commits of the offset, 0 to 1000; 0: 10", 0, sim.MaxReceives, func(s *sim.Scenario) *int64 { return &s.CommitEvery }),
	switchParameter("retry-topic", "log: what must come back goes to a retry topic instead of blocking its partition", func(s *sim.Scenario) *bool { return &s.RetryTopic }),
	switchParameter("direct", "no broker: the senders call the workers, and nothing brings a message back", func(s *sim.Scenario) *bool { return &s.Direct }),
	timeParameter("retention", "table: how long it remembers, to 366d (default forever)", func(s *sim.Scenario) *int64 { return &s.Retention }),
	switchParameter("by-message", "table: it goes by message id, and the copy has one of its own (a producer's retry)", func(s *sim.Scenario) *bool { return &s.ByMessage }),
	switchParameter("node-clock", "table: leases are judged by the workers' clocks, not by the database's", func(s *sim.Scenario) *bool { return &s.NodeClock }),
	timeParameter("skew", "table: how far the clock of every second worker is ahead, to 366d (with --node-clock)", func(s *sim.Scenario) *int64 { return &s.Skew }),
	timeParameter("key-memory", "provider: how long it remembers an idempotency key, to 366d (default forever)", func(s *sim.Scenario) *int64 { return &s.KeyMemory }),
	switchParameter("new-keys", "provider: each try sends a new key", func(s *sim.Scenario) *bool { return &s.NewKeys }),
	switchParameter("exact", "every latency is its nominal value, and table and ack take no time", func(s *sim.Scenario) *bool { return &s.Exact }),
}

// scenarioParameters are all of them.
func scenarioParameters() []parameter {
	return slices.Concat(workloadParameters, workerParameters, worldParameters)
}

// senseless finds a flag that was given and that nothing in the scenario can make
// use of, and says what it needs.
func senseless(s *sim.Scenario, given func(name string) bool) (name, need string, found bool) {
	for _, c := range []struct {
		name  string
		holds bool
		need  string
	}{
		{"distance", s.CopyAfter > 0 && given("copy-after"), "it must be left out beside --copy-after: a copy comes by place or by time"},
		{"copy-after", s.Duplicates == 0, "it needs --duplicates above 0: there is no copy"},
		{"by-message", s.ByMessage && s.Duplicates == 0, "it needs --duplicates above 0: only a copy has a message id of its own"},
		{"commit-every", s.CommitEvery > 0 && !s.Log, "it needs --broker log: a queue has no offset"},
		{"retry-topic", s.RetryTopic && !s.Log, "it needs --broker log: a queue puts each message back by itself"},
		{"late-ack", s.LateAckIgnored && s.Log, "it must be honoured with --broker log: a log never counts what comes after its partition went elsewhere"},
		{"late-ack", s.LateAckIgnored && s.Direct, "it must be honoured with --direct: there is no broker"},
		{"visibility", s.Visibility > 0 && s.Direct, "it must be 0 with --direct: no broker waits"},
		{"max-receives", s.MaxReceives > 0 && s.Direct, "it must be 0 with --direct: no broker counts"},
		{"no-nack", s.NoNack && s.Direct, "it must be off with --direct: there is no broker"},
		{"skew", s.Skew > 0 && !s.NodeClock, "it needs --node-clock: the database's clock judges every lease otherwise"},
		{"key-memory", s.KeyMemory > 0 && s.NewKeys, "it must be 0 with --new-keys: no key comes twice"},
	} {
		if c.holds && given(c.name) {
			return c.name, c.need, true
		}
	}
	return "", "", false
}

// nanosFlag is a flag that takes a duration into a scenario, which counts in
// nanoseconds.
type nanosFlag struct{ value *int64 }

func (n nanosFlag) Set(text string) error {
	var d time.Duration
	if err := (durationFlag{&d}).Set(text); err != nil {
		return err
	}
	*n.value = int64(d)
	return nil
}

func (n nanosFlag) String() string {
	if n.value == nil {
		return ""
	}
	d := time.Duration(*n.value)
	return durationFlag{&d}.String()
}

// Type is the word that help shows for the value.
func (n nanosFlag) Type() string { return "duration" }

// choiceFlag is a flag that takes one of two words.
type choiceFlag struct {
	value *bool
	words [2]string // off, on
}

func (c choiceFlag) Set(text string) error {
	i := slices.Index(c.words[:], text)
	if i < 0 {
		return fmt.Errorf("it is %s or %s", c.words[0], c.words[1])
	}
	*c.value = i == 1
	return nil
}

func (c choiceFlag) String() string {
	switch {
	case c.value == nil:
		return ""
	case *c.value:
		return c.words[1]
	}
	return c.words[0]
}

// Type is the word that help shows for the value.
func (c choiceFlag) Type() string { return c.words[0] + "|" + c.words[1] }
