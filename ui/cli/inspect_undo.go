package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"idemtui/inspect"
	"idemtui/inspect/audit"
)

// undoFlags confirm an undo.
type undoFlags struct {
	format string
	yes    bool
	reason string
}

func newInspectUndoCommand(a *app, shared *inspectFlags) *cobra.Command {
	flags := &undoFlags{}
	cmd := &cobra.Command{
		Use:   "undo AUDIT-ID",
		Short: "Put back what a release changed, if untouched since",
		Long: `Put back what a release changed, from its audit record, where nobody has touched the row since.

Without --yes it says what would be put back and changes nothing.`,
		Example: `
idemtui inspect undo 20261129-2017-abc234 --connection payments
idemtui inspect undo 20261129-2017-abc234 --connection payments --yes --reason "wrong key"`,
		Args: oneAuditID,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runUndo(cmd, shared, flags, args[0]) },
	}
	addFormat(cmd, &flags.format, formatTable, formatJSON)
	cmd.Flags().BoolVar(&flags.yes, "yes", false, "put it back, instead of saying what would be")
	cmd.Flags().StringVar(&flags.reason, "reason", "", "why: it is kept in the audit record")
	return cmd
}

func (a *app) runUndo(cmd *cobra.Command, shared *inspectFlags, flags *undoFlags, id string) (err error) {
	if flags.yes && strings.TrimSpace(flags.reason) == "" {
		return usageError("--yes needs --reason", "say why, for the audit record")
	}
	o, past, err := a.openPast(cmd, shared, id)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, o.store) }()
	ctx := cmd.Context()
	if flags.yes && o.place.readOnly {
		return refused("writing is forbidden here by --read-only or by read_only in the config file", "ask whoever set it")
	}
	request := inspect.UndoRequest{AuditID: id, Rows: past.Rows(), Reason: flags.reason, DryRun: !flags.yes}
	if flags.yes {
		log, err := a.openAudit(shared, o.table)
		if err != nil {
			return placeError(err)
		}
		defer log.folder.Close()
		if request.Auditor, err = log.Begin(); err != nil {
			return placeError(err)
		}
	}
	result, undoErr := o.store.Undo(ctx, o.table, request)
	if undoErr != nil && len(result.Restored) == 0 {
		return placeError(undoErr)
	}
	if result.Executed {
		a.noteWritten(len(result.Restored), "put back", result.AuditID)
	}
	if err := a.printUndo(result, past, flags.format); err != nil {
		return err
	}
	switch {
	case undoErr != nil:
		return partialFailure(placeError(undoErr), fmt.Sprintf("%d were put back before", len(result.Restored)))
	case result.Executed && !result.Clean():
		return refused(fmt.Sprintf("%d of %d put back", len(result.Restored), len(request.Rows)), "")
	default:
		return nil
	}
}

// sameTable keeps a record from being undone in another table.
func sameTable(o opened, past audit.Past) error {
	if past.Database == o.database.ID && past.Table == o.table.FullName() {
		return nil
	}
	return usageError(fmt.Sprintf("audit record %s is of %s in %s, not of %s in %s", past.ID, past.Table, past.Database,
		o.table.FullName(), o.database.ID), "name that database and table")
}

// printUndo prints what was put back, or would be.
func (a *app) printUndo(r inspect.UndoResult, past audit.Past, format string) error {
	if format == formatJSON {
		return inspect.EncodeUndo(&a.out, r)
	}
	verb := "would be put back"
	if r.Executed {
		verb = "put back"
	}
	a.printf("%s\n", a.plain(fmt.Sprintf("undo of %s %s by %s: %s", past.Action, past.ID, past.OSUser, past.Reason)))
	a.printSection(verb, keyLines(r.Restored))
	a.printSection("skipped", skipLines(r.Skipped))
	a.printSection("failed", failureLines(r.Failed))
	if r.Executed {
		a.printf("\n%d put back, %d skipped, %d failed; audit id %s\n", len(r.Restored), len(r.Skipped), len(r.Failed), r.AuditID)
	} else {
		a.printf("\nnothing is changed yet; to put back: add --yes --reason TEXT\n")
	}
	return nil
}
