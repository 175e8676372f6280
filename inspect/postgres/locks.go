package postgres

import (
	"context"
	"slices"
	"strconv"
	"time"

	"idemtui/inspect"
)

// lockSQL finds the live holders of row locks from the rows' xmax, without
// locking anything: xmax is the locker's transaction, or a multixact of
// several, and a transaction that runs holds the lock on its own id. xmax alone
// says nothing: it stays after its transaction has ended.
const lockSQL = `WITH s AS MATERIALIZED (SELECT DISTINCT u.x::xid AS xmax FROM unnest($1::text[]) AS u(x)),
 oldest AS MATERIALIZED (SELECT max(mxid_age(relminmxid)) AS age FROM pg_class
  WHERE relkind = 'r' AND (oid = $2::text::oid OR oid IN (SELECT relid FROM pg_partition_tree($2::text::oid::regclass)))),
 m AS MATERIALIZED (SELECT xmax, CASE WHEN mxid_age(xmax) BETWEEN 1 AND (SELECT age FROM oldest) THEN xmax END AS multi FROM s),
 h AS (SELECT xmax, xmax AS xid FROM s
  UNION SELECT m.xmax, g.xid FROM m CROSS JOIN LATERAL pg_get_multixact_members(m.multi) AS g WHERE m.multi IS NOT NULL)
SELECT h.xmax::text, l.pid::text, a.application_name, a.state, extract(epoch FROM clock_timestamp() - a.state_change)::text
FROM h JOIN pg_locks l ON l.locktype = 'transactionid' AND l.transactionid = h.xid AND l.granted AND l.mode = 'ExclusiveLock'
LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.pid IS DISTINCT FROM pg_backend_pid()`

// locks finds who holds the rows locked, by key; hidden says why that cannot
// be seen.
func (t *tx) locks(ctx context.Context, table inspect.Table, rows []read) (holders map[inspect.Key][]inspect.LockHolder, hidden string, err error) {
	switch {
	case t.database.Standby:
		return nil, "a standby knows no locks of the primary", nil
	case !table.RowVersions:
		return nil, "hidden (needs SELECT on xmin, xmax)", nil
	}
	holders, err = t.holding(ctx, rows, func(r *read) string { return r.xmax }, lockSQL, strconv.FormatUint(uint64(table.OID), 10))
	return holders, "", err
}

// holding finds who holds the locks of rows, by key. lock is the id of a row's
// lock, "" where it has none; the statement takes the ids and one argument more,
// and gives each id with a holder.
func (t *tx) holding(ctx context.Context, rows []read, lock func(*read) string, sql, argument string) (map[inspect.Key][]inspect.LockHolder, error) {
	var ids []string
	for i := range rows {
		if id := lock(&rows[i]); id != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	byID := map[string][]inspect.LockHolder{}
	err := t.texts(ctx, func(v []*string) error {
		byID[*v[0]] = append(byID[*v[0]], t.holder(v[1:]))
		return nil
	}, sql, slices.Compact(ids), argument)
	if err != nil || len(byID) == 0 {
		return nil, err
	}
	holders := map[inspect.Key][]inspect.LockHolder{}
	for i := range rows {
		if hs := byID[lock(&rows[i])]; len(hs) > 0 {
			key := rows[i].claim.Key
			holders[key] = append(holders[key], hs...)
		}
	}
	return holders, nil
}

// holder reads pid, application, state and the seconds in that state.
func (t *tx) holder(v []*string) inspect.LockHolder {
	var h inspect.LockHolder
	if v[0] == nil { // a prepared transaction outlives its session
		h.State = "a prepared transaction"
		return h
	}
	h.PID, _ = strconv.ParseInt(*v[0], 10, 64)
	h.Application = textOf(v[1]).V
	h.State = textOf(v[2]).V
	h.Hidden = v[2] == nil && !t.seesAll
	if v[3] != nil {
		if s, err := strconv.ParseFloat(*v[3], 64); err == nil {
			h.InState = time.Duration(s * float64(time.Second))
		}
	}
	return h
}
