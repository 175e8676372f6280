package postgres

import (
	"context"
	"fmt"
	"maps"

	"idemtui/inspect"
)

// scanner is the store that scans go to: the replica where there is one.
func (s *Store) scanner() *Store {
	if s.replica != nil {
		return s.replica
	}
	return s
}

// snapshotByReplica searches and counts on the replica, and reads the rows found
// by their keys on this store's own server: what is shown and judged is never
// as old as the replica. Rows that are not claimed are shown as the replica has
// them.
func (s *Store) snapshotByReplica(ctx context.Context, table inspect.Table, query inspect.Query) (inspect.Snapshot, error) {
	other := query.State != "" && query.State != inspect.StateProcessing && !query.Key.OK
	search := query
	if !other {
		search = searchOf(query)
	}
	found, err := s.replica.snapshotHere(ctx, table, search)
	if err != nil {
		return found, err
	}
	primary, err := s.Identity(ctx)
	if err != nil {
		return found, err
	}
	if err := sameDatabase(primary, found.Database); err != nil {
		return found, err
	}
	note := fmt.Sprintf("searched and counted on %s", found.Database.ID)
	if found.Database.ReplayLag.OK {
		note += fmt.Sprintf(", %s behind", inspect.FormatSpan(found.Database.ReplayLag.V))
	}
	if other {
		replica := found.Database
		found.Database = primary
		found.Notes = append(found.Notes, fmt.Sprintf("%s; these rows are as old as that (%s)", note, inspect.FormatTime(replica.ServerTime)))
		return found, nil
	}
	query.Known = knownFrom(found)
	out, err := s.snapshotHere(ctx, table, query)
	if err != nil {
		return out, err
	}
	out.Table.Pages = found.Table.Pages
	claimed := out.Summary.ByState[inspect.StateProcessing]
	out.Summary.ByState, out.Summary.Unmapped = found.Summary.ByState, found.Summary.Unmapped
	out.Summary.ByState[inspect.StateProcessing] = claimed
	out.IndexHint, out.ScannedAt, out.Seen.ScannedAt = found.IndexHint, found.ScannedAt, found.ScannedAt
	note += fmt.Sprintf("; rows, locks and sessions are read by key on %s", out.Database.ID)
	if gone := int64(len(query.Known.Claims)) - int64(len(out.Seen.Claims)); gone > 0 {
		note += fmt.Sprintf("; %d of %d claims there are claims no more", gone, len(query.Known.Claims))
	}
	out.Notes = append([]string{note}, out.Notes...)
	return out, nil
}

// sameDatabase refuses a replica of another database: what it does not hold
// would be called not stuck.
func sameDatabase(primary, replica inspect.Database) error {
	other := ""
	switch {
	case primary.Name != replica.Name:
		other = fmt.Sprintf("it is database %s, not %s", replica.Name, primary.Name)
	case primary.System != "" && replica.System != "" && primary.System != replica.System:
		other = "it is no copy of that server (another system identifier)"
	default:
		return nil
	}
	return &inspect.Fault{Kind: inspect.FaultMapping, What: fmt.Sprintf("%s is no replica of %s: %s", replica.ID, primary.ID, other), Next: "correct --replica"}
}

// searchOf is the look that finds the claimed rows for a query: all of them, and
// those that its filters want where there are too many to read.
func searchOf(query inspect.Query) inspect.Query {
	search := inspect.Query{All: true, Limit: 1, Rescan: query.Rescan, NeverScan: query.NeverScan, Before: query.Before}
	if query.Owner.OK || !query.Since.IsZero() || !query.Until.IsZero() {
		search.Owner, search.Since, search.Until, search.Limit = query.Owner, query.Since, query.Until, 2*lookRows
	}
	return search
}

// knownFrom is everything claimed that a search found.
func knownFrom(found inspect.Snapshot) *inspect.Look {
	known := inspect.Remember(found.At, found.Claims)
	maps.Copy(known.Claims, found.Seen.Claims)
	known.ScannedAt, known.Cut, known.Finished = found.ScannedAt, found.Seen.Cut, found.Seen.Finished
	return known
}

// findOnReplica finds the claimed rows for a plan by owner or by verdict.
func (s *Store) findOnReplica(ctx context.Context, table inspect.Table, request inspect.PlanRequest) (inspect.PlanRequest, error) {
	if s.replica == nil || len(request.Keys) > 0 {
		return request, nil
	}
	found, err := s.replica.snapshotHere(ctx, table, searchOf(inspect.Query{Owner: request.Owner, Rescan: true}))
	if err == nil {
		var here inspect.Database
		if here, err = s.Identity(ctx); err == nil {
			err = sameDatabase(here, found.Database)
		}
	}
	if err == nil {
		request.Known = knownFrom(found)
	}
	return request, err
}
