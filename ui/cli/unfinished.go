package cli

import (
	"context"

	"idemtui/inspect"
	"idemtui/inspect/audit"
)

// reportUnfinished warns of operations whose end nobody noted, as after a
// crash between the record and the commit. How they ended is found out when
// their table is opened.
func (a *app) reportUnfinished(shared *inspectFlags) {
	for _, past := range a.unfinished(shared) {
		var keys []string
		for _, row := range past.Rows() {
			keys = append(keys, row.Key.Visible())
		}
		a.notef("warning: %s %s in %s of %s was interrupted, and nobody noted whether it was committed; look at %s", past.Action, past.ID,
			past.Table, past.Database, firstFew(keys))
	}
}

// unfinished are the operations of the last days whose end nobody noted.
func (a *app) unfinished(shared *inspectFlags) []audit.Past {
	path, err := a.stateFolder(shared)
	if err != nil {
		return nil // a look needs no folder, and a command that writes says so itself
	}
	history, err := audit.Read(path, a.now().AddDate(0, 0, -reportedDays))
	if err != nil {
		return nil // likewise
	}
	return history.Unfinished(a.now())
}

// resolveUnfinished finds out how interrupted operations on this table ended,
// by reading their rows again, says so, and notes it in their records.
func (a *app) resolveUnfinished(ctx context.Context, o opened, shared *inspectFlags) {
	reader, can := o.store.(inspect.Rereader)
	if !can {
		return
	}
	a.resolving.Lock()
	defer a.resolving.Unlock()
	for _, past := range a.unfinished(shared) {
		if past.Database != o.database.ID || past.Table != o.table.FullName() {
			continue
		}
		ends, err := endsOf(ctx, reader, o.table, past)
		if err != nil {
			a.notef("warning: how %s %s ended could not be read from its rows: %s", past.Action, past.ID, err)
			continue
		}
		a.notef("%s %s, which was interrupted: %s; see 'idemtui inspect audit %s'", past.Action, past.ID, inspect.EndText(ends), past.ID)
		if err := a.noteEnds(ctx, shared, past.ID, ends); err != nil {
			a.notef("warning: that could not be noted in its record: %s", err)
		}
	}
}

// endsOf reads the rows of each batch without a known end.
func endsOf(ctx context.Context, reader inspect.Rereader, table inspect.Table, past audit.Past) ([]inspect.Outcome, error) {
	var ends []inspect.Outcome
	for _, batch := range past.Batches {
		if batch.Known() {
			continue
		}
		status, now, err := reader.Reread(ctx, table, batch.Intent)
		if err != nil {
			return nil, err
		}
		ends = append(ends, inspect.EndOf(batch.Intent, status, now))
	}
	return ends, nil
}

// noteEnds writes the ends of batches into the record of their operation.
func (a *app) noteEnds(ctx context.Context, shared *inspectFlags, id string, ends []inspect.Outcome) error {
	path, err := a.stateFolder(shared)
	if err != nil {
		return err
	}
	folder, err := audit.Open(path, a.now, audit.Me(a.getenv))
	if err != nil {
		return err
	}
	operation := folder.Resume(id)
	for _, end := range ends {
		if end.Status == inspect.OutcomeUnknown {
			continue // the server is still at work on it
		}
		if err = operation.Outcome(ctx, end); err != nil {
			break
		}
	}
	if closed := folder.Close(); err == nil {
		err = closed
	}
	return err
}
