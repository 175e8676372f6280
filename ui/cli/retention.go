package cli

import (
	"encoding/csv"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"idemtui/retention"
	"idemtui/ui/text"
)

const retentionLong = `Compute how long message ids must be remembered, and compare it with what the table keeps.

required = source life + hold per attempt + retry chain + downtime before a replay + margin.
reachable is the tight bound beside it: without a retry copy, the downtime lies inside the source's life.
Strictly longer than required is safe; equal is not. A missing downtime is computed as 0: the verdict is then never safe.`

// retentionFlags are what a person states about the source and the table.
type retentionFlags struct {
	life, downtime, hold  time.Duration
	retryDelay, manual    time.Duration
	kept                  time.Duration
	retry, replay, margin string
	rowsPerDay, rowBytes  int64
	exitCode              bool
	format                string
	flags                 *pflag.FlagSet
}

// The sizes that are still a table: a million million rows a day, and a
// gigabyte a row.
const (
	maxRowsPerDay = 1_000_000_000_000
	maxRowBytes   = 1_000_000_000
)

// laterRetentionFlags are not built yet.
var laterRetentionFlags = map[string]string{
	"broker":       "state the source's life with --broker-retention",
	"settings":     "state the source's life with --broker-retention",
	"preset":       "state the source's life with --broker-retention",
	"example":      "state the source's life with --broker-retention",
	"redrives":     "add each redrive's whole cycle to --broker-retention",
	"retry-topic":  "state the retry chain with --retry",
	"replay-retry": "state the retry chain with --retry",
	"dsn":          "state what the table keeps with --dedup-retention",
	"table":        "state what the table keeps with --dedup-retention",
	"table-since":  "state what the table keeps with --dedup-retention",
}

// newRetentionCommand compares the horizon with what the table keeps.
func newRetentionCommand(a *app) *cobra.Command {
	f := &retentionFlags{}
	cmd := &cobra.Command{
		Use:   "retention",
		Short: "How long ids must be remembered, against what the table keeps",
		Long:  retentionLong,
		Example: `
# a topic that keeps 7 days in segments of 7 days, retried 4 times, two days of downtime
idemtui retention --broker-retention 14d --retry exponential:1s,x2,attempts=5 --max-downtime 2d --hold 5m --dedup-retention 14d
# a webhook sender that retries for 3 days and can be asked to resend for 30
idemtui retention --broker-retention 3d --manual-retry 30d --max-downtime 0 --dedup-retention 7d --exit-code`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return a.runRetention(f) },
	}
	f.register(cmd)
	return cmd
}

func (f *retentionFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.flags = flags
	addDuration(flags, &f.life, "broker-retention", "the longest age at which the source can still hand a message out")
	flags.StringVar(&f.retry, "retry", "", "retry policy that copies the message: fixed:10m,attempts=5 or exponential:1s,x2,max=1h,attempts=8,jitter=0.1; several joined by ;")
	addDuration(flags, &f.retryDelay, "retry-delay", "a single retry that copies the message and waits this long")
	addDuration(flags, &f.downtime, "max-downtime", "how long the consumer can be down before it starts again")
	addDuration(flags, &f.hold, "hold", "how long a message is delivered before it is checked: ack deadline, poll interval, prefetch")
	flags.StringVar(&f.replay, "replay", "full", "how far back the source is read again: full, committed or window:24h")
	addDuration(flags, &f.manual, "manual-retry", "how old a message can be when a person resends it: a second path")
	addDuration(flags, &f.kept, "dedup-retention", "how long the table keeps a row")
	flags.StringVar(&f.margin, "margin", "0", "safety margin: a duration, or a percentage such as 10%")
	flags.Var(wholeFlag(&f.rowsPerDay, 1, maxRowsPerDay), "rows-per-day", "new rows a day, to compute the table's size")
	flags.Var(wholeFlag(&f.rowBytes, 1, maxRowBytes), "row-bytes", "bytes a row with indexes, to compute the table's size")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit 3 unless the verdict is safe or tight")
	addFormat(cmd, &f.format, formatTable, formatJSON, formatCSV, formatMarkdown)
	addLater(flags, laterRetentionFlags)
}

// runRetention makes the report and prints it.
func (a *app) runRetention(f *retentionFlags) error {
	policy, err := f.policy()
	if err != nil {
		return err
	}
	report, err := retention.Evaluate(policy)
	if err != nil {
		return usageError(err.Error(), "correct the durations")
	}
	if err := a.printRetention(report, f.format); err != nil {
		return err
	}
	if f.exitCode && report.Verdict != retention.Safe && report.Verdict != retention.Tight {
		return conditionHolds()
	}
	return nil
}

// policy turns the flags into what the model takes.
func (f *retentionFlags) policy() (retention.Policy, error) {
	if !f.flags.Changed("broker-retention") {
		return retention.Policy{}, usageError("the source's life is not given", "add --broker-retention 7d, for example")
	}
	margin, err := retention.ParseMargin(f.margin)
	if err != nil {
		return retention.Policy{}, usageError(err.Error(), "write --margin 6h or --margin 10%")
	}
	path, err := f.path()
	if err != nil {
		return retention.Policy{}, err
	}
	policy := retention.Policy{Paths: []retention.Path{path}, Margin: margin}
	if f.flags.Changed("manual-retry") {
		manual := path
		manual.Name = "manual retry"
		manual.Life = statedLife("manual-retry", f.manual)
		policy.Paths = append(policy.Paths, manual)
	}
	if f.flags.Changed("dedup-retention") {
		policy.Table.Retention = retention.Given{
			Length: retention.FloorMillisOf(f.kept), Known: true, Source: "flag --dedup-retention",
		}
	}
	policy.Table.RowsPerDay = f.count("rows-per-day", &f.rowsPerDay)
	policy.Table.RowBytes = f.count("row-bytes", &f.rowBytes)
	return policy, nil
}

// path is the source that the flags describe.
func (f *retentionFlags) path() (retention.Path, error) {
	path := retention.Path{
		Name:     "broker",
		Life:     statedLife("broker-retention", f.life),
		Downtime: f.given("max-downtime", f.downtime),
		Hold:     f.given("hold", f.hold),
	}
	path.Hold.Assumed = !path.Hold.Known
	var err error
	if path.Replay, path.Reach, err = retention.ParseReplay(f.replay); err != nil {
		return path, usageError(err.Error(), "write --replay full")
	}
	if f.flags.Changed("retry") && f.retryDelay > 0 {
		return path, usageError("--retry and --retry-delay are both given", "use one of them; --retry fixed:10m,attempts=2 is a single retry")
	}
	if f.flags.Changed("retry") {
		if path.Retries, err = retention.ParseRetry(f.retry); err != nil {
			return path, usageError(err.Error(), "correct --retry")
		}
	}
	if f.retryDelay > 0 {
		path.Retries = []retention.Retry{retention.SingleRetry(f.retryDelay)}
	}
	return path, nil
}

// given is a length that may be missing.
func (f *retentionFlags) given(name string, d time.Duration) retention.Given {
	if !f.flags.Changed(name) {
		return retention.Given{Source: "not given"}
	}
	return retention.Given{Length: retention.MillisOf(d), Known: true, Source: "flag --" + name}
}

func statedLife(flag string, d time.Duration) retention.Life {
	return retention.Life{
		Parts:  []retention.Part{{Name: flag, Length: retention.MillisOf(d)}},
		Source: "flag --" + flag,
	}
}

// count is a number that may be missing.
func (f *retentionFlags) count(name string, n *int64) *int64 {
	if !f.flags.Changed(name) {
		return nil
	}
	return n
}

// printRetention prints one report in any format.
func (a *app) printRetention(r retention.Report, format string) error {
	switch format {
	case formatJSON:
		return a.printJSON(r)
	case formatCSV:
		return a.printRetentionCSV(r)
	case formatMarkdown:
		a.printRetentionMarkdown(r)
	default:
		a.printf("%s\n\n%s", text.Sanitise(r.Headline()), retentionTable(r).String())
		if remarks := r.Remarks(); len(remarks) > 0 {
			a.printf("\n%s\n", sanitiseLines(remarks, ""))
		}
	}
	return nil
}

func retentionTable(r retention.Report) *textTable {
	table := newTextTable("TERM", "TIME", "SECONDS", "ARITHMETIC", "SOURCE").alignRight("TIME", "SECONDS")
	for _, row := range r.Rows() {
		table.add(row.Name, row.Length, row.Seconds, row.Arithmetic, row.Source)
	}
	return table
}

// maxMarkdownLines is the contract's bound: a report that fits a ticket.
const maxMarkdownLines = 25

// printRetentionMarkdown prints the verdict first, and all remarks that fit;
// what is missing and what is assumed come first among them.
func (a *app) printRetentionMarkdown(r retention.Report) {
	table := retentionTable(r)
	a.printf("**%s**\n\n%s", markdownEscape(text.Sanitise(r.Headline())), table.markdownTable(len(table.rows)))
	remarks := r.Remarks()
	if len(remarks) == 0 {
		return
	}
	const around = 5 // the verdict, two blank lines, the table's two head lines
	if room := maxMarkdownLines - around - len(table.rows); len(remarks) > room {
		hidden := len(remarks) - room + 1
		remarks = append(remarks[:room-1:room-1], fmt.Sprintf("and %d more: see --format json", hidden))
	}
	for i, remark := range remarks {
		remarks[i] = markdownEscape(remark)
	}
	a.printf("\n%s\n", sanitiseLines(remarks, "- "))
}

func sanitiseLines(lines []string, prefix string) string {
	safe := make([]string, len(lines))
	for i, line := range lines {
		safe[i] = prefix + text.Sanitise(line)
	}
	return strings.Join(safe, "\n")
}

// printRetentionCSV prints the scalar fields.
func (a *app) printRetentionCSV(r retention.Report) error {
	cell := func(m *retention.Millis) string {
		if m == nil {
			return ""
		}
		return m.Seconds()
	}
	w := csv.NewWriter(&a.out)
	return w.WriteAll([][]string{
		{"required_seconds", "reachable_seconds", "assumed_seconds", "verdict", "have_seconds", "short_by_seconds", "safe_by_seconds"},
		{
			cell(r.RequiredSeconds), cell(r.ReachableSeconds), cell(r.AssumedSeconds), string(r.Verdict),
			cell(r.HaveSeconds), cell(r.ShortBySeconds), cell(r.SafeBySeconds),
		},
	})
}
