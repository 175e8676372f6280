package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
	"idemtui/inspect/profiles"
)

// StoreOptions are what a store needs to know besides its DSN.
type StoreOptions struct {
	// StatementTimeout is the longest time that one statement may take.
	StatementTimeout time.Duration
	// Replica takes the searches and counts, nil without one.
	Replica *dsn.DSN
	// Profiles are the known shapes of tables.
	Profiles []inspect.Profile
	// AuditMappedOnly keeps only the mapped columns of each released row in the
	// audit record, not all that may be read.
	AuditMappedOnly bool
}

// OpenStore prepares the store of a database; its first question connects.
type OpenStore func(d dsn.DSN, options StoreOptions) (inspect.Store, error)

// openPlace opens the store of a place by the engine of its DSN.
func (a *app) openPlace(p place, flags *inspectFlags) (inspect.Store, error) {
	open, known := a.plugs.Stores[p.dsn.Engine]
	if !known {
		return nil, usageError(fmt.Sprintf("this version cannot read %s", p.dsn.Engine), "use postgres://USER@HOST/DATABASE")
	}
	staySmall()
	address := a.withoutOpenPassfile(p.dsn)
	replica := p.replica
	if replica != nil {
		there := a.withoutOpenPassfile(*replica)
		replica = &there
	}
	return open(address, StoreOptions{Replica: replica, Profiles: profiles.With(p.profiles), StatementTimeout: flags.timeout, AuditMappedOnly: flags.auditRow == auditRowMapped})
}

// withoutOpenPassfile leaves a passfile alone that others may read, and says so
// as libpq does.
func (a *app) withoutOpenPassfile(d dsn.DSN) dsn.DSN {
	d, warning := d.WithoutOpenPassfile(a.getenv)
	if warning != "" {
		a.resolving.Lock() // several places are opened at the same time
		defer a.resolving.Unlock()
		a.notef("warning: %s", warning)
	}
	return d
}

// opened is a place whose server answered and whose table was found.
type opened struct {
	place    place
	store    inspect.Store
	database inspect.Database
	table    inspect.Table
}

// openAndResolve opens one place. The store is closed when that fails.
func (a *app) openAndResolve(ctx context.Context, p place, flags *inspectFlags) (opened, error) {
	store, err := a.openPlace(p, flags)
	if err != nil {
		return opened{}, err
	}
	o := opened{place: p, store: store}
	if o.database, err = store.Identity(ctx); err == nil {
		o.table, err = store.Resolve(ctx, p.target)
	}
	if err != nil {
		return opened{}, errors.Join(err, store.Close())
	}
	if err := a.found(ctx, o, flags); err != nil {
		return opened{}, errors.Join(err, store.Close())
	}
	return o, nil
}

// found does what is due when a table is found: interrupted writes are looked
// after, and --save keeps the place.
func (a *app) found(ctx context.Context, o opened, flags *inspectFlags) error {
	a.resolveUnfinished(ctx, o, flags)
	if flags.save == "" {
		return nil
	}
	return a.save(o, flags)
}

// atEach does the same at every place at the same time, and keeps the order.
// The error of one place does not keep the others from answering.
func atEach[T any](places []place, do func(place) (T, error)) ([]T, []error) {
	results, errs := make([]T, len(places)), make([]error, len(places))
	var all sync.WaitGroup
	for i, p := range places {
		all.Go(func() { results[i], errs[i] = do(p) })
	}
	all.Wait()
	return results, errs
}

// placesFailed turns the errors of several places into one: nil if none failed,
// the error itself if there is one place, otherwise one line for each on
// standard error and a summary that keeps the data of the living.
func (a *app) placesFailed(ctx context.Context, places []place, errs []error) error {
	failed := slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return err == nil })
	switch {
	case len(failed) == 0:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case len(places) == 1:
		return placeError(failed[0])
	}
	for i, err := range errs {
		if err != nil {
			a.notef("%s: %s", places[i].label(), placeError(err))
		}
	}
	what := fmt.Errorf("%d of %d databases failed", len(failed), len(places))
	if len(failed) == len(places) {
		return failure(what, "see above")
	}
	return partialFailure(what, "what the others said is printed")
}

// label names a place in a message before its server has given its name.
func (p place) label() string {
	if p.name != "" {
		return p.name
	}
	return p.dsn.Display()
}

// placeError gives a store's error its exit code. A fault says itself what to
// do next.
func placeError(err error) error {
	var coded *exitError
	if errors.As(err, &coded) {
		return err
	}
	var fault *inspect.Fault
	if errors.As(err, &fault) && fault.Kind == inspect.FaultRefused {
		return refused(fault.Error(), "")
	}
	if errors.As(err, &fault) {
		return failure(fault, "")
	}
	return failure(err, "")
}

// single opens the one place that a command for one database means. With
// several, id (as databases[].id) chooses.
func (a *app) single(ctx context.Context, places []place, flags *inspectFlags, id string) (opened, error) {
	if len(places) == 1 && id == "" {
		o, err := a.openAndResolve(ctx, places[0], flags)
		if err != nil {
			return o, placeError(err)
		}
		return o, nil
	}
	all, errs := atEach(places, func(p place) (opened, error) { return a.openAndResolve(ctx, p, flags) })
	if id == "" {
		return onlyOne(all, errs)
	}
	chosen, found := opened{}, false
	var names []string
	for i, o := range all {
		switch {
		case errs[i] != nil && (places[i].name == id || places[i].dsn.Display() == id):
			return opened{}, placeError(errs[i])
		case errs[i] != nil:
			names = append(names, places[i].label()+" (failed)")
		case !found && (o.database.ID == id || o.place.name == id):
			chosen, found = o, true
		default:
			names = append(names, o.database.ID)
			_ = o.store.Close() // it was only asked for its name
		}
	}
	if !found {
		return opened{}, usageError(fmt.Sprintf("no database %q is among those named", id), "they are "+strings.Join(names, ", "))
	}
	return chosen, nil
}

// joinClose closes a store and keeps the first error.
func joinClose(err error, store inspect.Store) error {
	if closed := store.Close(); err == nil {
		return closed
	}
	return err
}

// onlyOne is the database that several addresses lead to, its primary if one is
// among them. Addresses of different databases are a wrong command line.
func onlyOne(all []opened, errs []error) (opened, error) {
	best := -1
	several := slices.ContainsFunc(errs, func(err error) bool { return err != nil })
	for i, o := range all {
		switch {
		case errs[i] != nil:
		case best < 0:
			best = i
		case !inspect.SameDatabase(all[best].database, o.database) || all[best].table.FullName() != o.table.FullName():
			several = true
		case all[best].database.Standby && !o.database.Standby:
			best = i
		}
	}
	for i, o := range all {
		if errs[i] == nil && (i != best || several) {
			_ = o.store.Close() // it was only asked who it is
		}
	}
	if best < 0 || several {
		return opened{}, usageError("several databases are named, and this command is for one", "choose it with --database ID")
	}
	return all[best], nil
}
