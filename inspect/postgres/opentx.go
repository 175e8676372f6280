package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"idemtui/inspect"
)

// openSQL lists the transactions of other sessions that have written to a table
// or one of its partitions: whoever writes holds its RowExclusiveLock to the
// end of the transaction. Expected plan: scans of pg_locks and pg_stat_activity,
// which are in memory; no lock on the table.
const openSQL = `SELECT DISTINCT ON (l.pid) l.pid::text, a.application_name, a.usename::text, a.state,
 extract(epoch FROM clock_timestamp() - a.xact_start)::text, extract(epoch FROM clock_timestamp() - a.state_change)::text,
 array_to_string(pg_blocking_pids(l.pid), ' ')
FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'relation' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l.granted
 AND l.mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
 AND (l.relation = $1::text::oid OR l.relation IN (SELECT relid FROM pg_partition_tree($1::text::oid::regclass)))
 AND l.pid IS DISTINCT FROM pg_backend_pid() AND coalesce(a.backend_type, 'client backend') = 'client backend'
ORDER BY l.pid LIMIT 1000`

// open finds the transactions that hang, of a table whose rows appear only when
// the work commits. A standby shows none of the primary's.
func (t *tx) open(ctx context.Context, table inspect.Table) ([]inspect.OpenTransaction, error) {
	if table.Mapping.Kind != inspect.KindInsertOnly || t.database.Standby {
		return nil, nil
	}
	var out []inspect.OpenTransaction
	err := t.texts(ctx, func(v []*string) error {
		o := inspect.OpenTransaction{Application: textOf(v[1]).V, User: textOf(v[2]).V, State: textOf(v[3]).V, Age: secondsOf(v[4]), InState: secondsOf(v[5])}
		if v[0] == nil {
			o.State, o.EndSQL = "a prepared transaction", "ROLLBACK PREPARED '...' (see pg_prepared_xacts)"
			out = append(out, o)
			return nil
		}
		var err error
		if o.PID, err = strconv.ParseInt(*v[0], 10, 64); err != nil {
			return err
		}
		o.EndSQL = fmt.Sprintf("SELECT pg_terminate_backend(%d)", o.PID)
		for _, pid := range strings.Fields(textOf(v[6]).V) {
			if n, err := strconv.ParseInt(pid, 10, 64); err == nil {
				o.WaitsFor = append(o.WaitsFor, n)
			}
		}
		out = append(out, o)
		return nil
	}, openSQL, strconv.FormatUint(uint64(table.OID), 10))
	return out, err
}

func secondsOf(text *string) inspect.Null[time.Duration] {
	if text == nil {
		return inspect.Null[time.Duration]{}
	}
	s, err := strconv.ParseFloat(*text, 64)
	if err != nil {
		return inspect.Null[time.Duration]{}
	}
	return inspect.Some(time.Duration(s * float64(time.Second)))
}
