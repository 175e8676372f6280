package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"idemtui/inspect"
)

var _ inspect.HealthChecker = (*Store)(nil)

// Health diagnoses a table from one look, the catalog and the statistics.
func (s *Store) Health(ctx context.Context, table inspect.Table, policy inspect.HealthPolicy) (inspect.Health, error) {
	snap, err := s.Snapshot(ctx, table, inspect.Query{All: true})
	if err != nil {
		return inspect.Health{}, err
	}
	facts := inspect.HealthFacts{
		Snapshot: snap, TableSQL: tableName(table), StuckSQL: indexHint(table), PurgeSQL: purgeIndex(table), PurgeBatchSQL: purgeBatch(table, policy),
		ClaimedSQL: bare(inState(table, inspect.StateProcessing)), Retention: policy.Retention, Purge: policy.Purge, Written: snap.Seen.Counters.V,
	}
	err = s.look(ctx, "diagnose "+table.FullName(), func(ctx context.Context, t *tx) error {
		if facts.Indexes, err = t.indexes(ctx, table); err != nil {
			return err
		}
		if err := t.statistics(ctx, table, &facts); err != nil {
			return err
		}
		return t.served(ctx, table, &facts)
	})
	if err != nil {
		return inspect.Health{}, err
	}
	// The rows are read where searches go.
	err = s.scanner().look(ctx, "diagnose "+table.FullName(), func(ctx context.Context, t *tx) error {
		small := snap.Table.Pages <= s.large
		if facts.Finished, err = t.tableFacts(ctx, table, facts.Indexes, small); err != nil {
			return err
		}
		if err := t.overdue(ctx, table, small, &facts); err != nil {
			return err
		}
		facts.Hash, err = t.hash(ctx, table, small)
		return err
	})
	if err != nil {
		return inspect.Health{}, err
	}
	if facts.Finished.Work, err = s.workTimes(ctx, table, facts, snap.Table.Pages <= s.large); err != nil {
		return inspect.Health{}, err
	}
	facts.Finished.Lease = inspect.LeaseLength(table.Mapping, snap.Claims)
	return inspect.Health{Database: snap.Database, Table: snap.Table, At: snap.At, Facts: facts.Finished, Findings: inspect.Diagnose(facts)}, nil
}

// purgeIndex is the index that finds what may be purged.
func purgeIndex(t inspect.Table) string {
	if t.Mapping.CompletedAt == "" {
		return ""
	}
	return fmt.Sprintf("CREATE INDEX CONCURRENTLY ON %s (%s) WHERE %s", tableName(t), ident(t.Mapping.CompletedAt), bare(inState(t, inspect.StateDone)))
}

func (t *tx) indexes(ctx context.Context, table inspect.Table) ([]inspect.Index, error) {
	var out []inspect.Index
	err := t.texts(ctx, func(v []*string) error {
		out = append(out, inspect.Index{Name: ident(*v[0], *v[1]), Unique: *v[2] == "true", Valid: *v[3] == "true", Partial: *v[4] == "true", Columns: strings.Split(*v[5], "\n")})
		return nil
	}, `SELECT n.nspname::text, i.relname::text, x.indisunique::text, x.indisvalid::text, (x.indpred IS NOT NULL)::text,
 (SELECT string_agg(coalesce(a.attname, ''), E'\n' ORDER BY k) FROM generate_series(0, x.indnkeyatts - 1) k LEFT JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[k])
 FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_namespace n ON n.oid = i.relnamespace WHERE x.indrelid = $1::text::oid ORDER BY i.relname`,
		strconv.FormatUint(uint64(table.OID), 10))
	return out, err
}

// statistics reads the server's counters; partitions are added up.
func (t *tx) statistics(ctx context.Context, table inspect.Table, facts *inspect.HealthFacts) error {
	return t.texts(ctx, func(v []*string) error {
		var err error
		if facts.LiveRows, err = strconv.ParseInt(*v[0], 10, 64); err != nil {
			return err
		}
		facts.DeadRows, err = strconv.ParseInt(*v[1], 10, 64)
		facts.Vacuumed, facts.Analyzed = stampFrom(v[2], nil), stampFrom(v[3], nil)
		return err
	}, `SELECT coalesce(sum(n_live_tup), 0)::bigint::text, coalesce(sum(n_dead_tup), 0)::bigint::text, max(greatest(last_vacuum, last_autovacuum))::text, max(greatest(last_analyze, last_autoanalyze))::text
 FROM pg_stat_user_tables WHERE relid = $1::text::oid OR relid IN (SELECT relid FROM pg_partition_tree($1::text::oid::regclass))`,
		strconv.FormatUint(uint64(table.OID), 10))
}

// tableFacts are what retention asks: exactly where the table is small or an
// index on the completion time serves, else from the statistics.
func (t *tx) tableFacts(ctx context.Context, table inspect.Table, indexes []inspect.Index, small bool) (inspect.TableFacts, error) {
	var f inspect.TableFacts
	err := t.texts(ctx, func(v []*string) error {
		if v[0] == nil {
			return nil
		}
		n, err := strconv.ParseInt(*v[0], 10, 64)
		f.RowBytes = inspect.Some(n)
		return err
	}, `SELECT (sum(pg_total_relation_size(c.oid)) / nullif(sum(greatest(c.reltuples, 0)), 0))::bigint::text FROM pg_class c
 WHERE c.relkind = 'r' AND (c.oid = $1::text::oid OR c.oid IN (SELECT relid FROM pg_partition_tree($1::text::oid::regclass)))`, strconv.FormatUint(uint64(table.OID), 10))
	column := table.Mapping.CompletedAt
	if err != nil || column == "" {
		return f, err
	}
	served := slices.ContainsFunc(indexes, func(x inspect.Index) bool { return x.Valid && x.Columns[0] == column })
	if !small && !served {
		f.Sampled = true
		return f, t.sampledOldest(ctx, table, column, &f)
	}
	// The bare column first: min() of an expression uses no index.
	at := stamp(table, column)
	done := inState(table, inspect.StateDone)
	err = t.texts(ctx, func(v []*string) error {
		f.OldestFinished = stampFrom(v[0], nil)
		n, err := strconv.ParseInt(*v[1], 10, 64)
		f.RowsPerDay = inspect.Some(n)
		return err
	}, fmt.Sprintf("SELECT (SELECT (%[1]s)::text FROM %[3]s AS t WHERE %[2]s AND %[4]s IS NOT NULL ORDER BY %[4]s LIMIT 1), (SELECT count(*)::text FROM %[3]s AS t WHERE %[2]s AND (%[1]s) > now() - interval '1 day')",
		at, done, tableName(table), col(column)))
	return f, err
}

// sampledOldest takes the lowest bound of the statistics' histogram.
func (t *tx) sampledOldest(ctx context.Context, table inspect.Table, column string, f *inspect.TableFacts) error {
	c, _ := table.Column(column)
	if c.Base != "timestamptz" {
		return nil
	}
	return t.texts(ctx, func(v []*string) error {
		f.OldestFinished = stampFrom(v[0], nil)
		return nil
	}, `SELECT ((histogram_bounds::text::timestamptz[])[1])::text FROM pg_stats WHERE schemaname = $1::text AND tablename = $2::text AND attname = $3::text ORDER BY inherited DESC LIMIT 1`,
		table.Schema, table.Name, column)
}
