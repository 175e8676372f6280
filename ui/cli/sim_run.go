package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"idemtui/retention"
	"idemtui/sim"
	"idemtui/ui/text"
)

// runFlags are the flags of 'sim run'.
type runFlags struct {
	scenarioFlags
	repeat int64
	timing bool
	plot   string
	format string
}

func newSimRunCommand(a *app) *cobra.Command {
	f := &runFlags{repeat: 1}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "A workload under the handlers: the table of results",
		Long: `Run a workload under each handler and print what it came to.

The faults are fractions of the payments, met exactly: one in each of as many equal parts of the workload, at a place drawn
from the seed. A fault hits a payment's first delivery only. The same parameters and seed give the same result everywhere.`,
		Example: `
# the race of check, charge, then remember
idemtui sim run --handler none,check,claim
# the claim that is never released
idemtui sim run --handler claim,release --duplicates 0 --fail 0.02
# how much check catches when the copy comes eight places later, over 200 seeds
idemtui sim run --handler check --distance 8 --repeat 200
# a livelock: no worker finishes before the broker and the lease have given up on it
idemtui sim run --handler fence,key --payments 1 --workers 4 --duplicates 0 --lease 300us --visibility 400us --late-ack ignored
# the window of check-then-act, as a chart
idemtui sim run --handler check --plot distance --repeat 20`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runSimRun(cmd.Context(), f) },
	}
	f.register(cmd)
	cmd.Flags().Var(wholeFlag(&f.repeat, 1, repeatLimit), "repeat", "how many runs, each with the next seed: prints median and range")
	cmd.Flags().StringVar(&f.plot, "plot", "", "draw the payments charged twice against the copy's distance or the charge time: distance or charge")
	cmd.Flags().BoolVar(&f.timing, "timing", false, "say how long each run took")
	addFormat(cmd, &f.format, formatTable, formatJSON, formatCSV)
	f.registerWorld(cmd)
	return cmd
}

func (a *app) runSimRun(ctx context.Context, f *runFlags) error {
	scenarios, err := a.readScenarios(&f.scenarioFlags)
	if err != nil {
		return err
	}
	if err := checkRepeat(f.repeat, f.scenario.Seed); err != nil {
		return err
	}
	if f.flags.Changed("plot") {
		return a.runPlot(ctx, f, scenarios)
	}
	a.warnOfShortPatience(scenarios[0])
	runs, err := a.sweep(ctx, scenarios, int(f.repeat))
	if err != nil {
		return err
	}
	switch f.format {
	case formatJSON:
		return a.printRunsJSON(f, runs)
	case formatCSV:
		return a.printRunsCSV(f, runs)
	}
	a.printRunsTable(f, runs)
	return nil
}

// warnOfShortPatience says that the broker will deliver again what is still at
// work.
func (a *app) warnOfShortPatience(s sim.Scenario) {
	if s.Visibility == 0 || s.Visibility >= sim.VisibilityNeeded(s.Charge, 0) {
		return
	}
	a.notef("--visibility %s is shorter than a charge (%s): the broker delivers again while a worker is at work; six times the charge is advised, %s",
		retention.FormatDuration(time.Duration(s.Visibility)), retention.FormatDuration(time.Duration(s.Charge)),
		retention.FormatDuration(time.Duration(sim.VisibilityAdvised(s.Charge, 0))))
}

// measured is a result and how long it took to compute.
type measured struct {
	sim.Result
	wall time.Duration
}

// sweep runs every scenario with so many seeds, on all cores. The results are
// in the order of the scenarios, then of the seeds.
func (a *app) sweep(ctx context.Context, scenarios []sim.Scenario, repeat int) ([]measured, error) {
	results := make([]measured, len(scenarios)*repeat)
	errs := make([]error, len(results))
	var next, done atomic.Int64
	stop := a.showRuns("payments", int64(len(results))*scenarios[0].Payments, &done)
	defer stop()
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(results)) {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(results) || ctx.Err() != nil {
					return
				}
				s := scenarios[i/repeat]
				s.Seed += uint64(i % repeat)
				began := a.now()
				results[i].Result, errs[i] = sim.RunContext(ctx, s, &done)
				results[i].wall = a.now().Sub(began)
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, rangeError(err)
		}
	}
	return results, nil
}

// runField is a column of the results.
type runField struct {
	name  string // in JSON and CSV
	title string // in the table
	value func(*sim.Result) int64
	main  bool // always in the table; the others only where something happened
}

var runFields = []runField{
	{"deliveries", "DELIVERIES", func(r *sim.Result) int64 { return r.Deliveries }, true},
	{"payments", "PAYMENTS", func(r *sim.Result) int64 { return r.Payments }, true},
	{"charges", "CHARGES", func(r *sim.Result) int64 { return r.Charges }, true},
	{"charged_twice", "CHARGED TWICE", func(r *sim.Result) int64 { return r.ChargedTwice }, true},
	{"never_charged", "NEVER CHARGED", func(r *sim.Result) int64 { return r.NeverCharged }, true},
	{"failed_first", "FAILED FIRST", func(r *sim.Result) int64 { return r.FailedFirst }, false},
	{"takeovers", "TAKEOVERS", func(r *sim.Result) int64 { return r.Takeovers }, false},
	{"fenced", "FENCED", func(r *sim.Result) int64 { return r.Fenced }, false},
	{"stuck", "STUCK", func(r *sim.Result) int64 { return r.Stuck }, false},
	{deadLetters, "DEAD LETTERS", func(r *sim.Result) int64 { return r.DeadLetters }, false},
}

// deadLetters is the field that came later: it ends a line of CSV.
const deadLetters = "dead_letters"

// spread is the median and the range of a field over the seeds.
type spread struct {
	Handler string      `json:"handler"`
	Field   string      `json:"field"`
	Median  json.Number `json:"median"`
	Min     json.Number `json:"min"`
	Max     json.Number `json:"max"`
}

// spreadOf is the spread of values; the median of an even number of them is
// the middle of the two in the middle, exactly.
func spreadOf(handler, field string, values []int64) spread {
	slices.Sort(values)
	n := len(values)
	median := half(values[(n-1)/2] + values[n/2])
	return spread{handler, field, json.Number(median), json.Number(fmt.Sprint(values[0])), json.Number(fmt.Sprint(values[n-1]))}
}

// half is half of a whole number that is not negative, exactly.
func half(n int64) string {
	if n%2 == 0 {
		return fmt.Sprint(n / 2)
	}
	return fmt.Sprintf("%d.5", n/2)
}

// summarise gives the spread of each field for each handler.
func summarise(runs []measured, repeat int) []spread {
	var all []spread
	for first := 0; first < len(runs); first += repeat {
		for _, f := range runFields {
			values := make([]int64, repeat)
			for i := range values {
				values[i] = f.value(&runs[first+i].Result)
			}
			all = append(all, spreadOf(runs[first].Handler.String(), f.name, values))
		}
	}
	return all
}

// workloadLine says in words what was run.
func workloadLine(s sim.Scenario, repeat int) string {
	parts := []string{text.Plural(s.Payments, "payment", "payments"), text.Plural(int64(s.Workers), "worker", "workers")}
	faults := []struct {
		name  string
		value sim.Fraction
	}{
		{"duplicates", s.Duplicates},
		{"fail", s.Fail},
		{"crash", s.Crash},
		{"timeout", s.Timeout},
		{"slow", s.Slow},
		{"acks lost", s.AckLost},
		{"rebalances", s.Rebalance},
	}
	for _, f := range faults {
		if f.value != 0 {
			parts = append(parts, f.name+" "+f.value.String())
		}
	}
	switch {
	case s.Duplicates != 0 && s.CopyAfter > 0:
		parts = append(parts, "copies after "+retention.FormatDuration(time.Duration(s.CopyAfter)))
	case s.Duplicates != 0:
		parts = append(parts, fmt.Sprintf("distance %d", s.Distance))
	}
	parts = append(parts, worldParts(s)...)
	parts = append(parts, "charge "+retention.FormatDuration(time.Duration(s.Charge)))
	if repeat > 1 {
		return strings.Join(append(parts, fmt.Sprintf("seeds %d to %d", s.Seed, s.Seed+uint64(repeat)-1)), " · ")
	}
	return strings.Join(append(parts, fmt.Sprintf("seed %d", s.Seed)), " · ")
}

// worldParts says in words in what the world differs from the usual one.
func worldParts(s sim.Scenario) []string {
	var parts []string
	for _, p := range []struct {
		holds bool
		name  string
	}{
		{s.Log, "a log"},
		{s.RetryTopic, "with a retry topic"},
		{s.ByMessage, "ids by message"},
		{s.NewKeys, "a new key per try"},
		{s.Direct, "callers instead of a broker"},
		{s.NodeClock, "leases by the workers' clocks"},
		{s.Guard == sim.GuardName, "guard by name"},
		{s.LateAckIgnored, "late acks ignored"},
		{s.NoNack, "nothing given back"},
		{s.Exact, "exact times"},
	} {
		if p.holds {
			parts = append(parts, p.name)
		}
	}
	for _, p := range []struct {
		name  string
		value int64
	}{
		{"lease", changedFrom(sim.DefaultScenario().Lease, s.Lease)},
		{"renewed every", s.Renew},
		{"skew", s.Skew},
		{"visibility", s.Visibility},
		{"the broker's window", s.Window},
		{"retention", s.Retention},
		{"provider's memory", s.KeyMemory},
	} {
		if p.value > 0 {
			parts = append(parts, p.name+" "+retention.FormatDuration(time.Duration(p.value)))
		}
	}
	if s.CommitEvery > 0 {
		parts = append(parts, fmt.Sprintf("a commit every %d", s.CommitEvery))
	}
	if s.MaxReceives > 0 {
		parts = append(parts, fmt.Sprintf("at most %d receives", s.MaxReceives))
	}
	return parts
}

// changedFrom is a value that differs from the usual one, or 0.
func changedFrom(usual, value int64) int64 {
	if value == usual {
		return 0
	}
	return value
}

// printRunsTable prints one row a handler.
func (a *app) printRunsTable(f *runFlags, runs []measured) {
	var shown []runField
	for _, field := range runFields {
		if field.main || slices.ContainsFunc(runs, func(m measured) bool { return field.value(&m.Result) != 0 }) {
			shown = append(shown, field)
		}
	}
	titles := []string{"HANDLER"}
	for _, field := range shown {
		titles = append(titles, field.title)
	}
	if f.timing {
		titles = append(titles, "TIME")
	}
	table := newTextTable(titles...).alignRight(titles[1:]...)
	repeat := int(f.repeat)
	for first := 0; first < len(runs); first += repeat {
		cells := []string{runs[first].Handler.String()}
		wall := time.Duration(0)
		for _, m := range runs[first : first+repeat] {
			wall += m.wall
		}
		for _, field := range shown {
			values := make([]int64, repeat)
			for i := range values {
				values[i] = field.value(&runs[first+i].Result)
			}
			cells = append(cells, spreadText(spreadOf("", "", values)))
		}
		if f.timing {
			cells = append(cells, text.Duration(wall))
		}
		table.add(cells...)
	}
	a.printf("%s\n", workloadLine(f.scenario, repeat))
	if f.repeat > 1 {
		a.printf("median, and range where the seeds differ\n")
	}
	a.printf("\n%s", table)
}

// spreadText is a spread in a cell: the value, or median and range.
func spreadText(s spread) string {
	if s.Min == s.Max {
		return s.Median.String()
	}
	return fmt.Sprintf("%s (%s..%s)", s.Median, s.Min, s.Max)
}

// runRow is one result in idemtui.run/v1.
type runRow struct {
	Handler        string      `json:"handler"`
	Seed           uint64      `json:"seed"`
	Deliveries     int64       `json:"deliveries"`
	Payments       int64       `json:"payments"`
	Charges        int64       `json:"charges"`
	ChargedTwice   int64       `json:"charged_twice"`
	NeverCharged   int64       `json:"never_charged"`
	FailedFirst    int64       `json:"failed_first"`
	Takeovers      int64       `json:"takeovers"`
	Fenced         int64       `json:"fenced"`
	Stuck          int64       `json:"stuck"`
	DeadLetters    int64       `json:"dead_letters"`
	VirtualSeconds json.Number `json:"virtual_seconds"`
	WallSeconds    json.Number `json:"wall_seconds,omitempty"`
}

func (f *runFlags) row(m measured) runRow {
	r := m.Result
	row := runRow{
		r.Handler.String(), r.Seed, r.Deliveries, r.Payments, r.Charges, r.ChargedTwice, r.NeverCharged,
		r.FailedFirst, r.Takeovers, r.Fenced, r.Stuck, r.DeadLetters, sim.Seconds(r.VirtualNanos), "",
	}
	if f.timing {
		row.WallSeconds = sim.Seconds(int64(m.wall.Round(time.Microsecond)))
	}
	return row
}

// printRunsJSON prints idemtui.run/v1.
func (a *app) printRunsJSON(f *runFlags, runs []measured) error {
	workload := f.scenario.Parameters()
	workload.Handler = ""
	doc := struct {
		Schema   string         `json:"schema"`
		Workload sim.Parameters `json:"workload"`
		Results  []runRow       `json:"results"`
		Summary  []spread       `json:"summary,omitempty"`
	}{Schema: "idemtui.run/v1", Workload: workload, Results: []runRow{}}
	for _, m := range runs {
		doc.Results = append(doc.Results, f.row(m))
	}
	if f.repeat > 1 {
		doc.Summary = summarise(runs, int(f.repeat))
	}
	return a.printJSON(doc)
}

// printRunsCSV prints one line a run.
func (a *app) printRunsCSV(f *runFlags, runs []measured) error {
	out := csv.NewWriter(&a.out)
	titles := []string{"handler", "seed"}
	for _, field := range runFields {
		if field.name != deadLetters {
			titles = append(titles, field.name)
		}
	}
	titles = append(titles, "virtual_seconds", deadLetters)
	if f.timing {
		titles = append(titles, "wall_seconds")
	}
	lines := [][]string{titles}
	for _, m := range runs {
		line := []string{m.Handler.String(), fmt.Sprint(m.Seed)}
		for _, field := range runFields {
			if field.name != deadLetters {
				line = append(line, fmt.Sprint(field.value(&m.Result)))
			}
		}
		row := f.row(m)
		line = append(line, row.VirtualSeconds.String(), fmt.Sprint(row.DeadLetters))
		if f.timing {
			line = append(line, row.WallSeconds.String())
		}
		lines = append(lines, line)
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
