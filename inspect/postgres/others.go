package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"idemtui/inspect"
)

// mostOthers bounds the owners that are read beside a few claims.
const mostOthers = 1000

// amongOthers makes known, to claims that are read by key or owner, the owners of all
// claimed rows: one of them is no peer of itself, and three of a hundred that fell
// silent together are not all. They come from the look before, else from a table
// that is small enough to search.
func (s *Store) amongOthers(ctx context.Context, l *looker) error {
	if before := l.facts.Before; before != nil && !before.Partial && len(before.Claims) > 1 {
		l.facts.Others = slices.Collect(maps.Values(before.Claims))
		return nil
	}
	pages, err := l.pages(ctx, l.table)
	if err != nil || pages > s.large || s.uncountable(l.table.OID) {
		return err
	}
	l.facts.Others, err = l.others(ctx)
	return err
}

// others are claims of every owner: for each the one with the latest sign of life.
func (l *looker) others(ctx context.Context) ([]inspect.Claim, error) {
	m := l.table.Mapping
	if m.Owner == "" {
		return nil, nil
	}
	sign := "NULL::timestamptz"
	switch {
	case m.Heartbeat.Column != "":
		sign = stamp(l.table, m.Heartbeat.Column)
	case m.Lease.Mapped():
		sign = lease(l.table)
	}
	rows, err := l.reader.rows(ctx, l.tx, fmt.Sprintf(
		"SELECT DISTINCT ON (%[1]s) %[2]s FROM %[3]s AS t WHERE %[4]s AND %[1]s IS NOT NULL ORDER BY %[1]s, CASE WHEN isfinite(%[5]s) THEN %[5]s END DESC NULLS LAST LIMIT %[6]d",
		ownerText(l.table), l.reader.list, tableName(l.table), inState(l.table, inspect.StateProcessing), sign, mostOthers))
	return claimsOf(rows), err
}
