package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"idemtui/inspect"
)

// bare is a condition without the name that our queries give to the table.
func bare(condition string) string { return strings.ReplaceAll(condition, `t."`, `"`) }

// overdueRows bounds the count of rows that the purge has missed.
const overdueRows = 100000

// purgeBatch is one batch of a purge: so many finished rows at a time, each batch
// its own transaction, so that no other session waits long.
func purgeBatch(t inspect.Table, policy inspect.HealthPolicy) string {
	keep := policy.Retention.Or(t.Mapping.Purge.Keep)
	c, ok := t.Column(t.Mapping.CompletedAt)
	if !ok || keep <= 0 || c.Base != "timestamptz" {
		return ""
	}
	at := ident(c.Name)
	keys := make([]string, len(t.Mapping.Key))
	for i, k := range t.Mapping.KeyNames() {
		keys[i] = ident(k)
	}
	key := strings.Join(keys, ", ")
	return fmt.Sprintf("DELETE FROM %[1]s WHERE (%[2]s) IN (SELECT %[2]s FROM %[1]s WHERE %[3]s AND %[4]s < now() - interval '%[5]d seconds' ORDER BY %[4]s LIMIT 1000 FOR UPDATE SKIP LOCKED)",
		tableName(t), key, bare(inState(t, inspect.StateDone)), at, int64(keep/time.Second))
}

// overdue counts, up to a bound, the finished rows that are past the policy or
// their own expiry, where that does not scan a large table.
func (t *tx) overdue(ctx context.Context, table inspect.Table, small bool, facts *inspect.HealthFacts) error {
	keep := facts.Retention.Or(table.Mapping.Purge.Keep)
	m := table.Mapping
	done := inState(table, inspect.StateDone)
	for _, q := range []struct {
		column string
		limit  time.Duration
		rows   *int64
		cut    *bool
	}{{m.CompletedAt, keep, &facts.PastPolicy, &facts.PastPolicyCut}, {m.ExpiresAt, 24 * time.Hour, &facts.Expired, &facts.ExpiredCut}} {
		c, ok := table.Column(q.column)
		served := slices.ContainsFunc(facts.Indexes, func(x inspect.Index) bool { return x.Valid && x.Columns[0] == q.column })
		if !ok || q.limit <= 0 || c.Base != "timestamptz" || !small && !served {
			continue
		}
		err := t.texts(ctx, func(v []*string) error {
			n, err := strconv.ParseInt(*v[0], 10, 64)
			*q.rows, *q.cut = min(n, overdueRows), n > overdueRows
			return err
		}, fmt.Sprintf("SELECT count(*)::text FROM (SELECT FROM %s AS t WHERE %s AND %s < now() - interval '%d seconds' LIMIT %d) q",
			tableName(table), done, col(q.column), int64(q.limit/time.Second), overdueRows+1))
		if err != nil {
			return err
		}
	}
	return nil
}

// hash finds a column with a hash of the payload, and whether completion throws
// it away. Only its null-ness is read.
func (t *tx) hash(ctx context.Context, table inspect.Table, small bool) (inspect.HashFacts, error) {
	var h inspect.HashFacts
	for _, c := range table.Columns {
		if c.Readable && c.Nullable && slices.Contains(inspect.HashNames, fold(c.Name)) && !slices.Contains(table.Mapping.KeyNames(), c.Name) {
			h.Column = c.Name
			break
		}
	}
	if h.Column == "" {
		return h, nil
	}
	take := func(v []*string) (err error) {
		if h.DoneWithout, err = strconv.ParseInt(*v[0], 10, 64); err == nil {
			h.With, err = strconv.ParseInt(*v[1], 10, 64)
		}
		return err
	}
	if small {
		return h, t.texts(ctx, take, fmt.Sprintf("SELECT count(*) FILTER (WHERE %[1]s AND %[2]s IS NULL)::text, count(%[2]s)::text FROM %[3]s AS t",
			inState(table, inspect.StateDone), col(h.Column), tableName(table)))
	}
	// Nearly all rows of a large table are finished.
	h.Estimated = true
	return h, t.texts(ctx, take, `SELECT (s.null_frac * c.reltuples)::bigint::text, ((1 - s.null_frac) * c.reltuples)::bigint::text FROM pg_class c
 JOIN pg_stats s ON s.schemaname = $1::text AND s.tablename = $2::text AND s.attname = $3::text WHERE c.oid = $4::text::oid AND c.reltuples > 0 AND s.null_frac > 0.5`,
		table.Schema, table.Name, h.Column, strconv.FormatUint(uint64(table.OID), 10))
}
