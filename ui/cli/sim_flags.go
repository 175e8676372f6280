package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"idemtui/sim"
	"idemtui/sim/lessons"
)

// scenarioFlags are the parameters of a run, the same for every command that
// simulates one.
type scenarioFlags struct {
	handlers []string
	scenario sim.Scenario
	workers  int64
	charge   time.Duration
	lease    time.Duration
	renew    time.Duration
	lesson   lessons.Lesson // its number is 0 where none was asked for
	flags    *pflag.FlagSet
}

// laterScenarioFlags are not built yet.
var laterScenarioFlags = map[string]string{
	"live": "leave it out: the run is simulated",
	"dsn":  "leave it out: the run is simulated",
}

// scenarioNames are the flags that change the workload.
var scenarioNames = []string{"payments", "workers", "duplicates", "distance", "fail", "crash", "timeout", "slow", "lesson"}

// register adds the flags. The handlers are the default of --handler.
func (f *scenarioFlags) register(cmd *cobra.Command, handlers ...string) {
	flags := cmd.Flags()
	f.flags, f.handlers = flags, handlers
	f.scenario = sim.DefaultScenario()
	f.workers = int64(f.scenario.Workers)
	f.charge, f.lease, f.renew = time.Duration(f.scenario.Charge), time.Duration(f.scenario.Lease), time.Duration(f.scenario.Renew)
	usage := "the handler: "
	if len(handlers) != 1 {
		usage = "the handlers, joined by commas (default all): "
	}
	flags.Var(handlersFlag{&f.handlers, len(handlers) == 1}, "handler", usage+strings.Join(handlerNames(), ", "))
	s := &f.scenario
	flags.Var(wholeFlag(&s.Payments, 1, sim.MaxPayments), "payments", "how many payments")
	flags.Var(wholeFlag(&f.workers, 1, sim.MaxWorkers), "workers", "how many workers")
	flags.Var(fractionFlag{&s.Duplicates}, "duplicates", "fraction of the payments that are delivered twice")
	flags.Var(wholeFlag(&s.Distance, 1, sim.MaxDistance), "distance", "how many places the copy stands behind its original")
	flags.Var(fractionFlag{&s.Fail}, "fail", "fraction of the payments whose first charge the provider refuses")
	flags.Var(fractionFlag{&s.Crash}, "crash", "fraction of the payments whose worker crashes in the first delivery")
	flags.Var(fractionFlag{&s.Timeout}, "timeout", "fraction of the payments whose first charge works and whose answer is lost")
	flags.Var(fractionFlag{&s.Slow}, "slow", "fraction of the payments whose worker pauses, in the first delivery, for longer than a lease")
	addDuration(flags, &f.charge, "charge", "how long a charge takes, as a median")
	addDuration(flags, &f.lease, "lease", "how long a claim is held without being renewed")
	addDuration(flags, &f.renew, "renew", "how often a worker renews its claim (default never)")
	flags.Var(guardFlag{&s.Guard}, "guard", "what completes a claim is guarded by: token or name")
	flags.Var(wholeFlag(&s.Seed, 0, sim.MaxSeed), "seed", "the seed of every random choice")
	addLesson(flags, &f.lesson)
	addLater(flags, laterScenarioFlags)
	_ = cmd.RegisterFlagCompletionFunc("handler", cobra.FixedCompletions(handlerNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("guard", cobra.FixedCompletions([]string{"token", "name"}, cobra.ShellCompDirectiveNoFileComp))
}

// readScenarios checks the flags and returns one scenario for each handler.
func (a *app) readScenarios(f *scenarioFlags) ([]sim.Scenario, error) {
	f.scenario.Workers = int(f.workers)
	f.scenario.Charge, f.scenario.Lease, f.scenario.Renew = int64(f.charge), int64(f.lease), int64(f.renew)
	if f.lesson.N > 0 {
		f.scenario = f.underLesson(f.scenario)
	}
	names := f.handlers
	if len(names) == 0 {
		names = handlerNames()
	}
	scenarios := make([]sim.Scenario, 0, len(names))
	for _, name := range names {
		h, ok := sim.ByName(name)
		if !ok {
			return nil, usageError(fmt.Sprintf("--handler: there is no handler %q", name), "it is one of "+strings.Join(handlerNames(), ", "))
		}
		s := f.scenario
		s.Handler = h.ID
		if err := s.Validate(); err != nil {
			return nil, rangeError(err)
		}
		scenarios = append(scenarios, s)
	}
	return scenarios, nil
}

// changed says whether a flag of the workload was given.
func (f *scenarioFlags) changed() bool {
	return slices.ContainsFunc(scenarioNames, f.flags.Changed)
}

// choseRun says whether a flag asks for a run of one's own, rather than for
// those of a lesson.
func (f *scenarioFlags) choseRun() bool {
	own := []string{"handler", "charge", "lease", "renew", "guard"}
	for _, name := range scenarioNames {
		if name != "lesson" {
			own = append(own, name)
		}
	}
	return slices.ContainsFunc(own, f.flags.Changed)
}

// rangeError names the flag of a parameter that is out of range.
func rangeError(err error) error {
	var outside *sim.RangeError
	if errors.As(err, &outside) {
		return usageError(fmt.Sprintf("--%s is %s", outside.Name, outside.Got), "it must be "+outside.Allowed)
	}
	return failure(err, "")
}

// handlerNames are the handlers in the order of every list.
func handlerNames() []string {
	var names []string
	for _, h := range sim.Handlers() {
		names = append(names, h.Name)
	}
	return names
}

// handlersFlag is --handler: one handler, or several joined by commas.
type handlersFlag struct {
	names *[]string
	one   bool
}

func (h handlersFlag) Set(text string) error {
	var names []string
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if _, ok := sim.ByName(name); !ok {
			return fmt.Errorf("there is no handler %q; it is one of %s", shortName(name), strings.Join(handlerNames(), ", "))
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if h.one && len(names) > 1 {
		return errors.New("one handler at a time here")
	}
	*h.names = names
	return nil
}

func (h handlersFlag) String() string {
	if h.names == nil {
		return ""
	}
	return strings.Join(*h.names, ",")
}

// Type is the word that help shows for the value.
func (h handlersFlag) Type() string { return "handler" }

// shortName cuts what a person typed, for an error of one line.
func shortName(name string) string {
	const longest = 40
	if len(name) > longest {
		return name[:longest] + "..."
	}
	return name
}

// fractionFlag is a fraction of the payments.
type fractionFlag struct{ value *sim.Fraction }

func (f fractionFlag) Set(text string) error {
	value, err := sim.ParseFraction(text)
	if err != nil {
		return err
	}
	*f.value = value
	return nil
}

func (f fractionFlag) String() string {
	if f.value == nil || *f.value == 0 {
		return ""
	}
	return f.value.String()
}

// Type is the word that help shows for the value.
func (f fractionFlag) Type() string { return "fraction" }

// whole is a flag that takes a whole number within a range.
type whole[N int | int64 | uint64] struct {
	value     *N
	low, high N
}

func wholeFlag[N int | int64 | uint64](value *N, low, high N) whole[N] {
	return whole[N]{value, low, high}
}

func (w whole[N]) Set(text string) error {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 63)
	if err != nil || N(n) < w.low || N(n) > w.high {
		return fmt.Errorf("it must be a whole number, %d to %d", w.low, w.high)
	}
	*w.value = N(n)
	return nil
}

func (w whole[N]) String() string {
	if w.value == nil {
		return ""
	}
	return fmt.Sprint(*w.value)
}

// Type is the word that help shows for the value.
func (w whole[N]) Type() string { return "number" }

// guardFlag is --guard.
type guardFlag struct{ value *sim.Guard }

func (g guardFlag) Set(text string) error {
	value, err := sim.ParseGuard(text)
	if err != nil {
		return err
	}
	*g.value = value
	return nil
}

func (g guardFlag) String() string {
	if g.value == nil {
		return ""
	}
	return g.value.String()
}

// Type is the word that help shows for the value.
func (g guardFlag) Type() string { return "guard" }

// repeatLimit is the most runs of one command.
const repeatLimit = 1_000_000

// checkRepeat checks that the last of the seeds is still a seed.
func checkRepeat(repeat int64, seed uint64) error {
	if uint64(repeat-1) > sim.MaxSeed-seed {
		return usageError(fmt.Sprintf("--seed is %d and --repeat %d", seed, repeat), fmt.Sprintf("the last seed must be at most %d", sim.MaxSeed))
	}
	return nil
}
