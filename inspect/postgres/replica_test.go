package postgres

import (
	"strings"
	"testing"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
	"idemtui/inspect/servertest"
)

// rowsRead counts the rows of the table that were read since the statistics began.
func rowsRead(db *servertest.DB, table string) int {
	db.Exec("SELECT pg_stat_force_next_flush()")
	return db.Int("SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = $1", table)
}

func TestR31_AReplicaTakesTheScans(t *testing.T) {
	primary := servertest.OwnPostgres(t)
	primary.Exec(recommendedDDL(t))
	primary.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at) VALUES
 ('k', 'PROCESSING', 'w1', now() - interval '1 hour', now() - interval '50 minutes'), ('l', 'PROCESSING', 'w2', now() - interval '1 hour', now() - interval '40 minutes'),
 ('gone', 'PROCESSING', 'w2', now() - interval '1 hour', now() - interval '30 minutes'), ('done', 'DONE', 'w2', now() - interval '1 hour', NULL);
 INSERT INTO processed_messages (message_id, state, completed_at) SELECT 'old' || n, 'DONE', now() FROM generate_series(1, 1000) n`)
	standby := primary.Standby()
	standby.CatchUp()
	standby.Exec("SELECT pg_wal_replay_pause()")                                   // what is shown must not be as old as the replica
	primary.Exec("ALTER DATABASE " + primary.Name() + " SET enable_seqscan = off") // so small a table is scanned rather than sought in
	there, err := dsn.Parse(standby.DSN())
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, primary.DSN(), Options{Replica: &there})
	table := resolve(t, s, inspect.Target{})
	primary.Exec("UPDATE processed_messages SET state = 'DONE' WHERE message_id = 'gone'; UPDATE processed_messages SET attempts = 7 WHERE message_id = 'k'")
	before := rowsRead(primary, "processed_messages")
	held, err := primary.Conn().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Exec(t.Context(), "SELECT FROM processed_messages WHERE message_id = 'l' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	snap := snapshot(t, s, table, inspect.Query{})
	equal(t, "list", keysOf(snap.Claims), []string{"k", "l"})
	if c := claimNamed(t, snap, "l"); c.Verdict != inspect.VerdictAlive {
		t.Errorf("a row locked on the primary is %s: %v", c.Verdict, c.Evidence)
	}
	if c := claimNamed(t, snap, "k"); c.Attempts.V != 7 {
		t.Errorf("the row is as old as the replica: %+v", c.Attempts)
	}
	if snap.Database.Standby || snap.Summary.Claimed.Rows != 2 || snap.Summary.ByState[inspect.StateDone].Rows != 1001 {
		t.Errorf("database %+v, summary %+v", snap.Database, snap.Summary)
	}
	if notes := strings.Join(snap.Notes, "\n"); !strings.Contains(notes, "searched and counted on") || !strings.Contains(notes, "1 of 3 claims there are claims no more") {
		t.Errorf("notes %s", notes)
	}
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "done", keysOf(snapshot(t, s, table, inspect.Query{State: inspect.StateDone, Limit: 1}).Claims), []string{"done"})
	// A release is planned from the replica's search and written on the primary.
	p := plan(t, s, table, inspect.PlanRequest{Owner: inspect.Some("w2")})
	if len(p.Rows) != 1 || p.Rows[0].Key.String() != "l" {
		t.Fatalf("plan %+v", p)
	}
	r := release(t, s, table, p, &memoryAuditor{})
	equal(t, "released", names(r.Released), []string{"l"})
	if after := rowsRead(primary, "processed_messages"); after-before > 100 {
		t.Errorf("%d rows were read on the primary", after-before)
	}
}

func TestAReplicaOfAnotherDatabaseIsRefused(t *testing.T) {
	db, _, table := recommended(t, "")
	other := servertest.Postgres(t)
	other.Exec(recommendedDDL(t))
	there, err := dsn.Parse(other.DSN())
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, db.DSN(), Options{Replica: &there})
	_, err = s.Snapshot(t.Context(), table, inspect.Query{})
	if err == nil || !strings.Contains(err.Error(), "is no replica of") {
		t.Errorf("error: %v", err)
	}
}

func TestR31_TwoAddressesOfOneDatabaseAreOneEntry(t *testing.T) {
	primary := servertest.OwnPostgres(t)
	primary.Exec(recommendedDDL(t))
	primary.Exec("INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at) VALUES ('k', 'PROCESSING', 'w1', now() - interval '1 hour', now() - interval '50 minutes')")
	standby := primary.Standby()
	standby.CatchUp()
	var seen []inspect.Snapshot
	for _, connection := range []string{standby.DSN(), primary.DSN(), strings.Replace(primary.DSN(), "127.0.0.1", "localhost", 1)} {
		s := open(t, connection)
		seen = append(seen, snapshot(t, s, resolve(t, s, inspect.Target{}), inspect.Query{}))
	}
	if text := inspect.StandbyText(seen[0].Database, seen[0].Table); !strings.Contains(text, "idemtui inspect --dsn postgres://postgres@"+seen[0].Database.Primary+"/") || seen[0].Database.Primary == "" {
		t.Errorf("the line for the primary: %s", text)
	}
	one := inspect.OneEntryEach(seen)
	if len(one) != 1 || one[0].Database.Standby || strings.Count(strings.Join(one[0].Notes, "\n"), "is the same database") != 2 {
		t.Errorf("%d entries, %+v", len(one), one[0].Notes)
	}
}
