package profiles_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
	"idemtui/inspect/postgres"
	"idemtui/inspect/servertest"
)

func resolve(t *testing.T, s *postgres.Store, target inspect.Target) inspect.Table {
	t.Helper()
	table, err := s.Resolve(t.Context(), target)
	if err != nil {
		t.Fatalf("resolve %+v: %v", target, err)
	}
	return table
}

func look(t *testing.T, s *postgres.Store, table inspect.Table, q inspect.Query) inspect.Snapshot {
	t.Helper()
	snap, err := s.Snapshot(t.Context(), table, q)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func claim(t *testing.T, snap inspect.Snapshot, text string) inspect.Claim {
	t.Helper()
	for _, c := range snap.Claims {
		if c.Key.String() == text {
			return c
		}
	}
	t.Fatalf("%s is not listed", text)
	return inspect.Claim{}
}

func evidence(c inspect.Claim, rung inspect.Rung) string {
	for _, e := range c.Evidence {
		if e.Rung == rung {
			return string(e.For) + ": " + e.Text
		}
	}
	return ""
}

// begin opens a transaction in its own session and runs a statement in it.
func begin(t *testing.T, db *servertest.DB, sql string, args ...any) pgx.Tx {
	t.Helper()
	tx, err := db.Conn().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // an ended transaction says so
	return tx
}

func TestK5_ARowLockIsASignOfLifeAndItsAbsenceCountsAtTheSecondLook(t *testing.T) {
	db, s := fixture(t, "masstransit")
	table := resolve(t, s, inspect.Target{})
	begin(t, db, `SELECT * FROM "InboxState" WHERE "MessageId" = $1 FOR UPDATE`, envelope+"1")
	first := look(t, s, table, inspect.Query{})
	if c := claim(t, first, consumer+"1"); c.Verdict != inspect.VerdictAlive || c.Condition != inspect.ConditionStuck {
		t.Errorf("locked: %s %s", c.Condition, c.Verdict)
	}
	c := claim(t, first, consumer+"5")
	if c.Verdict != inspect.VerdictCannotTell || !strings.Contains(evidence(c, inspect.RungRowLock), "a second look counts from 5s on") || !first.NeedsSecondLook() {
		t.Errorf("unlocked at one look: %s, %s", c.Verdict, evidence(c, inspect.RungRowLock))
	}
	seen := *first.Seen
	seen.Claims = map[inspect.Key]inspect.Claim{}
	for k, old := range first.Seen.Claims {
		if old.UnlockedSince.Valid() { // as if the first look had been 6 s earlier
			old.UnlockedSince = inspect.At(old.UnlockedSince.Time.Add(-6 * time.Second))
		}
		seen.Claims[k] = old
	}
	second := look(t, s, table, inspect.Query{Before: &seen})
	c = claim(t, second, consumer+"5")
	if c.Verdict != inspect.VerdictLikelyDead || !strings.HasPrefix(evidence(c, inspect.RungRowLock), "dead: no live session holds a lock on the row, which its worker would hold: unlocked at every look for") {
		t.Errorf("unlocked at two looks: %s, %s", c.Verdict, evidence(c, inspect.RungRowLock))
	}
	if c := claim(t, second, consumer+"1"); c.Verdict != inspect.VerdictAlive {
		t.Errorf("locked: %s", c.Verdict)
	}
	p, err := s.Plan(t.Context(), table, inspect.PlanRequest{AllLikelyDead: true, Before: &seen})
	if err != nil || len(p.Rows) != 1 {
		t.Errorf("all likely dead: %v, %v", p.Rows, err)
	}
}

func TestK6_OpenTransactionsAreShownInsteadOfRows(t *testing.T) {
	db, s := fixture(t, "nservicebus")
	table := resolve(t, s, inspect.Target{})
	if snap := look(t, s, table, inspect.Query{}); len(snap.Open) != 0 {
		t.Errorf("open: %v", snap.Open)
	}
	tx := begin(t, db, `INSERT INTO "Billing_OutboxData" ("MessageId", "Operations") VALUES ('m3', '[]')`)
	waiting := db.Conn()
	pid := func(q interface {
		QueryRow(context.Context, string, ...any) pgx.Row
	},
	) (n int64) {
		t.Helper()
		if err := q.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	holder, waiter := pid(tx), pid(waiting)
	done := make(chan error, 1)
	go func() {
		_, err := waiting.Exec(context.Background(), `INSERT INTO "Billing_OutboxData" ("MessageId", "Operations") VALUES ('m3', '[]') ON CONFLICT DO NOTHING`)
		done <- err
	}()
	deadline := time.Now().Add(15 * time.Second)
	var snap inspect.Snapshot
	for len(snap.Open) < 2 || !strings.Contains(openWords(snap), "waits") {
		if time.Now().After(deadline) {
			t.Fatalf("open transactions: %+v", snap.Open)
		}
		snap = look(t, s, table, inspect.Query{})
	}
	for _, o := range snap.Open {
		switch o.PID {
		case holder:
			if o.State != "idle in transaction" || !o.Age.OK || o.Age.V < 0 || len(o.WaitsFor) != 0 {
				t.Errorf("holder %+v", o)
			}
		case waiter:
			if len(o.WaitsFor) != 1 || o.WaitsFor[0] != holder {
				t.Errorf("waiter %+v", o)
			}
		default:
			t.Errorf("who is %+v", o)
		}
	}
	if words := openWords(snap); !strings.Contains(words, "to end it: SELECT pg_terminate_backend(") || !strings.Contains(strings.Join(snap.Notes, "\n"), words) {
		t.Errorf("notes %q", snap.Notes)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if c := claim(t, look(t, s, table, inspect.Query{}), "m3"); c.Condition != inspect.ConditionNoLease {
		t.Errorf("undispatched: %s", c.Condition)
	}
	p, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: []inspect.Key{key(t, table, "m1")}, Mode: inspect.ReleaseDelete})
	if err != nil || len(p.Rows) != 1 || !strings.Contains(p.Rows[0].Unknown, "a release repeats it") {
		t.Errorf("plan %+v: %v", p.Rows, err)
	}
	for _, request := range []inspect.PlanRequest{{Keys: []inspect.Key{key(t, table, "m1")}}, {AllLikelyDead: true, Mode: inspect.ReleaseDelete}} {
		if _, err := s.Plan(t.Context(), table, request); err == nil {
			t.Errorf("a release of handled work that nobody named by key and mode is planned: %+v", request)
		}
	}
}

func TestK6_WithoutRightsTheTransactionIsSeenAndItsAgeIsNot(t *testing.T) {
	db, _ := fixture(t, "nservicebus")
	begin(t, db, `INSERT INTO "Billing_OutboxData" ("MessageId", "Operations") VALUES ('m3', '[]')`)
	role := db.Role("looker", `SELECT ("MessageId", "Dispatched", "DispatchedAt") ON "Billing_OutboxData"`)
	s := openAt(t, role.DSN)
	table := resolve(t, s, inspect.Target{Table: `public."Billing_OutboxData"`})
	snap := look(t, s, table, inspect.Query{State: inspect.StateDone})
	if len(snap.Open) != 1 || snap.Open[0].PID == 0 || snap.Open[0].Age.OK || !strings.Contains(openWords(snap), "since when is hidden (needs pg_read_all_stats)") {
		t.Errorf("open %+v", snap.Open)
	}
}

func openWords(snap inspect.Snapshot) string {
	var out []string
	for _, o := range snap.Open {
		out = append(out, o.Words())
	}
	return strings.Join(out, "\n")
}

func TestK4_TheOwnersHeartbeatIsReadAgainByTheStatementThatWrites(t *testing.T) {
	db, s := fixture(t, "wolverine")
	table := resolve(t, s, inspect.Target{})
	c := claim(t, look(t, s, table, inspect.Query{}), envelope+"3")
	if got := evidence(c, inspect.RungHeartbeat); got != "dead: owner 3 is not in wolverine_nodes: it is not one of the live workers" {
		t.Errorf("evidence %s", got)
	}
	keys := []inspect.Key{key(t, table, envelope+"2"), key(t, table, envelope+"3")}
	p, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: keys})
	if err != nil || len(p.Rows) != 2 || !strings.Contains(strings.Join(p.Consequence, "\n"), "read again by the statement that writes, which cannot guard them") {
		t.Fatalf("plan %v %v: %v", p.Rows, p.Consequence, err)
	}
	db.Exec("UPDATE wolverine.wolverine_nodes SET health_check = now() WHERE node_number = 2; INSERT INTO wolverine.wolverine_nodes (id, node_number, description, uri) VALUES (gen_random_uuid(), 3, '', '')")
	r, err := s.Release(t.Context(), table, p, inspect.ReleaseOptions{Auditor: &memory{}, Reason: "test"})
	if err != nil || len(r.Released) != 0 || len(r.Skipped) != 2 {
		t.Fatalf("released %v, skipped %v: %v", r.Released, r.Skipped, err)
	}
	for _, skip := range r.Skipped {
		if skip.Reason != inspect.ReasonAlive {
			t.Errorf("%s: %s %s", skip.Key, skip.Reason, skip.Text)
		}
	}
	db.Exec("ALTER TABLE wolverine.wolverine_nodes RENAME TO elsewhere")
	table = resolve(t, s, inspect.Target{})
	if c := claim(t, look(t, s, table, inspect.Query{}), envelope+"3"); c.Condition != inspect.ConditionNoLease || c.Verdict != inspect.VerdictCannotTell {
		t.Errorf("without the nodes: %s %s", c.Condition, c.Verdict)
	}
	if !strings.Contains(strings.Join(table.Warnings, "\n"), "heartbeats of the owners are not seen: there is no table wolverine_nodes") {
		t.Errorf("warnings %q", table.Warnings)
	}
}

func TestK4_AnInboxKeyedByDestinationTooAndPartitionedByStatus(t *testing.T) {
	db, s := fixture(t, "wolverine")
	db.Exec(`CREATE SCHEMA parted; CREATE TABLE parted.incoming (LIKE wolverine.wolverine_incoming_envelopes, PRIMARY KEY (id, received_at, status)) PARTITION BY LIST (status);
 CREATE TABLE parted.incoming_now PARTITION OF parted.incoming FOR VALUES IN ('Incoming', 'Scheduled'); CREATE TABLE parted.incoming_old PARTITION OF parted.incoming DEFAULT;
 INSERT INTO parted.incoming SELECT * FROM wolverine.wolverine_incoming_envelopes; CREATE TABLE parted.wolverine_nodes (LIKE wolverine.wolverine_nodes INCLUDING ALL)`)
	table := resolve(t, s, inspect.Target{Table: "parted.incoming", Profile: "wolverine"})
	text := `rabbitmq:\/\/queue\/charges/` + envelope + "3"
	if c := claim(t, look(t, s, table, inspect.Query{}), text); c.Verdict != inspect.VerdictLikelyDead {
		t.Errorf("%s", c.Verdict)
	}
	p, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: []inspect.Key{key(t, table, text)}})
	if err != nil || len(p.Rows) != 1 {
		t.Fatalf("plan %+v: %v", p, err)
	}
	r, err := s.Release(t.Context(), table, p, inspect.ReleaseOptions{Auditor: &memory{}, Reason: "test"})
	if err != nil || len(r.Released) != 1 {
		t.Errorf("released %v, skipped %v: %v", r.Released, r.Skipped, err)
	}
}

func TestK7_StuckAndDoneLookAlike(t *testing.T) {
	db, s := fixture(t, "camel")
	table := resolve(t, s, inspect.Target{})
	snap := look(t, s, table, inspect.Query{})
	c := claim(t, snap, "charges/m1")
	if c.Verdict != inspect.VerdictCannotTell || snap.Summary.Stuck != 0 || !strings.Contains(evidence(c, inspect.RungAge), "look alike in this table") {
		t.Errorf("%s, %d stuck, %s", c.Verdict, snap.Summary.Stuck, evidence(c, inspect.RungAge))
	}
	for _, e := range c.Evidence {
		if e.For == inspect.ForDead {
			t.Errorf("evidence of death: %s", e.Text)
		}
	}
	_, err := s.Plan(t.Context(), table, inspect.PlanRequest{AllLikelyDead: true})
	var fault *inspect.Fault
	if !errors.As(err, &fault) || fault.Kind != inspect.FaultRefused || !strings.Contains(fault.Error(), "released only by key") {
		t.Errorf("without keys: %v", err)
	}
	p, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: []inspect.Key{c.Key}})
	if err != nil || !strings.Contains(strings.Join(p.Consequence, "\n"), "if it was finished, its next delivery runs the side effects again") {
		t.Errorf("consequence %q: %v", p.Consequence, err)
	}
	db.Exec("ALTER TABLE camel_messageprocessed DROP CONSTRAINT camel_messageprocessed_pkey")
	if table = resolve(t, s, inspect.Target{}); table.UniqueKey || !strings.Contains(strings.Join(table.Warnings, "\n"), "no unique constraint keeps") {
		t.Errorf("without the key: %q", table.Warnings)
	}
}

func TestATableIsKnownByItsColumnsNeverByItsName(t *testing.T) {
	db, s := fixture(t, "masstransit")
	db.Exec(`ALTER TABLE "InboxState" RENAME TO whatever;
 CREATE TABLE "InboxState" ("Id" bigint PRIMARY KEY, "MessageId" uuid, "State" text, "LockedUntil" timestamptz);
 CREATE TABLE river_job (id bigint PRIMARY KEY, state text, attempted_at timestamptz);
 CREATE TABLE shedlock (name text PRIMARY KEY, lock_until bigint NOT NULL, locked_at bigint NOT NULL, locked_by text NOT NULL);
 CREATE SCHEMA snake; CREATE TABLE snake.inbox_state (id bigint PRIMARY KEY, message_id uuid NOT NULL, consumer_id uuid NOT NULL, lock_id uuid NOT NULL, row_version bytea, received timestamptz NOT NULL,
  receive_count int NOT NULL, expiration_time timestamptz, consumed timestamptz, delivered timestamptz, last_sequence_number bigint, UNIQUE (message_id, consumer_id))`)
	tables, err := s.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for _, table := range tables {
		if table.Mapping.Profile != inspect.GuessedProfile {
			known[table.FullName()] = table.Mapping.Profile
		}
		if len(table.Reasons) == 0 {
			t.Errorf("%s without a reason", table.FullName())
		}
	}
	if len(known) != 2 || known["public.whatever"] != "masstransit" || known["snake.inbox_state"] != "masstransit" {
		t.Errorf("known %v", known)
	}
	_, err = s.Resolve(t.Context(), inspect.Target{})
	var fault *inspect.Fault
	if !errors.As(err, &fault) || fault.Kind != inspect.FaultAmbiguous || len(fault.Candidates) != 2 {
		t.Fatalf("two fit: %v", err)
	}
	if _, err := s.Resolve(t.Context(), inspect.Target{Table: "shedlock", Profile: "shedlock"}); err == nil || !strings.Contains(err.Error(), "its lock_until is bigint, not timestamp or timestamptz") {
		t.Errorf("a profile that does not fit: %v", err)
	}
	if _, err := s.Resolve(t.Context(), inspect.Target{Profile: "masstransitt"}); err == nil || !strings.Contains(err.Error(), "the profiles are: camel, graphile-worker") {
		t.Errorf("an unknown profile: %v", err)
	}
	if _, err := s.Resolve(t.Context(), inspect.Target{Profile: "camel"}); err == nil || !strings.Contains(err.Error(), "no table of the shape of profile camel") {
		t.Errorf("a profile without a table: %v", err)
	}
}

func TestTheRecommendedTableIsTakenBeforeOthersWhichAreNamed(t *testing.T) {
	db, s := fixture(t, "processed-messages")
	for _, part := range append(ddl(t, "river"), ddl(t, "shedlock")...) {
		db.Exec(part)
	}
	table := resolve(t, s, inspect.Target{})
	if table.Mapping.Profile != "processed-messages" || !strings.Contains(strings.Join(table.Warnings, "\n"), "known shapes too: public.river_job (river), public.shedlock (shedlock)") {
		t.Errorf("%s, warnings %q", table.Mapping.Profile, table.Warnings)
	}
	if table = resolve(t, s, inspect.Target{Profile: "river", StaleAfter: time.Minute}); table.Name != "river_job" || table.Mapping.Threshold() != time.Minute {
		t.Errorf("%s from %s", table.Name, table.Mapping.Threshold())
	}
}

// openWith opens a store with profiles of the test's own.
func openWith(t *testing.T, db *servertest.DB, own ...inspect.Profile) *postgres.Store {
	t.Helper()
	return openAt(t, db.DSN(), own...)
}

func openAt(t *testing.T, connection string, own ...inspect.Profile) *postgres.Store {
	t.Helper()
	d, err := dsn.Parse(connection)
	if err != nil {
		t.Fatal(err)
	}
	s, err := postgres.Open(d, postgres.Options{Profiles: own})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestHealthAdvisesNoChangeOfAFrameworksColumns(t *testing.T) {
	for profile, want := range map[string]string{"river": "", "camel": "no-mark-of-the-end", "nservicebus": "", "shedlock": ""} {
		_, s := fixture(t, profile)
		table := resolve(t, s, inspect.Target{})
		h, err := s.Health(t.Context(), table, inspect.HealthPolicy{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range h.Findings {
			switch f.Code {
			case "no-token", "no-lease", "no-time-of-claim", "no-mark-of-the-end":
				got += f.Code
			}
			if strings.Contains(f.FixSQL, "now()") || strings.Contains(f.FixSQL, "WHERE true") {
				t.Errorf("%s: no index can be made so: %s", profile, f.FixSQL)
			}
		}
		if got != want {
			t.Errorf("%s: findings %q, want %q", profile, got, want)
		}
	}
}
