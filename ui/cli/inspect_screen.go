package cli

import (
	"context"

	"github.com/spf13/cobra"

	"idemtui/inspect"
	"idemtui/ui"
	"idemtui/ui/triage"
)

// runInspect opens the inspector on a terminal. Without one, or where a format
// was asked for, it prints the list.
func (a *app) runInspect(cmd *cobra.Command, shared *inspectFlags, list *listFlags) error {
	if !a.interactive() || cmd.Flags().Changed("format") || list.exitCode {
		return a.runList(cmd, shared, list)
	}
	if err := list.check(cmd); err != nil {
		return err
	}
	places, err := a.places(cmd, shared)
	if err != nil {
		return err
	}
	if len(places) > 1 {
		return usageError("the inspector shows one database, and several are named", "name one, or use 'idemtui inspect list'")
	}
	return a.openScreen(cmd.Context(), places[0], shared, list)
}

// openScreen connects first, so that what is wrong is said on one line before
// the terminal is taken.
func (a *app) openScreen(ctx context.Context, p place, shared *inspectFlags, list *listFlags) (err error) {
	o, err := a.openAndResolve(ctx, p, shared)
	if err != nil {
		return placeError(err)
	}
	defer func() { err = joinClose(err, o.store) }()
	query, err := list.query(o)
	if err != nil {
		return err
	}
	config := triage.Config{
		Store: o.store, Database: o.database, Table: o.table, Query: query, Refresh: shared.refresh, Mode: shared.mode([]place{p}),
		ForbiddenBy: forbiddenBy(p, shared), Unseen: func(text string) { a.notef("%s", text) },
	}
	config.Export = a.exporter(config.Mode)
	if config.Mode != inspect.ModeForbidden {
		log, err := a.openAudit(shared, o.table)
		if err != nil {
			// Without an audit record nothing can be released; looking is fine.
			config.Mode, config.ForbiddenBy = inspect.ModeForbidden, a.plain(err.Error())
		} else {
			defer log.folder.Close()
			config.Audit = log
		}
	}
	return screenError(ui.RunInspect(ctx, a.terminal(), config))
}

// forbiddenBy names what forbids releasing.
func forbiddenBy(p place, shared *inspectFlags) string {
	switch {
	case shared.readOnly:
		return "--read-only"
	case p.readOnly:
		return "read_only in the config file"
	default:
		return ""
	}
}
