package cli

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"idemtui/sim"
	"idemtui/sim/explore"
	"idemtui/ui/text"
)

const exploreLong = `Search every schedule (interleaving) of the deliveries of one payment, with up to so many faults of each kind.

Where a run shows that something can happen, this shows that it cannot: each order of steps and faults is tried, schedules
are counted exactly, and the shortest double charge and the shortest loss are printed step by step.`

// exploreFlags are the flags of 'sim explore'.
type exploreFlags struct {
	handler    string
	deliveries int64
	budgets    explore.Budgets
	symmetry   bool
	maxMemory  int64
	exitCode   bool
	format     string
}

func newSimExploreCommand(a *app) *cobra.Command {
	f := &exploreFlags{deliveries: 2}
	cmd := &cobra.Command{
		Use:   "explore",
		Short: "Every schedule (interleaving): can this handler charge twice, or lose the payment?",
		Long:  exploreLong,
		Example: `
# 60 of 66 schedules of check-then-act charge twice
idemtui sim explore --handler check
# a fencing token does not save you from a slow worker
idemtui sim explore --handler fence --slow 1
# the provider's idempotency key does, under every fault
idemtui sim explore --handler key --deliveries 4 --fail 1 --timeout 1 --crash 1 --slow 1 --forget 1 --exit-code`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runSimExplore(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.handler, "handler", "check", "the handler: "+strings.Join(handlerNames(), ", "))
	flags.Var(wholeFlag(&f.deliveries, 1, explore.MaxDeliveries), "deliveries", fmt.Sprintf("how many deliveries of the payment, 1 to %d", explore.MaxDeliveries))
	flags.Var(wholeFlag(&f.budgets.Fail, 0, explore.MaxBudget), "fail", "how many charges the provider may refuse")
	flags.Var(wholeFlag(&f.budgets.Timeout, 0, explore.MaxBudget), "timeout", "how many charges may work and lose their answer")
	flags.Var(wholeFlag(&f.budgets.Crash, 0, explore.MaxBudget), "crash", "how often a worker may crash")
	flags.Var(wholeFlag(&f.budgets.Slow, 0, explore.MaxBudget), "slow", "how often a lease may lapse while its worker lives")
	flags.Var(wholeFlag(&f.budgets.Forget, 0, explore.MaxBudget), "forget", "how often the table may forget the payment")
	flags.BoolVar(&f.symmetry, "symmetry", false, "search up to the order of the deliveries: the same verdict in less time and memory, without counts")
	flags.Var(sizeFlag{&f.maxMemory}, "max-memory", "stop before the search takes more memory (default 2GiB, and no more than three quarters of what is free)")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit 3 if a double charge or a loss is reachable")
	addFormat(cmd, &f.format, formatTable, formatJSON, formatCSV)
	// The only error is that the flag does not exist, and it was made above.
	_ = cmd.RegisterFlagCompletionFunc("handler", cobra.FixedCompletions(handlerNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) runSimExplore(ctx context.Context, f *exploreFlags) error {
	handler, ok := sim.ByName(f.handler)
	if !ok {
		return usageError(fmt.Sprintf("--handler: there is no handler %q", shortName(f.handler)), "it is one of "+strings.Join(handlerNames(), ", "))
	}
	if f.maxMemory == 0 {
		f.maxMemory = machineMemory()
	}
	config := explore.Config{
		Handler: handler, Deliveries: int(f.deliveries), Budgets: f.budgets, Symmetry: f.symmetry, MaxMemory: f.maxMemory,
		Workers: exploreWorkers(f.maxMemory),
	}
	if err := config.Validate(); err != nil {
		return usageError(err.Error(), seeHelp("idemtui sim explore"))
	}
	// The runtime is to collect what the search let go before that passes the
	// limit together with what is in use; the rest is for all else.
	previous := debug.SetMemoryLimit(f.maxMemory + besideSearch(f.maxMemory))
	defer debug.SetMemoryLimit(previous)
	progress := newExploreProgress(a)
	config.Progress = progress.show
	result, err := explore.Run(ctx, config)
	progress.erase()
	var stopped *explore.StoppedError
	if err != nil && !errors.As(err, &stopped) {
		return err
	}
	if err := a.printExplore(ctx, result, f.format); err != nil {
		return err
	}
	if verdict := result.Verdict(); f.exitCode && verdict != explore.Safe && verdict != explore.Undecided {
		return conditionHolds()
	}
	if stopped != nil {
		return partialFailure(err, "allow more with --max-memory, or search with --symmetry or fewer faults")
	}
	return nil
}

// printExplore prints one result in any format.
func (a *app) printExplore(ctx context.Context, r explore.Result, format string) error {
	switch format {
	case formatJSON:
		return a.printJSON(r.Report())
	case formatCSV:
		return a.printExploreCSV(r.Report())
	}
	a.printf("%s\n", r.Headline())
	if lesson := r.Teaches(besides(ctx, r)); lesson != "" {
		a.printf("%s\n", lesson)
	}
	a.printf("\n")
	width := 0
	for _, row := range r.Rows() {
		width = max(width, text.Width(row.Name))
	}
	for _, row := range r.Rows() {
		a.printf("%s  %s\n", text.Left(row.Name, width), row.Value)
	}
	a.printSchedule("shortest double charge", r.ShortestDouble)
	a.printSchedule("shortest loss", r.ShortestLost)
	for _, note := range r.Notes {
		a.printf("\nnote: %s\n", note)
	}
	return nil
}

// besideStates is the size up to which another handler is searched for a
// comparison.
const besideStates = 100_000

// besides searches another handler under the same faults, where that takes no
// time that anybody would notice.
func besides(ctx context.Context, r explore.Result) explore.Lookup {
	return func(h sim.HandlerID) (explore.Result, bool) {
		if r.States > besideStates {
			return explore.Result{}, false
		}
		other, err := explore.Run(ctx, explore.Config{Handler: h.Handler(), Deliveries: r.Deliveries, Budgets: r.Budgets})
		return other, err == nil
	}
}

// printSchedule prints a counterexample step by step, and the token that opens
// it.
func (a *app) printSchedule(title string, p *explore.Path) {
	if p == nil {
		return
	}
	a.printf("\n%s, %s, token %s\n", title, text.Plural(int64(p.Len()), "step", "steps"), p.Token())
	for i, step := range p.Steps {
		a.printf("%4d  %-3s  %s\n", i+1, step.By, step.Label)
	}
}

// printExploreCSV prints the scalar fields, the budgets one column each.
func (a *app) printExploreCSV(r explore.Report) error {
	number := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n)
	}
	word := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	b := r.Budgets
	return csv.NewWriter(&a.out).WriteAll([][]string{
		{
			"handler", "deliveries", "fail", "timeout", "crash", "slow", "forget", "states", "edges", "canonical_states", "terminal", "max_depth",
			"interleavings", "charged_twice", "charged_thrice", "never_charged", "shortest_double", "shortest_lost", "token",
		},
		{
			r.Handler, strconv.Itoa(r.Deliveries),
			strconv.Itoa(b.Fail), strconv.Itoa(b.Timeout), strconv.Itoa(b.Crash), strconv.Itoa(b.Slow), strconv.Itoa(b.Forget),
			strconv.FormatInt(r.States, 10), strconv.FormatInt(r.Edges, 10), strconv.FormatInt(r.CanonicalStates, 10), strconv.FormatInt(r.Terminal, 10),
			number(r.MaxDepth), word(r.Interleavings), word(r.ChargedTwice), word(r.ChargedThrice), word(r.NeverCharged),
			number(r.ShortestDouble), number(r.ShortestLost), word(r.Token),
		},
	})
}

// exploreProgress draws one line on standard error for a search that takes a
// while, if that is a terminal.
type exploreProgress struct {
	app   *app
	began time.Time
	next  time.Time
	width int
}

func newExploreProgress(a *app) *exploreProgress {
	began := a.now()
	return &exploreProgress{app: a, began: began, next: began.Add(progressAfter)}
}

// show is called by the search, some thousand times a second.
func (p *exploreProgress) show(at explore.Progress) {
	now := p.app.now()
	if !p.app.streams.ErrTerminal || p.app.dumb() || now.Before(p.next) {
		return
	}
	p.next = now.Add(progressEvery)
	milliseconds := max(now.Sub(p.began).Milliseconds(), 1)
	line := fmt.Sprintf("%s states, %d steps deep, %s states/s", text.Count(int64(at.States), true),
		at.Depth, text.Count(int64(at.Expanded)*1000/milliseconds, true))
	if at.Counting {
		line = fmt.Sprintf("counting schedules: %s of %s states", text.Count(int64(at.Expanded), true), text.Count(int64(at.States), true))
	}
	p.width = max(p.width, text.Width(line))
	fmt.Fprintf(p.app.streams.Err, "\r%s", text.Left(line, p.width))
}

// erase takes the line away.
func (p *exploreProgress) erase() {
	if p.width > 0 {
		fmt.Fprintf(p.app.streams.Err, "\r%s\r", strings.Repeat(" ", p.width))
	}
}

// sizeFlag is a size in bytes: 512MiB, 2GiB, 2GB, or a number of bytes.
type sizeFlag struct{ value *int64 }

// sizeUnits are the units of a size, the longer names first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
	{"TiB", 1 << 40},
	{"kB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"B", 1},
	{"", 1},
}

// minSearchMemory is what the smallest search takes.
const minSearchMemory = 1 << 20

func (s sizeFlag) Set(size string) error {
	for _, unit := range sizeUnits {
		digits, ok := strings.CutSuffix(size, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 {
			break
		}
		if n > math.MaxInt64/unit.bytes || n*unit.bytes < minSearchMemory {
			return errors.New("it is at least 1MiB and less than 8EiB")
		}
		*s.value = n * unit.bytes
		return nil
	}
	return errors.New("it is a whole number with a unit, such as 512MiB or 2GiB")
}

func (s sizeFlag) String() string {
	if s.value == nil || *s.value == 0 {
		return ""
	}
	for i := 3; i >= 0; i-- {
		if unit := sizeUnits[i]; *s.value%unit.bytes == 0 {
			return strconv.FormatInt(*s.value/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(*s.value, 10)
}

// Type is the word that help shows for the value.
func (s sizeFlag) Type() string { return "size" }
