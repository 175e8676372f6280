package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"idemtui/inspect"
)

// exactPages is the size up to which a table's states are counted exactly
// (200 MB): larger ones are estimated and never scanned for a count.
const exactPages = 25000

// maxRawStates bounds the distinct states that are listed: more means that the
// mapped column is no state.
const maxRawStates = 100

// counts are the rows by state.
type counts struct {
	byState  map[inspect.State]inspect.Count
	unmapped map[string]inspect.Count
	notes    []string
}

// pagesSQL adds up the size of a table and its partitions, in pages.
const pagesSQL = `SELECT (coalesce(sum(pg_relation_size(c.oid)), 0)::bigint / current_setting('block_size')::bigint)::text FROM pg_class c
 WHERE c.relkind = 'r' AND (c.oid = $1::text::oid OR c.oid IN (SELECT relid FROM pg_partition_tree($1::text::oid::regclass)))`

func pagesQuestion(table inspect.Table) question { return question{pagesSQL, []any{oidText(table)}} }

func oidText(table inspect.Table) string { return strconv.FormatUint(uint64(table.OID), 10) }

// pages is the table's size now, in pages of 8 kB, partitions included.
func (t *tx) pages(ctx context.Context, table inspect.Table) (int64, error) {
	var pages int64
	q := pagesQuestion(table)
	err := t.texts(ctx, func(v []*string) error {
		var err error
		pages, err = strconv.ParseInt(*v[0], 10, 64)
		return err
	}, q.sql, q.args...)
	return pages, err
}

// count counts exactly, by one scan of the table.
func (t *tx) count(ctx context.Context, table inspect.Table) (counts, error) {
	m := table.Mapping
	c := counts{byState: map[inspect.State]inspect.Count{}, unmapped: map[string]inspect.Count{}}
	for _, s := range inspect.StateOrder {
		if len(m.State.Values[s])+len(m.State.Rules[s]) > 0 {
			c.byState[s] = inspect.Count{Exact: true}
		}
	}
	raw := col(m.State.Column) + "::text"
	if m.State.ByRules() {
		raw = stateLabel(table)
	}
	distinct := 0
	err := t.texts(ctx, func(v []*string) error {
		n, err := strconv.ParseInt(*v[1], 10, 64)
		if err != nil {
			return fmt.Errorf("count %q: %w", *v[1], err)
		}
		if distinct++; distinct > maxRawStates {
			c.notes = append(c.notes, fmt.Sprintf("the state column has more than %d values: is it the right one?", maxRawStates))
			return nil
		}
		c.add(m, v[0], inspect.Count{Rows: n, Exact: true})
		return nil
	}, fmt.Sprintf("SELECT %s, count(*)::text FROM %s AS t GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %d", raw, tableName(table), maxRawStates+1))
	return c, err
}

func (c counts) add(m inspect.Mapping, raw *string, n inspect.Count) {
	state := m.State.Of(textOf(raw))
	if m.State.ByRules() {
		state = inspect.State(*raw)
	}
	old, ok := c.byState[state]
	c.byState[state] = inspect.Count{Rows: old.Rows + n.Rows, Exact: n.Exact && (old.Exact || !ok)}
	if state != inspect.StateUnmapped {
		return
	}
	name := "NULL"
	if raw != nil {
		name = *raw
	}
	c.unmapped[name] = n
}

func estimateQuestion(table inspect.Table) question {
	return question{`SELECT s.v, (s.f * c.reltuples)::bigint::text FROM pg_class c, LATERAL (SELECT unnest(most_common_vals::text::text[]) AS v, unnest(most_common_freqs) AS f
  FROM (SELECT most_common_vals, most_common_freqs FROM pg_stats WHERE schemaname = $1::text AND tablename = $2::text AND attname = $3::text ORDER BY inherited DESC LIMIT 1) q) s
 WHERE c.oid = $4::text::oid AND c.reltuples > 0`, []any{table.Schema, table.Name, table.Mapping.State.Column, oidText(table)}}
}

// estimate reads the statistics instead of the table. A state that they do not
// know stays away: it may be rare, and the stuck ones are the rare ones.
func (t *tx) estimate(ctx context.Context, table inspect.Table) (counts, error) {
	m := table.Mapping
	c := counts{byState: map[inspect.State]inspect.Count{}, unmapped: map[string]inspect.Count{}}
	if m.State.ByRules() {
		return c, nil
	}
	q := estimateQuestion(table)
	err := t.texts(ctx, func(v []*string) error {
		n, err := strconv.ParseInt(*v[1], 10, 64)
		if err == nil && n > 0 {
			c.add(m, v[0], inspect.Count{Rows: n})
		}
		return err
	}, q.sql, q.args...)
	return c, err
}

// finished is how long finished rows took from claim to completion; none
// where the table does not tell.
func (t *tx) finished(ctx context.Context, table inspect.Table) (inspect.Null[inspect.Finished], error) {
	took, tells := tookSeconds(table)
	if !tells {
		return inspect.Null[inspect.Finished]{}, nil
	}
	var out inspect.Null[inspect.Finished]
	err := t.texts(ctx, func(v []*string) error {
		if v[1] == nil {
			return nil
		}
		n, err := strconv.ParseInt(*v[0], 10, 64)
		if err != nil {
			return err
		}
		s, err := strconv.ParseFloat(*v[1], 64)
		if err != nil {
			return err
		}
		out = inspect.Some(inspect.Finished{Rows: n, Longest: time.Duration(s * float64(time.Second))})
		return nil
	}, fmt.Sprintf("SELECT count(q.took)::text, max(q.took)::text FROM (SELECT %s AS took FROM %s AS t WHERE %s) q", took, tableName(table), inState(table, inspect.StateDone)))
	return out, err
}
