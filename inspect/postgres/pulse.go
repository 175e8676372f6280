package postgres

import (
	"context"
	"fmt"
	"strconv"

	"idemtui/inspect"
)

// lastClaim is the latest claim time of any row of a table in which nothing is
// claimed now.
type lastClaim struct {
	at    inspect.Stamp
	about bool // from the statistics
}

// pulse reads the server's counters and, where nothing is claimed, when
// something last was.
func (l *looker) pulse(ctx context.Context) (err error) {
	if l.database.Standby {
		return nil // a standby's counters stand still
	}
	if l.digest != nil {
		return nil // no later look compares its counters
	}
	if l.counters, err = l.written(ctx, l.table); err != nil || len(l.judged) > 0 {
		return err
	}
	l.last, err = l.lastClaimed(ctx, l.table, l.exact)
	return err
}

func writtenQuestion(table inspect.Table) question {
	return question{`SELECT coalesce(sum(pg_stat_get_tuples_inserted(o)), 0)::bigint::text, coalesce(sum(pg_stat_get_tuples_updated(o)), 0)::bigint::text,
 coalesce(sum(pg_stat_get_tuples_deleted(o)), 0)::bigint::text
 FROM (SELECT $1::text::oid AS o UNION SELECT relid FROM pg_partition_tree($1::text::oid::regclass)) q`, []any{oidText(table)}}
}

// written are the rows written since the statistics began, partitions added up.
// They are asked of the table's own number: the view would look at every table.
func (t *tx) written(ctx context.Context, table inspect.Table) (inspect.Null[inspect.Counters], error) {
	var c inspect.Counters
	q := writtenQuestion(table)
	err := t.texts(ctx, func(v []*string) error {
		for i, to := range []*int64{&c.Inserted, &c.Updated, &c.Deleted} {
			n, err := strconv.ParseInt(*v[i], 10, 64)
			if err != nil {
				return err
			}
			*to = n
		}
		return nil
	}, q.sql, q.args...)
	if err != nil {
		return inspect.Null[inspect.Counters]{}, err
	}
	return inspect.Some(c), nil
}

// lastClaimed is exact where the table may be counted, else it is what the
// statistics have.
func (t *tx) lastClaimed(ctx context.Context, table inspect.Table, exact bool) (lastClaim, error) {
	column := table.Mapping.ClaimedAt
	c, ok := table.Column(column)
	if !ok {
		return lastClaim{}, nil
	}
	var out lastClaim
	take := func(v []*string) error {
		if v[0] != nil {
			out.at = stampFrom(v[0], nil)
		}
		return nil
	}
	if exact {
		at := "(" + stamp(table, column) + ")"
		return out, t.texts(ctx, take, fmt.Sprintf("SELECT max(%[1]s)::text FROM %[2]s AS t WHERE %[1]s <= now()", at, tableName(table)))
	}
	out.about = true
	if c.Base != "timestamptz" {
		return out, nil
	}
	return out, t.texts(ctx, take, `SELECT (h)[cardinality(h)]::text FROM (SELECT histogram_bounds::text::timestamptz[] AS h FROM pg_stats
 WHERE schemaname = $1::text AND tablename = $2::text AND attname = $3::text ORDER BY inherited DESC LIMIT 1) q`, table.Schema, table.Name, column)
}
