package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"idemtui/inspect"
	"idemtui/inspect/audit"
)

// followEvery is how often the released keys are read again: one read by key,
// which the index of the key serves.
const followEvery = 2 * time.Second

// followFlags say how long a release is followed.
type followFlags struct {
	format string
	limit  time.Duration
}

func newInspectFollowCommand(a *app, shared *inspectFlags) *cobra.Command {
	flags := &followFlags{limit: 5 * time.Minute}
	cmd := &cobra.Command{
		Use:   "follow AUDIT-ID",
		Short: "What became of the released keys",
		Long: `Read the keys of a release again until each is done, failed again or gone, or until the time is over.

It ends with one line for the channel: 12 released: 9 done, 2 at work, 1 not picked up.
A key that nobody picks up is the commonest end: see what runs next in the plan of the release.`,
		Example: `
idemtui inspect follow 20261129-2017-abc234 --connection payments --for 5m`,
		Args: oneAuditID,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runFollow(cmd, shared, flags, args[0]) },
	}
	addFormat(cmd, &flags.format, formatTable, formatJSON)
	addDuration(cmd.Flags(), &flags.limit, "for", "the longest that the keys are followed")
	return cmd
}

// oneAuditID wants exactly one audit id.
func oneAuditID(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError("one audit id is needed", fmt.Sprintf("write '%s AUDIT-ID'", cmd.CommandPath()))
	}
	return nil
}

func (a *app) runFollow(cmd *cobra.Command, shared *inspectFlags, flags *followFlags, id string) (err error) {
	o, past, err := a.openPast(cmd, shared, id)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, o.store) }()
	rows, err := followable(past)
	if err != nil {
		return err
	}
	follow, followErr := a.follow(cmd.Context(), o, inspect.NewFollow(id, rows), shared.followEvery(cmd), flags.limit)
	if flags.format == formatJSON {
		err = inspect.EncodeFollow(&a.out, follow)
	} else {
		a.printFollow(follow)
	}
	if followErr != nil {
		return followErr
	}
	return err
}

// openPast finds an operation in the audit files and opens the table it was in.
func (a *app) openPast(cmd *cobra.Command, shared *inspectFlags, id string) (o opened, past audit.Past, err error) {
	places, err := a.places(cmd, shared)
	if err != nil {
		return o, past, err
	}
	path, err := a.stateFolder(shared)
	if err != nil {
		return o, past, placeError(err)
	}
	if past, err = findAudit(path, id); err != nil {
		return o, past, placeError(err)
	}
	for i := range places {
		if places[i].target.Table == "" {
			places[i].target.Table = past.Table
		}
	}
	database := ""
	if len(places) > 1 {
		database = past.Database
	}
	if o, err = a.single(cmd.Context(), places, shared, database); err != nil {
		return o, past, err
	}
	if err := sameTable(o, past); err != nil {
		return o, past, joinClose(err, o.store)
	}
	return o, past, nil
}

// followable are the rows of an operation that somebody may pick up again.
func followable(past audit.Past) ([]inspect.AuditRow, error) {
	var rows []inspect.AuditRow
	for _, row := range past.Rows() {
		if row.Settlement == nil || row.Settlement.Outcome != inspect.AnswerCharged {
			rows = append(rows, row)
		}
	}
	switch {
	case past.Action == inspect.ActionUndo:
		return nil, usageError(fmt.Sprintf("audit record %s is an undo, after which nothing runs", past.ID), "name a release")
	case len(rows) == 0:
		return nil, usageError(fmt.Sprintf("audit record %s released nothing, so there is nothing to follow", past.ID), "name another release")
	}
	return rows, nil
}

// followEvery is the pause between two reads.
func (f *inspectFlags) followEvery(cmd *cobra.Command) time.Duration {
	if cmd.Flags().Changed("refresh") && f.refresh > 0 {
		return f.refresh
	}
	return followEvery
}

// follow reads the keys again and again, until there is nothing to wait for or
// the limit is over. A read that fails is tried again at the next turn: a
// server that is restarted between two reads is no end of the story. What is
// known is returned with the error.
func (a *app) follow(ctx context.Context, o opened, f inspect.Follow, every, limit time.Duration) (inspect.Follow, error) {
	reader, can := o.store.(inspect.KeyReader)
	if !can {
		return f, failure(fmt.Errorf("%s cannot be asked for many keys at once", o.database.ID), "look with 'idemtui inspect list --all'")
	}
	end := a.now().Add(limit)
	for {
		look, err := reader.Lookup(ctx, o.table, inspect.KeyList{Keys: f.Open()}, nil)
		if ctx.Err() != nil {
			return f, partialFailure(ctx.Err(), f.Summary())
		}
		before := f.Summary()
		if err == nil {
			f = f.Next(look)
		}
		left := end.Sub(a.now())
		switch {
		case f.Over() || left <= 0 && err == nil:
			return f, nil
		case left <= 0:
			return f, partialFailure(placeError(err), "what was seen before: "+f.Summary())
		}
		a.showProgress(before, f, err)
		select {
		case <-ctx.Done():
			return f, partialFailure(ctx.Err(), f.Summary())
		case <-time.After(min(every, left)):
		}
	}
}

// showProgress tells whoever sits at a terminal what has changed.
func (a *app) showProgress(before string, f inspect.Follow, err error) {
	switch {
	case !a.streams.ErrTerminal:
	case err != nil:
		a.notef("the keys could not be read, trying again: %s", err)
	case f.Summary() != before:
		a.notef("%s", f.Summary())
	}
}

// printFollow prints each key, and the line for the channel at the end.
func (a *app) printFollow(f inspect.Follow) {
	table := newTextTable("KEY", "STATE", "WHAT THE ROW SAYS")
	for _, k := range f.Keys {
		table.add(k.Key.Visible(), k.State.Words(), k.Text)
	}
	a.printf("%s\n%s\n", table, f.Summary())
}
