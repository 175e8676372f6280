package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	return a.openScreen(cmd.Context(), places, shared, list)
}

// openScreen connects first, so that what is wrong is said on one line before
// the terminal is taken. With several databases those that answer are shown.
func (a *app) openScreen(ctx context.Context, places []place, shared *inspectFlags, list *listFlags) (err error) {
	rooms, errs := atEach(places, func(p place) (*ui.Place, error) { return a.openForScreen(ctx, p, shared, list) })
	var shown []ui.Place
	for _, r := range rooms {
		if r != nil {
			defer func() { err = joinClose(err, r.Store) }()
			shown = append(shown, *r)
		}
	}
	shown = a.oneEntryEach(shown)
	if failed := a.placesFailed(ctx, places, errs); failed != nil && len(shown) == 0 {
		return failed
	}
	log := &screenAudits{app: a, shared: shared}
	defer log.close()
	for i := range shown {
		number := ""
		if len(shown) > 1 {
			number = fmt.Sprintf("%d of %d", i+1, len(shown))
		}
		configure := shown[i].Configure
		shown[i].Configure = func(table inspect.Table) (triage.Config, error) {
			config, err := configure(table)
			config.Place = number
			if err == nil && config.Mode != inspect.ModeForbidden {
				log.open(&config)
			}
			return config, err
		}
	}
	return screenError(ui.RunInspect(ctx, a.terminal(), shown))
}

// oneEntryEach drops what leads to the same table of the same database as
// another address, keeping a primary rather than its standby, and says so.
func (a *app) oneEntryEach(rooms []ui.Place) []ui.Place {
	var out []ui.Place
	for _, r := range rooms {
		twin := slices.IndexFunc(out, func(o ui.Place) bool {
			return inspect.SameDatabase(o.Database, r.Database) && (o.Table == nil || r.Table == nil || o.Table.FullName() == r.Table.FullName())
		})
		if twin < 0 {
			out = append(out, r)
			continue
		}
		kept, other := out[twin], r
		if kept.Database.Standby && !other.Database.Standby {
			kept, other = other, kept
		}
		out[twin] = kept
		a.notef("%s is the same database as %s, and is not shown twice", other.Database.ID, kept.Database.ID)
	}
	return out
}

// openForScreen opens one place for the screen. Where several tables fit, the
// person chooses on screen.
func (a *app) openForScreen(ctx context.Context, p place, shared *inspectFlags, list *listFlags) (*ui.Place, error) {
	store, err := a.openPlace(p, shared)
	if err != nil {
		return nil, err
	}
	room := &ui.Place{Store: store}
	if room.Database, err = store.Identity(ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	room.Resolve = func(ctx context.Context, table inspect.Table) (inspect.Table, error) {
		target := p.target
		target.Table, target.Profile, target.Map = table.FullName(), "", nil
		return store.Resolve(ctx, target)
	}
	room.Configure = func(table inspect.Table) (triage.Config, error) {
		query, err := list.query(opened{place: p, store: store, database: room.Database, table: table})
		config := triage.Config{
			Store: store, Database: room.Database, Table: table, Query: query, Refresh: shared.refresh, Mode: shared.mode([]place{p}),
			ForbiddenBy: forbiddenBy(p, shared), Unseen: func(text string) { a.notef("%s", text) },
		}
		config.Export = a.exporter(config.Mode)
		return config, err
	}
	table, err := store.Resolve(ctx, p.target)
	var fault *inspect.Fault
	switch {
	case errors.As(err, &fault) && fault.Kind == inspect.FaultAmbiguous:
		return room, nil
	case err != nil:
		return nil, errors.Join(err, store.Close())
	}
	room.Table = &table
	if err := a.found(ctx, opened{place: p, store: store, database: room.Database, table: table}, shared); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if _, err := room.Configure(table); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return room, nil
}

// screenAudits are the audit folders that screens write to. Without one nothing
// can be released; looking is fine.
type screenAudits struct {
	app    *app
	shared *inspectFlags
	logs   []*auditLog
}

func (s *screenAudits) open(config *triage.Config) {
	log, err := s.app.openAudit(s.shared, config.Table)
	if err != nil {
		config.Mode, config.ForbiddenBy = inspect.ModeForbidden, s.app.plain(err.Error())
		return
	}
	s.logs = append(s.logs, log)
	config.Audit = log
}

func (s *screenAudits) close() {
	for _, log := range s.logs {
		log.folder.Close()
	}
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
