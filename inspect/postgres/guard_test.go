package postgres

import (
	"testing"

	"idemtui/inspect"
)

// forged makes a plan of claims that no plan would hold: the guard stands in
// the statement and must refuse them by itself.
func forged(t *testing.T, s *Store, table inspect.Table, mode inspect.ReleaseMode) inspect.Plan {
	t.Helper()
	p := inspect.Plan{Database: s.ID(), Table: table.FullName(), Mode: mode}
	for _, c := range snapshot(t, s, table, inspect.Query{All: true}).Claims {
		detail, err := s.Show(t.Context(), table, c.Key, inspect.ShowOptions{}) // a list does not hold the rows as read
		if err != nil {
			t.Fatal(err)
		}
		p.Rows = append(p.Rows, inspect.PlannedFrom(detail.Claim))
	}
	p.SQL = s.statements(table, p)
	p.ID = inspect.PlanID(p)
	return p
}

func TestTheStatementItselfJudgesLeaseHeartbeatAndAge(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (k text PRIMARY KEY, st text, at timestamptz, lease timestamptz, hb timestamptz);
 INSERT INTO jobs VALUES ('lapsed', 'P', now() - interval '1 hour', now() - interval '1 second', NULL),
 ('running', 'P', now() - interval '1 hour', now() + interval '1 minute', NULL),
 ('beating', 'P', now() - interval '1 hour', now() - interval '1 minute', now() - interval '20 seconds'),
 ('silent', 'P', now(), NULL, now() - interval '1 minute'),
 ('young', 'P', now() - interval '14 minutes', NULL, NULL), ('old', 'P', now() - interval '16 minutes', NULL, NULL),
 ('endless', 'P', now() - interval '1 hour', 'infinity', NULL)`)
	table := mapped(t, s, "jobs", "key=k,state=st,processing=P,done=D,free=F,claimed_at=at,lease=lease,heartbeat=hb,heartbeat_every=10s")
	r := release(t, s, table, forged(t, s, table, inspect.ReleaseRequeue), &memoryAuditor{})
	if got := db.Text("SELECT string_agg(k, ',' ORDER BY k) FROM jobs WHERE st = 'F'"); got != "lapsed,old,silent" {
		t.Errorf("written: %s", got)
	}
	got := reasons(r.Skipped)
	for k, want := range map[string]inspect.Reason{"running": inspect.ReasonLeaseRunning, "beating": inspect.ReasonAlive, "young": inspect.ReasonLeaseRunning} {
		if got[k] != want {
			t.Errorf("%s skipped as %q, want %s", k, got[k], want)
		}
	}
}

func TestTheGuardSeesAWriteToAColumnThatIsNotMapped(t *testing.T) {
	db, s, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "k")})
	db.Exec("UPDATE processed_messages SET result = '1'")
	r := release(t, s, table, p, &memoryAuditor{})
	if len(r.Released) != 0 || reasons(r.Skipped)["k"] == "" {
		t.Errorf("result %+v", r)
	}
}

func TestTheGuardSeesAMicrosecond(t *testing.T) {
	db, s, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "k")})
	for i := range p.Rows {
		p.Rows[i].RowVersion = nil // as without a grant on xmin
	}
	p.ID = inspect.PlanID(p)
	db.Exec("UPDATE processed_messages SET claimed_at = claimed_at + interval '1 microsecond'")
	if r := release(t, s, table, p, &memoryAuditor{}); len(r.Released) != 0 {
		t.Errorf("released %v", names(r.Released))
	}
}

func TestAnAlteredPlanIsRefused(t *testing.T) {
	_, s, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "k")})
	p.Mode = inspect.ReleaseDelete
	_, err := s.Release(t.Context(), table, p, inspect.ReleaseOptions{Auditor: &memoryAuditor{}})
	wantFault(t, err, inspect.FaultRefused)
}

// A transaction that refers to the row from another table is a sign of life as
// any other lock, and keeps nothing else from being released.
func TestAForeignKeyCheckHoldsTheClaim(t *testing.T) {
	for _, mode := range []inspect.ReleaseMode{inspect.ReleaseFail, inspect.ReleaseDelete} {
		db, s, table := recommended(t, "('a', 'PROCESSING', 'w1', "+lapsed+"), ('b', 'PROCESSING', 'w1', "+lapsed+")")
		db.Exec("CREATE TABLE lines (of text REFERENCES processed_messages)")
		p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a", "b"), Mode: mode})
		held, err := db.Conn().Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := held.Exec(t.Context(), "INSERT INTO lines VALUES ('a')"); err != nil {
			t.Fatal(err)
		}
		r := release(t, s, table, p, &memoryAuditor{})
		equal(t, "released", names(r.Released), []string{"b"})
		if reasons(r.Skipped)["a"] != inspect.ReasonLocked {
			t.Errorf("%s: a skipped as %+v", mode, r.Skipped)
		}
		if err := held.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
