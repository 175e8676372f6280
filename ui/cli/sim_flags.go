package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	lesson   lessons.Lesson // its number is 0 where none was asked for
	flags    *pflag.FlagSet
}

// laterScenarioFlags are not built yet.
var laterScenarioFlags = map[string]string{
	"live": "leave it out: the run is simulated",
	"dsn":  "leave it out: the run is simulated",
}

// register adds the flags of workload and workers. The handlers are the default
// of --handler. The world's flags follow those of the command itself: see
// registerWorld.
func (f *scenarioFlags) register(cmd *cobra.Command, handlers ...string) {
	flags := cmd.Flags()
	flags.SortFlags = false
	f.flags, f.handlers = flags, handlers
	f.scenario = sim.DefaultScenario()
	usage := "the handler, with --lesson that lesson's own where none is named: "
	if len(handlers) != 1 {
		usage = "the handlers, joined by commas (default all): "
	}
	flags.Var(handlersFlag{&f.handlers, len(handlers) == 1}, "handler", usage+strings.Join(handlerNames(), ", "))
	addLesson(flags, &f.lesson)
	for _, p := range slices.Concat(workloadParameters, workerParameters) {
		p.add(flags, &f.scenario)
	}
	addLater(flags, laterScenarioFlags)
	completeWords(cmd, "handler", handlerNames()...)
	completeWords(cmd, "guard", "token", "name")
}

// registerWorld adds the flags of broker, table and provider, which few runs
// need: help lists them last.
func (f *scenarioFlags) registerWorld(cmd *cobra.Command) {
	for _, p := range worldParameters {
		p.add(f.flags, &f.scenario)
	}
	completeWords(cmd, "broker", "queue", "log")
	completeWords(cmd, "late-ack", "honoured", "ignored")
}

// completeWords lets a shell complete the flag's value.
func completeWords(cmd *cobra.Command, flag string, words ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// readScenarios checks the flags and returns one scenario for each handler.
func (a *app) readScenarios(f *scenarioFlags) ([]sim.Scenario, error) {
	if f.lesson.N > 0 {
		f.scenario = f.underLesson(f.scenario)
	}
	if name, need, found := senseless(&f.scenario, f.flags.Changed); found {
		return nil, usageError(fmt.Sprintf("--%s is %s", name, f.flags.Lookup(name).Value), need)
	}
	names := f.handlers
	switch {
	case len(names) == 0:
		names = handlerNames()
	case f.lesson.N > 0 && !f.flags.Changed("handler"):
		names = []string{f.lesson.Workload.Handler.String()} // the lesson's own, where one is asked for
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

// changed says whether a flag of the workload or the world was given.
func (f *scenarioFlags) changed() bool {
	return f.flags.Changed("lesson") || f.any(workloadParameters) || f.any(worldParameters)
}

// choseRun says whether a flag asks for a run of one's own, rather than for
// those of a lesson.
func (f *scenarioFlags) choseRun() bool {
	own := slices.DeleteFunc(scenarioParameters(), func(p parameter) bool { return p.name == "seed" })
	return f.flags.Changed("handler") || f.any(own)
}

// any says whether a flag of one of the parameters was given.
func (f *scenarioFlags) any(parameters []parameter) bool {
	return slices.ContainsFunc(parameters, func(p parameter) bool { return f.flags.Changed(p.name) })
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
