package postgres

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

func TestTablesAreRankedWithReasons(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TYPE inbox_state AS ENUM ('New', 'InProgress', 'Processed', 'Error');
 CREATE SCHEMA app; CREATE TABLE app.inbox ("MessageId" uuid, consumer text, "Status" inbox_state, "LockedUntil" timestamptz, "LockedBy" text, attempts int, UNIQUE (consumer, "MessageId"));
 CREATE TABLE idempotency_keys (id bigserial PRIMARY KEY, idempotency_key text UNIQUE, locked_at timestamp, locked_by text, completed_at timestamp);
 CREATE TABLE keyless (event_id text, status text, started_at timestamptz);
 CREATE TABLE vague (request_id text PRIMARY KEY, status text, started_at timestamptz, expires_at bigint);
 CREATE TABLE orders (id bigint PRIMARY KEY, status text, created_at timestamptz)`)
	tables, err := s.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range tables {
		got = append(got, fmt.Sprintf("%s %s %v", c.FullName(), c.Mapping.Profile, c.Incomplete))
		if len(c.Reasons) == 0 {
			t.Errorf("%s has no reasons", c.FullName())
		}
	}
	equal(t, "tables", got, []string{"public.processed_messages processed-messages false", "app.inbox guessed false", "public.idempotency_keys guessed false", "public.vague guessed true", "public.keyless guessed true"})
	inbox := tables[1].Mapping
	equal(t, "key", inbox.KeyNames(), []string{"consumer", "MessageId"})
	equal(t, "processing", inbox.State.Values[inspect.StateProcessing], []string{"InProgress"})
	equal(t, "free", inbox.State.Values[inspect.StateFree], []string{"New"})
	if inbox.Lease.Column != "LockedUntil" || inbox.Owner != "LockedBy" || inbox.Verified {
		t.Errorf("mapping %+v", inbox)
	}
	if keys := tables[2].Mapping; keys.KeyNames()[0] != "idempotency_key" || keys.Kind != inspect.KindLockedAt {
		t.Errorf("mapping %+v", keys)
	}
}

func TestAGuessedTableIsLookedAtAndReleasedOnlyWhenAccepted(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(`CREATE TABLE inbox (event_id text PRIMARY KEY, status text, locked_until timestamptz, locked_by text);
 INSERT INTO inbox VALUES ('e1', 'processing', now() - interval '1 hour', 'w'), ('e2', 'processed', NULL, NULL), ('e3', 'failed', NULL, NULL)`)
	s := open(t, db.DSN())
	table := resolve(t, s, inspect.Target{Table: "inbox"})
	if len(table.Warnings) == 0 || !strings.Contains(table.Warnings[0], "is guessed (unique key event_id; lease is locked_until;") {
		t.Errorf("warnings %q", table.Warnings)
	}
	equal(t, "stuck", keysOf(snapshot(t, s, table, inspect.Query{}).Claims), []string{"e1"})
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "e1")})
	options := inspect.ReleaseOptions{Auditor: &memoryAuditor{}}
	_, err := s.Release(t.Context(), table, p, options)
	wantFault(t, err, inspect.FaultRefused)
	options.AllowUnverified = true
	if _, err := s.Release(t.Context(), table, p, options); err != nil {
		t.Fatal(err)
	}
	if got := db.Text("SELECT string_agg(status, ',' ORDER BY event_id) FROM inbox"); got != "failed,processed,failed" {
		t.Errorf("states %s", got)
	}
}

func TestBesideAGuessTheTablesThatNeedAWordAreNamed(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(`CREATE TYPE inbox_state AS ENUM ('InProgress', 'Processed');
 CREATE TABLE inbox (event_id uuid PRIMARY KEY, status inbox_state, locked_until timestamptz, locked_by text);
 CREATE TABLE processed_events (event_id text PRIMARY KEY, status text, started_at timestamptz, worker_id text)`)
	s := open(t, db.DSN())
	table := resolve(t, s, inspect.Target{})
	if warnings := strings.Join(table.Warnings, "\n"); table.Name != "inbox" || !strings.Contains(warnings, "public.inbox was taken; these may hold claims too, and need --table and --map: public.processed_events (") {
		t.Errorf("%s: %s", table.Name, warnings)
	}
	if warnings := strings.Join(resolve(t, s, inspect.Target{Table: "inbox"}).Warnings, "\n"); strings.Contains(warnings, "processed_events") {
		t.Errorf("a table that was named: %s", warnings)
	}
}

// BenchmarkTables ranks candidates in a database of 10,000 tables; it must stay
// under 2 s.
func BenchmarkTables(b *testing.B) {
	db := servertest.Postgres(b)
	for i := range 20 {
		db.Exec(fmt.Sprintf(`DO $$ BEGIN FOR i IN 1..500 LOOP EXECUTE format('CREATE TABLE t_%d_%%s (id bigint, name text, created_at timestamptz, a int, b int, c int, d text)', i); END LOOP; END $$`, i))
	}
	db.Exec(recommendedDDL(b))
	s := open(b, db.DSN())
	for b.Loop() {
		start := time.Now()
		tables, err := s.Tables(b.Context())
		if err != nil || len(tables) != 1 || time.Since(start) > 2*time.Second {
			b.Fatalf("%d tables in %s (%v)", len(tables), time.Since(start), err)
		}
	}
}
