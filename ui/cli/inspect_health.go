package cli

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"idemtui/inspect"
	"idemtui/ui/text"
)

// healthFlags are what the person says of the table's upkeep.
type healthFlags struct {
	format    string
	retention time.Duration
	batch     int64
	every     time.Duration
	database  string
}

func newInspectHealthCommand(a *app, shared *inspectFlags) *cobra.Command {
	flags := &healthFlags{every: time.Minute}
	cmd := &cobra.Command{
		Use:   "health",
		Short: "What is wrong with the table's design and upkeep",
		Long: `What is wrong with the table's design and upkeep: what each thing causes, and the SQL that mends it.

The SQL is printed and never run. --dedup-retention says how long finished rows are to be kept, else the profile does;
--purge-batch and --purge-every say how the purge runs, and whether it can keep up.`,
		Example: `
idemtui inspect health --connection payments
idemtui inspect health --connection payments --dedup-retention 7d --purge-batch 4000 --purge-every 1m`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runHealth(cmd, shared, flags) },
	}
	addFormat(cmd, &flags.format, formatTable, formatJSON, formatCSV)
	addDuration(cmd.Flags(), &flags.retention, "dedup-retention", "how long finished rows are to be kept")
	cmd.Flags().Int64Var(&flags.batch, "purge-batch", 0, "rows that the purge deletes at a time")
	addDuration(cmd.Flags(), &flags.every, "purge-every", "how often the purge runs")
	cmd.Flags().StringVar(&flags.database, "database", "", "which of several databases, by its id")
	return cmd
}

// policy is what the flags say of the table's upkeep.
func (f *healthFlags) policy() (inspect.HealthPolicy, error) {
	var policy inspect.HealthPolicy
	if f.batch < 0 || f.every <= 0 {
		return policy, usageError("--purge-batch and --purge-every must be more than 0", "")
	}
	if f.retention > 0 {
		policy.Retention = inspect.Some(f.retention)
	}
	if f.batch > 0 {
		policy.Purge = inspect.Some(inspect.PurgeRate{Batch: f.batch, Every: f.every})
	}
	return policy, nil
}

func (a *app) runHealth(cmd *cobra.Command, shared *inspectFlags, flags *healthFlags) (err error) {
	policy, err := flags.policy()
	if err != nil {
		return err
	}
	places, err := a.places(cmd, shared)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	o, err := a.single(ctx, places, shared, flags.database)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, o.store) }()
	health, err := a.diagnose(ctx, o, policy)
	if err != nil {
		return err
	}
	switch flags.format {
	case formatJSON:
		return inspect.EncodeHealth(&a.out, health)
	case formatCSV:
		return a.printHealthCSV(health)
	}
	a.printHealth(health)
	return nil
}

func (a *app) diagnose(ctx context.Context, o opened, policy inspect.HealthPolicy) (inspect.Health, error) {
	checker, able := o.store.(inspect.HealthChecker)
	if !able {
		return inspect.Health{}, failure(errors.New(o.place.label()+" cannot be diagnosed by this version"), "")
	}
	health, err := checker.Health(ctx, o.table, policy)
	if err != nil {
		return health, placeError(err)
	}
	return health, nil
}

// printHealth prints what was found, each with what it causes and its remedy.
func (a *app) printHealth(h inspect.Health) {
	a.printf("%s\n", text.Sanitise(fmt.Sprintf("%s   %s   as of %s", h.Database.ID, h.Table.FullName(), h.At.UTC().Format("2006-01-02 15:04:05Z"))))
	defer a.printRemembered(h)
	if len(h.Findings) == 0 {
		a.printf("nothing is wrong with the table's design and upkeep, as far as this role can see\n")
		return
	}
	counts := map[inspect.Severity]int64{}
	for _, f := range h.Findings {
		counts[f.Severity]++
	}
	var head []string
	for _, s := range []inspect.Severity{inspect.SeverityCritical, inspect.SeverityWarning, inspect.SeverityInfo} {
		if counts[s] > 0 {
			head = append(head, text.Count(counts[s], true)+" "+string(s))
		}
	}
	a.printf("%s\n", strings.Join(head, " · "))
	fixes := false
	for _, f := range h.Findings {
		a.printf("\n%s  %s\n  %s\n", text.Left(strings.ToUpper(string(f.Severity)), len(inspect.SeverityCritical)), f.Code, text.Sanitise(f.Text))
		if f.FixSQL != "" {
			fixes = true
			a.printf("  SQL: %s\n", text.Sanitise(f.FixSQL))
		}
	}
	if fixes {
		a.printf("\nThe SQL is for you to judge and run: idemtui never runs it.\n")
	}
}

// printRemembered prints how long work takes, what the table shows of its
// retention, and how to compare that with what is needed.
func (a *app) printRemembered(h inspect.Health) {
	work := h.Work()
	a.printf("\n%s\n  %s\n", work.Name, text.Sanitise(work.Text))
	a.printf("\nwhat the table remembers\n")
	for _, f := range h.Remembered() {
		a.printf("  %s  %s\n", text.Left(f.Name, len("oldest finished row")), text.Sanitise(f.Text))
	}
	a.printf("compare it with how long it must remember:\n")
	for line := range strings.Lines(h.RetentionCommand()) {
		a.printf("  %s\n", text.Sanitise(strings.TrimRight(line, "\n")))
	}
}

func (a *app) printHealthCSV(h inspect.Health) error {
	writer := csv.NewWriter(&a.out)
	rows := [][]string{{"code", "severity", "text", "fix_sql"}}
	for _, f := range h.Findings {
		rows = append(rows, []string{f.Code, string(f.Severity), text.Sanitise(f.Text), text.Sanitise(f.FixSQL)})
	}
	if err := writer.WriteAll(rows); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
