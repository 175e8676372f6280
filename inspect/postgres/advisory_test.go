package postgres

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

// advisoryForms are ways in which applications lock a claim, each with the
// mapping that says so.
var advisoryForms = map[string]struct{ mapping, lock string }{
	"hashtext":           {"hashtext(id)", "pg_advisory_lock(hashtext('k1'))"},
	"the key":            {"hashtext(key)", "pg_advisory_lock(hashtext('k1'))"},
	"in a transaction":   {"hashtextextended(id)", "pg_advisory_xact_lock(hashtextextended('k1', 0))"},
	"shared":             {"hashtextextended('pay\\:'||id)", "pg_advisory_lock_shared(hashtextextended('pay:k1', 0))"},
	"md5":                {"md5('jobs-'||id)", "pg_advisory_lock(('x' || substr(md5('jobs-k1'), 1, 16))::bit(64)::bigint)"},
	"a number":           {"int(n)", "pg_advisory_lock(-1)"},
	"two numbers":        {"-7:int(small)", "pg_advisory_lock(-7, -1)"},
	"two hashes":         {"hashtext('it\\'s'):hashtext(tenant||'/'||id)", "pg_advisory_lock(hashtext('it''s'), hashtext('t1/k1'))"},
	"a class of its own": {"0:hashtext(id)", "pg_advisory_lock(0, hashtext('k1'))"},
}

const advisoryTable = `CREATE TABLE jobs (id text PRIMARY KEY, tenant text, n bigint, small int, st text, owner text, lease timestamptz);
INSERT INTO jobs SELECT 'k' || i, 't1', -i, -i, 'P', 'worker-' || i, now() - interval '1 hour' FROM generate_series(1, 3) i`

// holding takes a lock in a session of its own, which bears a name.
func holding(t *testing.T, db *servertest.DB, name, lock string) (*pgx.Conn, pgx.Tx) {
	t.Helper()
	conn := db.Conn()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT set_config('application_name', $1, false), "+lock, name); err != nil {
		t.Fatal(err)
	}
	return conn, tx
}

func evidenceOf(c inspect.Claim, rung inspect.Rung) inspect.Evidence {
	for _, e := range c.Evidence {
		if e.Rung == rung {
			return e
		}
	}
	return inspect.Evidence{}
}

func TestAnAdvisoryLockIsASignOfLife(t *testing.T) {
	for name, form := range advisoryForms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := servertest.Postgres(t)
			db.Exec(advisoryTable)
			s := open(t, db.DSN())
			table := mapped(t, s, "jobs", "key=id,state=st,processing=P,failed=F,owner=owner,lease=lease,advisory="+form.mapping)
			keys := keyList(t, table, "k1", "k2")
			before := plan(t, s, table, inspect.PlanRequest{Keys: keys})
			if len(before.Rows) != 2 {
				t.Fatalf("plan %+v", before.Refused)
			}
			conn, tx := holding(t, db, "worker-1", form.lock)
			snap := snapshot(t, s, table, inspect.Query{})
			for _, c := range snap.Claims {
				e := evidenceOf(c, inspect.RungAdvisoryLock)
				switch held := strings.Contains(e.Text, fmt.Sprintf("is held by pid %d (worker-1)", conn.PgConn().PID())); {
				case c.Key.String() != "k1" && (held || e.For != inspect.ForNeither || c.Verdict != inspect.VerdictCannotTell):
					t.Errorf("%s is %s: %s %s", c.Key, c.Verdict, e.For, e.Text)
				case c.Key.String() == "k1" && (!held || e.For != inspect.ForAlive || c.Verdict != inspect.VerdictAlive):
					t.Errorf("%s is %s: %s %s", c.Key, c.Verdict, e.For, e.Text)
				}
			}
			d, err := s.Show(t.Context(), table, keys[0], inspect.ShowOptions{})
			if err != nil {
				t.Fatal(err)
			}
			// Whoever is asked by hand finds the same session.
			if pid := db.Int("SELECT pid FROM (" + evidenceOf(d.Claim, inspect.RungAdvisoryLock).Query + ") q"); uint32(pid) != conn.PgConn().PID() {
				t.Errorf("the query finds pid %d", pid)
			}
			if p := plan(t, s, table, inspect.PlanRequest{Keys: keys}); len(p.Rows) != 1 || len(p.Refused) != 1 || p.Refused[0].Reason != inspect.ReasonLocked {
				t.Errorf("plan %v, refused %+v", p.Rows, p.Refused)
			}
			// A lock taken after the plan is seen by the statement that writes.
			r := release(t, s, table, before, &memoryAuditor{})
			equal(t, "released", names(r.Released), []string{"k2"})
			if got := reasons(r.Skipped)["k1"]; got != inspect.ReasonLocked {
				t.Errorf("k1 was skipped because %s", got)
			}
			if err := tx.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := conn.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the session is gone", func() bool {
				return db.Int("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())") == 0
			})
			if r := release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keys[:1]}), &memoryAuditor{}); len(r.Released) != 1 {
				t.Errorf("after the end of the session: %+v", r.Skipped)
			}
		})
	}
}

func TestAdvisoryLocksOfTheOwnersSessionsAreNamedAndProveNothing(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(advisoryTable)
	s := open(t, db.DSN())
	table := mapped(t, s, "jobs", "key=id,state=st,processing=P,failed=F,owner=owner,lease=lease")
	conn, _ := holding(t, db, "worker-1", "pg_advisory_lock(42), pg_advisory_lock(-3, 9), pg_advisory_lock(7), pg_advisory_lock(8)")
	for _, c := range snapshot(t, s, table, inspect.Query{}).Claims {
		e := evidenceOf(c, inspect.RungAdvisoryLock)
		want := ""
		if c.Key.String() == "k1" {
			want = fmt.Sprintf("under the owner's name pid %d holds 4 advisory locks (7; 8; 42; ...); for which claim is not known", conn.PgConn().PID())
		}
		if e.Text != want || c.Verdict != inspect.VerdictCannotTell || want != "" && e.For != inspect.ForNeither {
			t.Errorf("%s is %s: %q, want %q", c.Key, c.Verdict, e.Text, want)
		}
	}
}

func TestAdvisoryLocksThatCannotBe(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(`CREATE TABLE odd (id bytea PRIMARY KEY, n bigint, u uuid, st text)`)
	s := open(t, db.DSN())
	for lock, want := range map[string]string{
		"hashtext(id)":   "whose text no application hashes",
		"int(u)":         "is uuid, not int2 or int4 or int8; for another type say how it is hashed: hashtext(u)",
		"1:int(n)":       "is bigint, not int2 or int4",
		"hashtext(nope)": "has no column nope",
	} {
		m, err := inspect.ParseMap("key=id,state=st,processing=P,advisory=" + lock)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Resolve(t.Context(), inspect.Target{Table: "odd", Map: &m}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", lock, err, want)
		}
	}
}
