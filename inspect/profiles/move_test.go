package profiles_test

import (
	"strings"
	"testing"

	"idemtui/inspect"
	"idemtui/inspect/postgres"
	"idemtui/inspect/profiles"
	"idemtui/inspect/servertest"
)

// moves are claims that are rows of one table and become ready as rows of
// another, with what only the job's own row holds, as solid_queue has them.
const moves = `schema: idemtui.profile/v1
name: moves
kind: K4
engines: [postgres]
support: verified
match: {require: [process_id, job_id, id, created_at], forbid: [queue_name], unique: [job_id]}
key: [{col: job_id}]
state: {when: {processing: row}}
claimed_at: created_at
owner: process_id
heartbeat: {join: {table: solid_queue_processes, key: id, col: last_heartbeat_at}, limit: 5m}
release:
  - name: back to ready
    mode: move
    to:
      table: solid_queue_ready_executions
      take: {job_id: job_id}
      from: {table: solid_queue_jobs, on: {id: job_id}, take: {queue_name: queue_name, priority: priority}}
      set: {created_at: now}
    consequence: the job is ready again; the next free worker runs it
    runs_next: poller
    preferred: true
`

const moveTables = `CREATE TABLE solid_queue_jobs (id bigserial PRIMARY KEY, queue_name text NOT NULL, class_name text NOT NULL, priority int NOT NULL DEFAULT 0);
CREATE TABLE solid_queue_processes (id bigserial PRIMARY KEY, kind text, last_heartbeat_at timestamp NOT NULL);
CREATE TABLE solid_queue_claimed_executions (id bigserial PRIMARY KEY, job_id bigint NOT NULL UNIQUE REFERENCES solid_queue_jobs ON DELETE CASCADE, process_id bigint, created_at timestamp NOT NULL);
CREATE TABLE solid_queue_ready_executions (id bigserial PRIMARY KEY, job_id bigint NOT NULL UNIQUE REFERENCES solid_queue_jobs ON DELETE CASCADE, queue_name text NOT NULL, priority int NOT NULL DEFAULT 0, created_at timestamp NOT NULL);
INSERT INTO solid_queue_processes (last_heartbeat_at) VALUES (now() AT TIME ZONE 'UTC' - interval '1 hour'), (now() AT TIME ZONE 'UTC');
INSERT INTO solid_queue_jobs (queue_name, class_name, priority) SELECT 'mail', 'Charge', n FROM generate_series(1, 5) n;
INSERT INTO solid_queue_claimed_executions (job_id, process_id, created_at) VALUES (1, 1, now() AT TIME ZONE 'UTC' - interval '2 hours'), (2, 1, now() AT TIME ZONE 'UTC' - interval '2 hours'), (3, 1, now() AT TIME ZONE 'UTC' - interval '2 hours'), (4, 2, now() AT TIME ZONE 'UTC' - interval '2 hours'), (5, 1, now() AT TIME ZONE 'UTC');
INSERT INTO solid_queue_ready_executions (job_id, queue_name, created_at) VALUES (3, 'mail', now())`

const (
	claimedRows = "SELECT coalesce(string_agg(c::text, '|' ORDER BY id), '') FROM solid_queue_claimed_executions c"
	readyRows   = "SELECT coalesce(string_agg(concat_ws(' ', job_id, queue_name, priority), '|' ORDER BY job_id), '') FROM solid_queue_ready_executions"
)

func moving(t *testing.T) (*servertest.DB, *postgres.Store, inspect.Table) {
	t.Helper()
	p, err := profiles.Load([]byte(moves))
	if err != nil {
		t.Fatal(err)
	}
	db := servertest.Postgres(t)
	db.Exec(moveTables)
	s := openWith(t, db, p)
	return db, s, resolve(t, s, inspect.Target{Table: "solid_queue_claimed_executions", Profile: "moves"})
}

func keysNamed(t *testing.T, table inspect.Table, texts ...string) []inspect.Key {
	t.Helper()
	out := make([]inspect.Key, len(texts))
	for i, text := range texts {
		out[i] = key(t, table, text)
	}
	return out
}

// Job 5 is young, and its worker is silent all the same. Job 3 stands in the other table already, which has a unique index: it alone
// fails. Job 4's worker is alive.
func TestR13_AMoveIsOneWriteInTwoTablesAndCanBeUndone(t *testing.T) {
	db, s, table := moving(t)
	before := db.Text(claimedRows)
	plan, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: keysNamed(t, table, "1", "2", "3", "4", "5")})
	if err != nil || len(plan.Rows) != 4 || len(plan.Refused) != 1 || plan.Refused[0].Reason != inspect.ReasonAlive || plan.Mode != inspect.ReleaseMove {
		t.Fatalf("plan %+v: %v", plan, err)
	}
	if !strings.Contains(plan.SQL, `INSERT INTO "public"."solid_queue_ready_executions"`) || !strings.Contains(plan.SQL, "SKIP LOCKED") {
		t.Errorf("the plan shows\n%s", plan.SQL)
	}
	db.Exec("DELETE FROM solid_queue_claimed_executions WHERE job_id = 2; INSERT INTO solid_queue_claimed_executions (job_id, process_id, created_at) VALUES (2, 1, now() AT TIME ZONE 'UTC')")
	audit := &memory{}
	r, err := s.Release(t.Context(), table, plan, inspect.ReleaseOptions{Auditor: audit, Reason: "test"})
	if err != nil || len(r.Released) != 2 || len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Error, "duplicate key") || len(r.Skipped) != 2 {
		t.Fatalf("released %v, skipped %v, failed %v: %v", r.Released, r.Skipped, r.Failed, err)
	}
	if got := db.Text(readyRows); got != "1 mail 1|3 mail 0|5 mail 5" || db.Int("SELECT count(*) FROM solid_queue_claimed_executions") != 3 {
		t.Errorf("ready: %s, claimed: %s", got, db.Text(claimedRows))
	}
	u, err := s.Undo(t.Context(), table, inspect.UndoRequest{AuditID: audit.ID(), Rows: audit.rows, Auditor: &memory{}, Reason: "test"})
	if err != nil || len(u.Restored) != 2 || db.Text(readyRows) != "3 mail 0" {
		t.Fatalf("undo %+v: %v; ready %s", u, err, db.Text(readyRows))
	}
	if got := db.Text(claimedRows); !strings.HasPrefix(got, before[:strings.Index(before, "|")]) {
		t.Errorf("put back as %s, was %s", got, before)
	}
}

func TestAMoveIsNotUndoneWhereAWorkerHasTakenIt(t *testing.T) {
	db, s, table := moving(t)
	plan, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: keysNamed(t, table, "1", "2")})
	if err != nil {
		t.Fatal(err)
	}
	audit := &memory{}
	if r, err := s.Release(t.Context(), table, plan, inspect.ReleaseOptions{Auditor: audit, Reason: "test"}); err != nil || len(r.Released) != 2 {
		t.Fatalf("%+v: %v", r, err)
	}
	db.Exec("DELETE FROM solid_queue_ready_executions WHERE job_id = 1")
	for _, dry := range []bool{true, false} {
		u, err := s.Undo(t.Context(), table, inspect.UndoRequest{AuditID: audit.ID(), Rows: audit.rows, Auditor: &memory{}, Reason: "test", DryRun: dry})
		if err != nil || len(u.Restored) != 1 || u.Restored[0].String() != "2" || len(u.Skipped) != 1 || !strings.Contains(u.Skipped[0].Text, "solid_queue_ready_executions has changed since") {
			t.Errorf("dry %v: %+v: %v", dry, u, err)
		}
	}
	if got := db.Text("SELECT string_agg(job_id::text, ',' ORDER BY job_id) FROM solid_queue_claimed_executions"); got != "2,3,4,5" {
		t.Errorf("claimed: %s", got)
	}
}

func TestAMoveWithoutItsOtherTableSaysSo(t *testing.T) {
	db, s, _ := moving(t)
	db.Exec("DROP TABLE solid_queue_ready_executions")
	table := resolve(t, s, inspect.Target{Table: "solid_queue_claimed_executions", Profile: "moves"})
	_, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: keysNamed(t, table, "1")})
	if err == nil || !strings.Contains(err.Error(), "there is no table solid_queue_ready_executions in schema public") {
		t.Errorf("plan: %v", err)
	}
}
