package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"idemtui/inspect"
)

// served asks the planner whether the partial indexes that there are find the
// claimed rows, and those to be purged: whether an index's predicate follows from
// a condition, only it knows. It reads no row.
func (t *tx) served(ctx context.Context, table inspect.Table, facts *inspect.HealthFacts) error {
	partial := slices.ContainsFunc(facts.Indexes, func(x inspect.Index) bool { return x.Partial && x.Valid })
	if table.Partitioned || !partial { // plans name the partitions' indexes
		return nil
	}
	if err := t.texts(ctx, func([]*string) error { return nil }, "SELECT set_config('enable_seqscan', 'off', true)"); err != nil {
		return err
	}
	m := table.Mapping
	for _, q := range []struct {
		state  inspect.State
		column string
		found  *inspect.Null[bool]
		leads  bool // the index must begin with the column
	}{
		{inspect.StateProcessing, firstOf(m.Lease.Column, m.Heartbeat.Column, m.ClaimedAt), &facts.StuckServed, false},
		{inspect.StateDone, m.CompletedAt, &facts.PurgeServed, true},
	} {
		if q.column == "" {
			continue
		}
		found := false
		err := t.texts(ctx, func(v []*string) error {
			for _, x := range facts.Indexes {
				name := x.Name[strings.LastIndex(x.Name, `."`)+1:]
				if x.Partial && (!q.leads || x.Columns[0] == q.column) && (strings.Contains(*v[0], name+" ") || strings.Contains(*v[0], strings.Trim(name, `"`)+" ")) {
					found = true
				}
			}
			return nil
		}, fmt.Sprintf("EXPLAIN SELECT FROM %s AS t WHERE %s AND %s IS NOT NULL ORDER BY %[3]s LIMIT 1", tableName(table), inState(table, q.state), col(q.column)))
		if err != nil {
			return err
		}
		*q.found = inspect.Some(found)
	}
	return nil
}

func firstOf(names ...string) string {
	for _, n := range names {
		if n != "" {
			return n
		}
	}
	return ""
}
