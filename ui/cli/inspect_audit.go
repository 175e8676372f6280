package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"idemtui/inspect"
	"idemtui/inspect/audit"
)

// auditFlags say how much of the record is printed.
type auditFlags struct {
	format string
	limit  int
}

func newInspectAuditCommand(a *app, shared *inspectFlags) *cobra.Command {
	flags := &auditFlags{}
	cmd := &cobra.Command{
		Use:   "audit [ID]",
		Short: "What was done, by whom, why",
		Long: `What idemtui changed, by whom and why, newest first; with an id, each row before and after.

It reads the audit files of --audit-dir and needs no database. An operation that was interrupted, so that nobody noted
how it ended, is shown as such; with --dsn or --connection its rows are read again to find out.`,
		Example: `
idemtui inspect audit
idemtui inspect audit 20261129-2017-abc234 --format json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError("one audit id at most", fmt.Sprintf("write '%s ID'", cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.runAudit(cmd, shared, flags, args) },
	}
	addFormat(cmd, &flags.format, formatTable, formatJSON)
	cmd.Flags().IntVar(&flags.limit, "limit", 50, "the most operations that are listed")
	return cmd
}

func (a *app) runAudit(cmd *cobra.Command, shared *inspectFlags, flags *auditFlags, args []string) error {
	if flags.limit < 1 {
		return usageError(fmt.Sprintf("--limit %d lists nothing", flags.limit), "give 1 or more")
	}
	if err := a.resolveGiven(cmd, shared); err != nil {
		return err
	}
	path, err := a.stateFolder(shared)
	if err != nil {
		return placeError(err)
	}
	if len(args) == 1 {
		past, err := findAudit(path, args[0])
		if err != nil {
			return placeError(err)
		}
		if flags.format == formatJSON {
			return audit.EncodeList(&a.out, []audit.Past{past}, a.now(), true)
		}
		a.printPast(past)
		return nil
	}
	history, err := audit.Read(path, time.Time{})
	if err != nil {
		return placeError(err)
	}
	for _, line := range history.Damaged {
		a.notef("warning: %s of %s cannot be read", line, path)
	}
	all := history.Operations
	slices.Reverse(all)
	shown := all[:min(len(all), flags.limit)]
	if flags.format == formatJSON {
		return audit.EncodeList(&a.out, shown, a.now(), false)
	}
	a.printHistory(shown, len(all), path)
	return nil
}

// resolveGiven opens the databases that were named, which finds out how what
// was interrupted there ended.
func (a *app) resolveGiven(cmd *cobra.Command, shared *inspectFlags) error {
	if len(shared.dsns) == 0 && shared.connection == "" {
		return nil
	}
	places, err := a.places(cmd, shared)
	if err != nil {
		return err
	}
	_, errs := atEach(places, func(p place) (struct{}, error) {
		return struct{}{}, a.resolveRecorded(cmd.Context(), p, shared)
	})
	return a.placesFailed(cmd.Context(), places, errs)
}

// resolveRecorded asks one database about what was interrupted in it. The
// records name the tables, so that none has to be found or chosen.
func (a *app) resolveRecorded(ctx context.Context, p place, shared *inspectFlags) (err error) {
	o := opened{place: p}
	if o.store, err = a.openPlace(p, shared); err != nil {
		return err
	}
	defer func() { err = joinClose(err, o.store) }()
	if o.database, err = o.store.Identity(ctx); err != nil {
		return err
	}
	var tables []string
	for _, past := range a.unfinished(shared) {
		if past.Database == o.database.ID && !slices.Contains(tables, past.Table) {
			tables = append(tables, past.Table)
		}
	}
	for _, name := range tables {
		target := p.target
		target.Table = name
		if o.table, err = o.store.Resolve(ctx, target); err != nil {
			a.notef("warning: what was interrupted in %s cannot be read again: %s", name, err)
			continue
		}
		a.resolveUnfinished(ctx, o, shared)
	}
	return nil
}

// endWords are the ends of operations as they are shown.
var endWords = map[string]string{
	audit.EndCommitted: "committed", audit.EndRolledBack: "nothing changed", audit.EndPartly: "partly committed",
	audit.EndMovedOn: "changed since", audit.EndInterrupted: "INTERRUPTED", audit.EndAtWork: "at work",
}

func (a *app) printHistory(shown []audit.Past, all int, path string) {
	if all == 0 {
		a.printf("%s\n", a.plain("nothing was changed yet, says "+path))
		return
	}
	table := newTextTable("ID", "WHEN", "WHO", "WHAT", "ROWS", "END", "TABLE", "DATABASE", "REASON").alignRight("ROWS")
	for _, p := range shown {
		table.add(p.ID, p.Time.UTC().Format("2006-01-02 15:04:05Z"), p.OSUser, whatWasDone(p), fmt.Sprint(len(p.Rows())), endWords[p.End(a.now())], p.Table, p.Database, p.Reason)
	}
	a.printf("%s", table)
	if all > len(shown) {
		a.printf("%d of %d shown (--limit)\n", len(shown), all)
	}
}

// whatWasDone is the action with what it was about.
func whatWasDone(p audit.Past) string {
	switch {
	case p.Action == inspect.ActionUndo:
		return "undo of " + p.UndoOf
	case p.Action == inspect.ActionRelease && p.Mode != "":
		return fmt.Sprintf("release (%s)", p.Mode)
	default:
		return string(p.Action)
	}
}

// printPast is one operation with its rows.
func (a *app) printPast(p audit.Past) {
	facts := newTextTable("", "")
	for _, f := range [][2]string{
		{"id", p.ID},
		{"when", inspect.FormatTime(p.Time)},
		{"who", p.OSUser},
		{"behind sudo", p.SudoUser},
		{"from", p.SSHClient},
		{"what", whatWasDone(p)},
		{"why", p.Reason},
		{"end", endWords[p.End(a.now())]},
		{"table", p.Table},
		{"database", p.Database},
		{"as role", p.DBUser},
		{"plan", p.PlanID},
	} {
		if f[1] != "" {
			facts.add(f[0], f[1])
		}
	}
	a.printf("%s", facts.String()[1:])
	for _, b := range p.Batches {
		var lines []string
		for _, row := range b.Intent.Rows {
			lines = append(lines, changedText(row))
		}
		status := "no end was noted"
		if b.Outcome != nil {
			status = string(b.Outcome.Status)
			if b.Outcome.Error != "" {
				status += ", " + a.plain(b.Outcome.Error)
			}
		}
		a.printSection(fmt.Sprintf("batch %d: %s", b.Intent.Batch, status), lines)
	}
	a.printQueries("sql", []string{p.SQL})
}

// changedText is a row with the columns that differ before and after.
func changedText(row inspect.AuditRow) string {
	text := row.Key.Visible()
	if s := row.Settlement; s != nil {
		text += fmt.Sprintf("  %s (%s)", s.Outcome, s.Reference)
	}
	switch {
	case row.After == nil:
		return text + "  deleted"
	case row.Before == nil:
		return text + "  put back"
	}
	after := map[string]*string{}
	for _, c := range row.After {
		after[c.Column] = c.Value
	}
	for _, c := range row.Before {
		if was, is := orNull(c.Value), orNull(after[c.Column]); was != is {
			text += fmt.Sprintf("  %s: %s -> %s", c.Column, was, is)
		}
	}
	return text
}

func orNull(value *string) string {
	if value == nil {
		return "NULL"
	}
	return *value
}
