package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

func TestFaultsOfTheConnection(t *testing.T) {
	db := servertest.Postgres(t)
	good := db.DSN()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	for _, c := range []struct {
		name, dsn string
		kind      inspect.FaultKind
		text      string
	}{
		{"nothing listens", "postgres://u:s3cretpw@127.0.0.1:1/db", inspect.FaultUnreachable, "nothing listens there"},
		{"no answer to the offer of encryption", fmt.Sprintf("postgres://u:s3cretpw@%s/db?connect_timeout=1", silent.Addr()), inspect.FaultUnreachable, "no answer"},
		{"unknown host", "postgres://u:s3cretpw@no-such-host.invalid/db", inspect.FaultUnreachable, "host name is unknown"},
		{"wrong password", fmt.Sprintf("postgres://postgres:s3cretpw@127.0.0.1:%d/%s", db.Port(), db.Name()), inspect.FaultLogin, "password"},
		{"unknown database", strings.Replace(good, db.Name(), "nodb", 1), inspect.FaultUnknownDatabase, `no database "nodb"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, c.dsn, Options{ConnectTimeout: 5 * time.Second})
			start := time.Now()
			_, err := s.Identity(t.Context())
			if took := time.Since(start); took > 4*time.Second {
				t.Errorf("took %s: connect_timeout is not obeyed", took)
			}
			f := wantFault(t, err, c.kind)
			whole := fmt.Sprintf("%v %+v %v", err, f, f.Err)
			if !strings.Contains(err.Error(), c.text) || f.Next == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("error: %v", err)
			}
			if strings.Contains(whole, "s3cretpw") {
				t.Errorf("the password shows: %s", whole)
			}
		})
	}
}

func TestFaultsOfTheTable(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE VIEW messages_view AS SELECT * FROM processed_messages;
 CREATE TABLE nokey (message_id text, state text, owner text, claimed_at timestamptz, lease_expires_at timestamptz, fencing_token bigint);
 CREATE TABLE odd (id text PRIMARY KEY, st text, lease text, n bigint, kind int);
 CREATE TYPE st AS ENUM ('A', 'B'); CREATE TABLE enums (id text PRIMARY KEY, st st);
 CREATE SCHEMA other; CREATE TABLE other.odd (id text PRIMARY KEY)`)
	for _, c := range []struct {
		name, table, mapping string
		kind                 inspect.FaultKind
		text                 string
	}{
		{"no table", "processed_message", "", inspect.FaultUnknownTable, "did you mean public.processed_messages?"},
		{"no such column", "public.odd", "key=id,state=sta,processing=P", inspect.FaultUnknownColumn, "did you mean st?"},
		{"view", "messages_view", "", inspect.FaultNotATable, "is a view"},
		{"no key", "nokey", "", inspect.FaultNoKey, "ADD PRIMARY KEY (message_id)"},
		{"lease is text", "public.odd", "key=id,state=st,processing=P,lease=lease", inspect.FaultNotATime, "column lease (lease) is text, not a time"},
		{"lease is a number without a unit", "public.odd", "key=id,state=st,processing=P,lease=n", inspect.FaultNotATime, "unit.n="},
		{"two schemas", "odd", "key=id,state=st,processing=P", inspect.FaultAmbiguous, "other.odd, public.odd"},
		{"enum", "enums", "key=id,state=st,processing=C", inspect.FaultMapping, "its values are A, B"},
		{"int state", "public.odd", "key=id,state=kind,processing=X", inspect.FaultMapping, "whole number"},
		{"no shape", "public.odd", "", inspect.FaultMapping, "--map"},
		{"bad name", `a.b.c`, "", inspect.FaultUnknownTable, "no table name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := inspect.Target{Table: c.table}
			if c.mapping != "" {
				m, err := inspect.ParseMap(c.mapping)
				if err != nil {
					t.Fatal(err)
				}
				target.Map = &m
			}
			_, err := s.Resolve(t.Context(), target)
			wantFault(t, err, c.kind)
			if !strings.Contains(err.Error(), c.text) {
				t.Errorf("error: %v", err)
			}
		})
	}
	db.Exec("CREATE TABLE second (LIKE processed_messages INCLUDING ALL)")
	_, err := s.Resolve(t.Context(), inspect.Target{})
	if f := wantFault(t, err, inspect.FaultAmbiguous); len(f.Candidates) != 2 {
		t.Errorf("candidates %v", f.Candidates)
	}
}

func TestRightsOfARole(t *testing.T) {
	db, _, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	nothing := db.Role("nothing")
	_, err := open(t, nothing.DSN).Resolve(t.Context(), inspect.Target{Table: "processed_messages"})
	wantFault(t, err, inspect.FaultPermission)
	if !strings.Contains(err.Error(), "GRANT SELECT") {
		t.Errorf("error: %v", err)
	}
	columns := db.Role("columns", "SELECT (message_id, state, owner, claimed_at, lease_expires_at, completed_at, updated_at, attempts, fencing_token) ON processed_messages")
	s := open(t, columns.DSN)
	seen := resolve(t, s, inspect.Target{})
	snap := snapshot(t, s, seen, inspect.Query{})
	equal(t, "list", keysOf(snap.Claims), []string{"k"})
	if text := fmt.Sprint(snap.Claims[0].Evidence); !strings.Contains(text, "hidden (needs SELECT on xmin, xmax)") {
		t.Errorf("evidence %s", text)
	}
	_, err = s.Plan(t.Context(), seen, inspect.PlanRequest{Keys: keyList(t, table, "k")})
	wantFault(t, err, inspect.FaultPermission)
	if !strings.Contains(err.Error(), "GRANT UPDATE") {
		t.Errorf("error: %v", err)
	}
	writer := db.Role("writer", "SELECT (message_id, state, owner, claimed_at, lease_expires_at, completed_at, updated_at, attempts, fencing_token, xmin, xmax) ON processed_messages",
		"UPDATE (state, owner, lease_expires_at, fencing_token, updated_at) ON processed_messages", "USAGE ON SEQUENCE processed_messages_token")
	s = open(t, writer.DSN)
	seen = resolve(t, s, inspect.Target{})
	held, err := db.Conn().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Exec(t.Context(), "SELECT FROM processed_messages FOR NO KEY UPDATE"); err != nil {
		t.Fatal(err)
	}
	c := snapshot(t, s, seen, inspect.Query{}).Claims[0]
	if c.Verdict != inspect.VerdictAlive || !strings.Contains(fmt.Sprint(c.Evidence), "its state is hidden (needs pg_read_all_stats)") {
		t.Errorf("verdict %s, %v", c.Verdict, c.Evidence)
	}
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := release(t, s, seen, plan(t, s, seen, inspect.PlanRequest{Keys: keyList(t, table, "k")}), &memoryAuditor{})
	equal(t, "released", names(r.Released), []string{"k"})
}

func TestRowsHiddenByRowSecurityAreNeverNothingStuck(t *testing.T) {
	db, owner, table := recommended(t, "('mine', 'PROCESSING', 'w1', "+lapsed+"), ('theirs', 'PROCESSING', 'w2', "+lapsed+")")
	role := db.Role("tenant", "SELECT ON processed_messages", "UPDATE ON processed_messages", "USAGE ON SEQUENCE processed_messages_token")
	db.Exec("ALTER TABLE processed_messages ENABLE ROW LEVEL SECURITY; CREATE POLICY none ON processed_messages USING (message_id = 'mine')")
	s := open(t, role.DSN)
	seen := resolve(t, s, inspect.Target{})
	if !seen.RowSecurity || !strings.Contains(strings.Join(seen.Warnings, "\n"), "row-level security is on") {
		t.Errorf("warnings %v", seen.Warnings)
	}
	snap := snapshot(t, s, seen, inspect.Query{})
	equal(t, "list", keysOf(snap.Claims), []string{"mine"})
	p := plan(t, s, seen, inspect.PlanRequest{Keys: keyList(t, table, "mine", "theirs")})
	if reasons(p.Refused)["theirs"] != inspect.ReasonGone || !strings.Contains(strings.Join(p.Consequence, "\n"), "row-level security") {
		t.Errorf("refused %+v, consequences %v", p.Refused, p.Consequence)
	}
	release(t, s, seen, p, &memoryAuditor{})
	if notes := strings.Join(snapshot(t, s, seen, inspect.Query{}).Notes, "\n"); !strings.Contains(notes, "row-level security may hide some") || strings.Contains(notes, "nothing is claimed") {
		t.Errorf("notes %s", notes)
	}
	if seen := resolve(t, owner, inspect.Target{}); seen.RowSecurity {
		t.Error("a superuser is said to be restricted")
	}
}

func TestRowLocksOfAllKinds(t *testing.T) {
	db, s, table := recommended(t, "('none', 'PROCESSING', 'w', "+lapsed+"), ('update', 'PROCESSING', 'w', "+lapsed+"), ('savepoint', 'PROCESSING', 'w', "+lapsed+"), ('shared', 'PROCESSING', 'w', "+lapsed+"), ('ended', 'PROCESSING', 'w', "+lapsed+")")
	var open []pgx.Tx
	lock := func(sql string) {
		t.Helper()
		tx, err := db.ConnAs(db.DSN()).Begin(t.Context())
		if err == nil {
			_, err = tx.Exec(t.Context(), sql)
		}
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, tx)
	}
	lock("SET application_name = 'worker-1'; UPDATE processed_messages SET attempts = 2 WHERE message_id = 'update'")
	lock("SAVEPOINT a; SELECT FROM processed_messages WHERE message_id = 'savepoint' FOR UPDATE")
	lock("SELECT FROM processed_messages WHERE message_id = 'shared' FOR SHARE")
	lock("SELECT FROM processed_messages WHERE message_id = 'shared' FOR SHARE")
	lock("SELECT FROM processed_messages WHERE message_id = 'ended' FOR UPDATE")
	if err := open[len(open)-1].Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	snap := snapshot(t, s, table, inspect.Query{})
	for k, want := range map[string]inspect.Verdict{
		"none": inspect.VerdictCannotTell, "ended": inspect.VerdictCannotTell,
		"update": inspect.VerdictAlive, "savepoint": inspect.VerdictAlive, "shared": inspect.VerdictAlive,
	} {
		if c := claimNamed(t, snap, k); c.Verdict != want {
			t.Errorf("%s is %s, want %s: %v", k, c.Verdict, want, c.Evidence)
		}
	}
	if text := fmt.Sprint(claimNamed(t, snap, "update").Evidence); !strings.Contains(text, "(worker-1), idle in transaction") {
		t.Errorf("evidence %s", text)
	}
	for _, tx := range open[:len(open)-1] {
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALookIsHarmless(t *testing.T) {
	db, s, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	var got []string
	err := s.look(t.Context(), "test", func(ctx context.Context, t *tx) error {
		return t.texts(ctx, func(v []*string) error {
			for _, x := range v {
				got = append(got, *x)
			}
			return nil
		}, "SELECT current_setting('transaction_read_only'), current_setting('transaction_isolation'), current_setting('statement_timeout'), current_setting('lock_timeout'), current_setting('TimeZone'), current_setting('search_path')")
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "settings", got, []string{"on", "repeatable read", "5s", "200ms", "UTC", "pg_catalog"})
	err = s.look(t.Context(), "test", func(ctx context.Context, t *tx) error {
		_, err := t.conn.Exec(ctx, "UPDATE public.processed_messages SET attempts = 9")
		return err
	})
	wantFault(t, err, inspect.FaultReadOnly)
	before := db.Text("SELECT xmin::text || xmax::text FROM processed_messages")
	snapshot(t, s, table, inspect.Query{})
	if after := db.Text("SELECT xmin::text || xmax::text FROM processed_messages"); after != before {
		t.Error("a look wrote to the row")
	}
	if n := db.Int("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idemtui'"); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

func TestTimeoutsAndLocks(t *testing.T) {
	db, _, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	s := open(t, db.DSN(), Options{StatementTimeout: 100 * time.Millisecond})
	err := s.look(t.Context(), "wait", func(ctx context.Context, t *tx) error {
		_, err := t.conn.Exec(ctx, "SELECT pg_sleep(10)")
		return err
	})
	wantFault(t, err, inspect.FaultTimeout)
	held, err := db.Conn().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Exec(t.Context(), "LOCK TABLE processed_messages IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	s = open(t, db.DSN())
	_, err = s.Snapshot(t.Context(), table, inspect.Query{})
	wantFault(t, err, inspect.FaultLocked)
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "list afterwards", keysOf(snapshot(t, s, table, inspect.Query{}).Claims), []string{"k"})
}

func TestCancelEndsTheStatementOnTheServer(t *testing.T) {
	db, s, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- s.look(ctx, "wait", func(ctx context.Context, t *tx) error {
			_, err := t.conn.Exec(ctx, "SELECT pg_sleep(30)")
			return err
		})
	}()
	running := "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND state = 'active' AND pid <> pg_backend_pid()"
	eventually(t, "the statement runs", func() bool { return db.Int(running) == 1 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error: %v", err)
	}
	eventually(t, "the statement has ended", func() bool { return db.Int(running) == 0 })
	snapshot(t, s, table, inspect.Query{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "no session is left", func() bool {
		return db.Int("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'idemtui%'") == 0
	})
	if _, err := s.Identity(t.Context()); err == nil {
		t.Error("a closed store answered")
	}
}

func TestRestartOfTheServerIsNoticedAndHealed(t *testing.T) {
	db := servertest.OwnPostgres(t)
	db.Exec(recommendedDDL(t))
	s := open(t, db.DSN())
	table := resolve(t, s, inspect.Target{})
	for _, crash := range []bool{false, true} {
		db.Restart(crash)
		// A connection that died between two looks is replaced without a word.
		if _, err := s.Snapshot(t.Context(), table, inspect.Query{}); err != nil {
			t.Errorf("after a restart (crash %v): %v", crash, err)
		}
	}
	db.Stop(false)
	_, err := s.Snapshot(t.Context(), table, inspect.Query{})
	wantFault(t, err, inspect.FaultUnreachable)
	db.Start()
	snapshot(t, s, table, inspect.Query{})
}

func TestConnectionLostDuringTheCommit(t *testing.T) {
	db, s, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "k")})
	a := &memoryAuditor{onIntent: func() {
		db.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'idemtui 01TEST'")
	}}
	r, err := s.Release(t.Context(), table, p, inspect.ReleaseOptions{Auditor: a})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Released) != 0 || len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Error, "lost before the commit") {
		t.Errorf("result %+v", r)
	}
	if a.outcomes[0].Status != inspect.OutcomeRolledBack {
		t.Errorf("outcome %+v", a.outcomes)
	}
}

func TestR29_TransactionPooler(t *testing.T) {
	db, _, _ := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	pooler := db.Pooled("default_pool_size = 2")
	done := make(chan error, 2)
	for range 2 {
		s := open(t, pooler.DSN())
		table := resolve(t, s, inspect.Target{})
		go func() {
			for range 50 {
				snap, err := s.Snapshot(t.Context(), table, inspect.Query{})
				if err == nil && (!snap.Database.Pooler || len(snap.Claims) != 1) {
					err = fmt.Errorf("pooler %v, %d claims", snap.Database.Pooler, len(snap.Claims))
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	s := open(t, pooler.DSN())
	table := resolve(t, s, inspect.Target{})
	r := release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "k")}), &memoryAuditor{})
	equal(t, "released", names(r.Released), []string{"k"})
	direct, err := open(t, db.DSN()).Identity(t.Context())
	if err != nil || direct.Pooler {
		t.Errorf("direct connection: pooler %v (%v)", direct.Pooler, err)
	}
}

func TestR31_Standby(t *testing.T) {
	primary := servertest.OwnPostgres(t)
	primary.Exec(recommendedDDL(t))
	primary.Exec("INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at) VALUES ('k', 'PROCESSING', 'w1', now() - interval '1 hour', now() - interval '50 minutes')")
	standby := primary.Standby()
	s := open(t, standby.DSN())
	table := resolve(t, s, inspect.Target{})
	snap := snapshot(t, s, table, inspect.Query{})
	if !snap.Database.Standby || !snap.Database.ReplayLag.OK || !strings.Contains(strings.Join(snap.Notes, "\n"), "a standby") {
		t.Errorf("database %+v, notes %v", snap.Database, snap.Notes)
	}
	if c := snap.Claims[0]; c.Verdict != inspect.VerdictCannotTell || !strings.Contains(fmt.Sprint(c.Evidence), "standby") {
		t.Errorf("verdict %s %v", c.Verdict, c.Evidence)
	}
	_, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: keyList(t, table, "k")})
	wantFault(t, err, inspect.FaultReadOnly)
	if !strings.Contains(err.Error(), "connect to the primary") {
		t.Errorf("error: %v", err)
	}
}
