package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"idemtui/inspect"
)

// sessionSQL lists the connected sessions that bear a name, with the advisory
// locks that they hold. Both are visible to every role; when the session began
// needs pg_read_all_stats.
var sessionSQL = `SELECT a.pid::text, a.application_name, a.backend_start::text, coalesce(h.n, 0)::text, h.words
 FROM pg_stat_activity a LEFT JOIN (SELECT l.pid, count(*) AS n, array_to_string((array_agg(CASE l.objsubid
  WHEN 2 THEN l.classid::int8::bit(32)::int4::text || ', ' || l.objid::int8::bit(32)::int4 ELSE ` + fmt.Sprintf(advisoryNumber, "l") + `::text END ORDER BY l.classid, l.objid))[1:3], '; ') AS words
  FROM pg_locks l WHERE ` + fmt.Sprintf(advisoryHeld, "l") + ` GROUP BY l.pid) h ON h.pid = a.pid
 WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.application_name <> '' AND a.application_name <> 'idemtui' AND a.application_name NOT LIKE 'idemtui 2%'
 ORDER BY a.backend_start NULLS LAST, a.pid LIMIT 10000`

// advisoryShown is how many advisory locks of a session are named.
const advisoryShown = 3

// sessions finds the sessions that bear the name of one of the claims' owners.
func (t *tx) sessions(ctx context.Context, table inspect.Table, rows []read, facts inspect.Facts) (*inspect.Sessions, error) {
	switch {
	case t.database.Standby:
		return &inspect.Sessions{Skipped: "a standby shows no session of the primary"}, nil
	case table.Mapping.Owner == "":
		return &inspect.Sessions{Skipped: "the table names no owner"}, nil
	case t.database.Pooler:
		return &inspect.Sessions{Skipped: "connections come through a pooler, so sessions bear other clients' names"}, nil
	}
	owners := map[string][]string{} // by the name that a session may bear
	add := func(owner string) {
		for _, name := range inspect.SessionNames(owner) {
			if !slices.Contains(owners[name], owner) {
				owners[name] = append(owners[name], owner)
			}
		}
	}
	for _, r := range rows {
		if r.claim.Owner.OK {
			add(r.claim.Owner.V)
		}
	}
	for o := range facts.KnownOwners() { // whose sessions are those of peers
		add(o)
	}
	out := &inspect.Sessions{ByOwner: map[string][]inspect.Session{}, Names: map[string]string{}}
	err := t.texts(ctx, func(v []*string) error {
		s := inspect.Session{Application: *v[1], Started: stampFrom(v[2], nil)}
		var err error
		if s.PID, err = strconv.ParseInt(*v[0], 10, 64); err != nil {
			return err
		}
		if s.AdvisoryLocks, err = strconv.ParseInt(*v[3], 10, 64); err != nil {
			return err
		}
		if s.AdvisoryWords = textOf(v[4]).V; s.AdvisoryLocks > advisoryShown {
			s.AdvisoryWords += "; ..."
		}
		if len(owners[s.Application]) > 0 {
			out.Names[*v[0]+" "+s.Started.String()] = s.Application
		}
		for _, owner := range owners[s.Application] {
			out.ByOwner[owner] = append(out.ByOwner[owner], s)
		}
		return nil
	}, sessionSQL)
	if out.Pooled = out.ChangedHands(facts.Before); out.Pooled {
		out.Skipped = "sessions change hands between looks, so workers come through a pooler and have none while they work elsewhere"
	}
	return out, err
}
