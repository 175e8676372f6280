package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"idemtui/inspect"
	"idemtui/retention"
)

// listFlags say which claims a list shows, and how.
type listFlags struct {
	format   string
	all      bool
	state    string
	since    string
	until    string
	limit    int
	owner    string
	key      string
	exitCode bool
	groupBy  string
	pulse    time.Duration
}

func newInspectListCommand(a *app, shared *inspectFlags) *cobra.Command {
	flags := &listFlags{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "The stuck claims, longest lapsed first",
		Long: `The stuck claims with verdict and evidence, longest lapsed first.

Held claims are left out unless --all is given; finished ones are never listed without --state.
Two or more claims from long before the others fold into one line; the JSON has them all.

--exit-code asks about the claims that --owner, --key, --since, --until and --state ask for, however
many --limit prints: 3 says that one of them is stuck. With --state done, failed or free none is.`,
		Example: `
idemtui inspect list --dsn postgres://inspector@db-1/payments
idemtui inspect list --connection payments --format json | jq -r '.claims[].key'
# is anything moving at all?
idemtui inspect list --connection payments --pulse 30s --group-by owner
# for a script: exit code 3 when stuck claims exist
idemtui inspect list --connection payments --exit-code
# every claim of an owner, however many
idemtui inspect list --connection payments --owner worker-7@h3 --all --limit 1000000 --format csv`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runList(cmd, shared, flags) },
	}
	flags.register(cmd)
	return cmd
}

func (f *listFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	addFormat(cmd, &f.format, formatTable, formatJSON, formatCSV, formatMarkdown)
	flags.BoolVar(&f.all, "all", false, "every PROCESSING claim, the held ones too")
	flags.StringVar(&f.state, "state", "", "another state: free, done, failed, unmapped")
	flags.StringVar(&f.since, "since", "", "claimed at or after: a time, or 2h for 2h ago")
	flags.StringVar(&f.until, "until", "", "claimed before: a time, or 2h for 2h ago")
	flags.IntVar(&f.limit, "limit", inspect.DefaultLimit, "the most claims that are listed")
	flags.StringVar(&f.owner, "owner", "", "only the claims of this owner")
	flags.StringVar(&f.key, "key", "", "only the claim with this key")
	flags.StringVar(&f.groupBy, "group-by", "", "print groups, not claims: by owner, kind or age")
	addDuration(flags, &f.pulse, "pulse", "look again after this time, and say what moved")
	flags.BoolVar(&f.exitCode, "exit-code", false, "exit with 3 when stuck claims exist among those asked for")
}

// runList looks at each database and prints what it saw.
func (a *app) runList(cmd *cobra.Command, shared *inspectFlags, flags *listFlags) error {
	if err := flags.check(cmd); err != nil {
		return err
	}
	places, err := a.places(cmd, shared)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	listing := &listing{mode: shared.mode(places), flags: flags}
	snapshots, errs := atEach(places, func(p place) (inspect.Snapshot, error) {
		return a.look(ctx, p, shared, listing)
	})
	failed := a.placesFailed(ctx, places, errs)
	for i, err := range errs {
		if err != nil {
			snapshots[i] = inspect.Snapshot{Database: inspect.Database{ID: places[i].label(), Engine: string(places[i].dsn.Engine), Error: a.plain(err.Error())}}
		} else {
			listing.living = append(listing.living, snapshots[i])
		}
	}
	if len(listing.living) == 0 {
		return failed
	}
	listing.living, listing.all = inspect.OneEntryEach(listing.living), inspect.OneEntryEach(snapshots)
	if !slices.ContainsFunc(listing.living, func(s inspect.Snapshot) bool { return !s.Database.Standby }) {
		listing.mode = inspect.ModeForbidden // a standby takes no writes
	}
	if err := listing.print(a, flags.format); err != nil {
		return err
	}
	if failed == nil && flags.exitCode && listing.stuck() > 0 {
		return conditionHolds()
	}
	return failed
}

// mode is the mode of this session as it is shown.
func (f *inspectFlags) mode(places []place) inspect.Mode {
	switch {
	case f.readOnly || slices.ContainsFunc(places, func(p place) bool { return p.readOnly }):
		return inspect.ModeForbidden
	case f.allowRelease:
		return inspect.ModeArmed
	default:
		return inspect.ModeReadOnly
	}
}

// look opens one place, looks, and closes it.
func (a *app) look(ctx context.Context, p place, shared *inspectFlags, l *listing) (snapshot inspect.Snapshot, err error) {
	o, err := a.openAndResolve(ctx, p, shared)
	if err != nil {
		return snapshot, err
	}
	defer func() { err = joinClose(err, o.store) }()
	query, err := l.flags.query(o)
	if err != nil {
		return snapshot, err
	}
	query.Sink = l.newSink(a)
	return a.lookForPulse(ctx, o, query, l.flags.pulse)
}

// listStates are the values of --state in its order.
var listStates = []inspect.State{
	inspect.StateProcessing, inspect.StateFree, inspect.StateDone, inspect.StateFailed, inspect.StateUnmapped,
}

// check finds what is wrong with the flags before anything is opened.
func (f *listFlags) check(cmd *cobra.Command) error {
	for _, name := range []string{"owner", "key", "state", "since", "until", "group-by"} {
		// A script's variable that is empty must not ask for everything.
		if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
			return usageError("--"+name+" is empty", "leave it out, or give it a value; an empty key is written text:")
		}
	}
	if f.state != "" && !slices.Contains(listStates, inspect.State(strings.ToLower(f.state))) {
		return usageError(fmt.Sprintf("--state %q is no state", f.state), "it is one of processing, free, done, failed, unmapped")
	}
	if f.groupBy != "" && !slices.Contains(inspect.Groupings, inspect.Grouping(f.groupBy)) {
		return usageError(fmt.Sprintf("--group-by %q is no grouping", f.groupBy), "it is one of owner, kind, age")
	}
	if f.limit < 1 {
		return usageError(fmt.Sprintf("--limit %d lists nothing", f.limit), "give 1 or more")
	}
	for name, value := range map[string]string{"--since": f.since, "--until": f.until} {
		if _, err := parseMoment(value, time.Unix(0, 0)); err != nil {
			return usageError(fmt.Sprintf("%s %q: %s", name, value, err), seeHelp(cmd.CommandPath()))
		}
	}
	return nil
}

// query is what the flags ask of one table. The key is written in the table's
// own key columns, and a duration counts back from its server's clock.
func (f *listFlags) query(o opened) (inspect.Query, error) {
	query := inspect.Query{All: f.all, Limit: f.limit, NoKinds: f.format != formatJSON && f.groupBy != string(inspect.GroupByKind)}
	if state := inspect.State(strings.ToLower(f.state)); state != inspect.StateProcessing {
		query.State = state
	} else {
		query.All = true
	}
	if f.owner != "" {
		query.Owner = inspect.Some(f.owner)
	}
	if f.key != "" {
		key, err := inspect.ParseKey(f.key, o.table.Mapping.Key)
		if err != nil {
			return query, usageError("--key: "+err.Error(), "see 'idemtui help formats'")
		}
		query.Key = inspect.Some(key)
	}
	var err error
	if query.Since, err = parseMoment(f.since, o.database.ServerTime); err != nil {
		return query, usageError("--since: "+err.Error(), "")
	}
	if query.Until, err = parseMoment(f.until, o.database.ServerTime); err != nil {
		return query, usageError("--until: "+err.Error(), "")
	}
	return query, nil
}

// momentLayouts are the times that people write; without a zone they are UTC.
var momentLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}

// parseMoment reads a time, or a duration before now; "" is the zero time.
func parseMoment(value string, now time.Time) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	for _, layout := range momentLayouts {
		if moment, err := time.Parse(layout, value); err == nil {
			return moment.UTC(), nil
		}
	}
	before, err := retention.ParseDuration(value)
	if err != nil {
		return time.Time{}, fmt.Errorf("it is neither a time (2006-01-02T15:04:05Z) nor a duration (2h)")
	}
	return now.Add(-before), nil
}
