package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"idemtui/inspect"
)

// workRows are the finished rows of which is asked how long they took: enough
// for a 99th percentile, and soon read.
const workRows = 10_000

// workTimes is how long the rows that finished last took. A table that is not
// small is asked only where an index on the end of work serves; one that does
// not answer in time does not take the diagnosis with it.
func (s *Store) workTimes(ctx context.Context, table inspect.Table, facts inspect.HealthFacts, small bool) (inspect.Null[inspect.WorkTimes], error) {
	var out inspect.Null[inspect.WorkTimes]
	m := table.Mapping
	served := slices.ContainsFunc(facts.Indexes, func(x inspect.Index) bool {
		return x.Valid && (!x.Partial || facts.PurgeServed.V) && len(x.Columns) > 0 && x.Columns[0] == m.CompletedAt
	})
	took, tells := tookSeconds(table)
	if !tells || !small && !served {
		return out, nil
	}
	err := s.scanner().look(ctx, "read how long work takes in "+table.FullName(), func(ctx context.Context, t *tx) error {
		return t.texts(ctx, func(v []*string) error {
			if v[1] == nil {
				return nil
			}
			n, err := strconv.ParseInt(*v[0], 10, 64)
			if err != nil {
				return err
			}
			spans := make([]time.Duration, 3)
			for i := range spans {
				seconds, err := strconv.ParseFloat(*v[i+1], 64)
				if err != nil {
					return err
				}
				spans[i] = time.Duration(seconds * float64(time.Second))
			}
			out = inspect.Some(inspect.WorkTimes{Rows: n, P50: spans[0], P99: spans[1], Longest: spans[2]})
			return nil
		}, fmt.Sprintf(`SELECT count(took)::text, (percentile_disc(0.5) WITHIN GROUP (ORDER BY took))::text, (percentile_disc(0.99) WITHIN GROUP (ORDER BY took))::text, max(took)::text
 FROM (SELECT %s AS took FROM %s AS t WHERE %s AND %s IS NOT NULL ORDER BY %[4]s DESC LIMIT %d) q`, took, tableName(table), inState(table, inspect.StateDone), col(m.CompletedAt), workRows))
	})
	var fault *inspect.Fault
	if errors.As(err, &fault) && fault.Kind == inspect.FaultTimeout && ctx.Err() == nil {
		return inspect.Null[inspect.WorkTimes]{}, nil
	}
	return out, err
}

// tookSeconds is the expression of how long a finished row took, NULL where its
// times lie; false where the table does not tell.
func tookSeconds(table inspect.Table) (string, bool) {
	m := table.Mapping
	if m.ClaimedAt == "" || m.CompletedAt == "" {
		return "", false
	}
	for _, name := range []string{m.ClaimedAt, m.CompletedAt} {
		if c, _ := table.Column(name); c.Base == "date" { // too coarse to tell how long
			return "", false
		}
	}
	begin, end := "("+stamp(table, m.ClaimedAt)+")", "("+stamp(table, m.CompletedAt)+")"
	return fmt.Sprintf("CASE WHEN %[1]s BETWEEN '0002-01-01' AND '9999-01-01' AND %[2]s BETWEEN %[1]s AND '9999-01-01' THEN extract(epoch FROM %[2]s - %[1]s) END", begin, end), true
}
