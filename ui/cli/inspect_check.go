package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"idemtui/inspect"
	"idemtui/ui/text"
)

// The values of --as.
const (
	asNagios     = "nagios"
	asPrometheus = "prometheus"
	asJSON       = "json"
)

// checkFlags say from when on a check fails, and how it prints.
type checkFlags struct {
	warn      string
	crit      string
	minLapsed time.Duration
	allowScan bool
	as        string
}

func newInspectCheckCommand(a *app, shared *inspectFlags) *cobra.Command {
	flags := &checkFlags{minLapsed: time.Minute}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "For alerting: one line or metrics, and the exit code of a plugin",
		Long: `For alerting: looks once, prints one line or metrics, and exits as monitoring plugins do:
0 ok, 1 warning, 2 critical, 3 cannot tell (unreachable, refused, a wrong flag).

Thresholds are MEASURE>LIMIT joined by commas; the measures are ` + strings.Join(inspect.Measures, ", ") + `.
Without --warn and --crit one stuck claim is a warning. A large table without a fitting index is not scanned unless
--allow-scan is given. The output holds no keys and no owners.`,
		Example: `
idemtui inspect check --connection payments --warn 'stuck>5,oldest>20m' --crit 'stuck>100,oldest>2h'
# for the textfile collector of node_exporter
idemtui inspect check --connection all --as prometheus > idemtui.prom`,
		Args:              func(cmd *cobra.Command, args []string) error { return a.checkUnknown(flags, noArguments(cmd, args)) },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.checkUnknown(flags, a.applyEnvironment(cmd)) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.runCheck(cmd, shared, flags) },
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return a.checkUnknown(flags, flagError(cmd, err)) })
	cmd.Flags().StringVar(&flags.warn, "warn", "", "thresholds of a warning: 'stuck>5,oldest>20m'")
	cmd.Flags().StringVar(&flags.crit, "crit", "", "thresholds of a critical state")
	addDuration(cmd.Flags(), &flags.minLapsed, "min-lapsed", "how long a claim must have been stuck to count")
	cmd.Flags().BoolVar(&flags.allowScan, "allow-scan", false, "scan a large table if no index serves")
	cmd.Flags().StringVar(&flags.as, "as", asNagios, "how to print: nagios, prometheus, json")
	return cmd
}

// rules reads the thresholds.
func (f *checkFlags) rules() (inspect.CheckRules, error) {
	rules := inspect.CheckRules{MinLapsed: f.minLapsed}
	if !slices.Contains([]string{asNagios, asPrometheus, asJSON}, f.as) {
		return rules, usageError(fmt.Sprintf("--as %q is no way to print", f.as), "it is one of nagios, prometheus, json")
	}
	warn := f.warn
	if f.warn == "" && f.crit == "" {
		warn = "stuck>0"
	}
	var err error
	if rules.Warn, err = inspect.ParseThresholds(warn); err != nil {
		return rules, usageError("--warn: "+err.Error(), "")
	}
	if rules.Crit, err = inspect.ParseThresholds(f.crit); err != nil {
		return rules, usageError("--crit: "+err.Error(), "")
	}
	return rules, nil
}

func (a *app) runCheck(cmd *cobra.Command, shared *inspectFlags, flags *checkFlags) error {
	rules, err := flags.rules()
	if err != nil {
		return a.checkUnknown(flags, err)
	}
	places, err := a.places(cmd, shared)
	if err != nil {
		return a.checkUnknown(flags, err)
	}
	ctx := cmd.Context()
	snapshots, errs := atEach(places, func(p place) (inspect.Snapshot, error) {
		return a.lookOnce(ctx, p, shared, inspect.CheckQuery(flags.allowScan))
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var checks []inspect.Check
	var living []inspect.Snapshot
	for i, err := range errs {
		if err != nil {
			checks = append(checks, inspect.CheckFailed(places[i].label(), a.plain(err.Error())))
		} else {
			living = append(living, snapshots[i])
		}
	}
	for _, s := range inspect.OneEntryEach(living) {
		checks = append(checks, inspect.CheckSnapshot(s, rules))
	}
	return a.printChecks(flags, checks, rules)
}

// lookOnce opens one place, looks, and closes it.
func (a *app) lookOnce(ctx context.Context, p place, shared *inspectFlags, query inspect.Query) (snapshot inspect.Snapshot, err error) {
	o, err := a.openAndResolve(ctx, p, shared)
	if err != nil {
		return snapshot, err
	}
	defer func() { err = joinClose(err, o.store) }()
	return o.store.Snapshot(ctx, o.table, query)
}

// printChecks prints what was found and ends with the plugin's exit code.
func (a *app) printChecks(flags *checkFlags, checks []inspect.Check, rules inspect.CheckRules) error {
	for i := range checks {
		checks[i].Text = text.Sanitise(checks[i].Text)
	}
	var err error
	switch flags.as {
	case asPrometheus:
		for _, c := range checks {
			if !c.Up {
				a.notef("%s: %s", c.Database, c.Text)
			}
		}
		err = inspect.WritePrometheus(&a.out, checks, rules)
	case asJSON:
		err = inspect.EncodeCheck(&a.out, checks)
	default:
		err = inspect.WriteNagios(&a.out, checks, rules)
	}
	if err != nil {
		return err
	}
	var all []inspect.Status
	for _, c := range checks {
		all = append(all, c.Status)
	}
	return checkEnds(inspect.Worst(all...))
}

// checkUnknown makes of a wrong command line what a plugin makes of it: exit 3,
// and a line for whoever reads the alert.
func (a *app) checkUnknown(flags *checkFlags, err error) error {
	if err == nil {
		return nil
	}
	return a.printChecks(flags, []inspect.Check{inspect.CheckFailed("", a.plain(err.Error()))}, inspect.CheckRules{})
}

// checkEnds is the exit code of a plugin; what was printed stays.
func checkEnds(status inspect.Status) error {
	if status == inspect.StatusOK {
		return nil
	}
	return &exitError{code: status.ExitCode(), keepsOutput: true}
}
