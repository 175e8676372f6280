package profiles_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"idemtui/inspect"
	"idemtui/inspect/profiles"
	"idemtui/inspect/servertest"
)

const ownHead = "schema: idemtui.profile/v1\nname: ours\nengines: [postgres]\nsupport: verified\n"

// Profiles of a person's own, for shapes in which times and states are stored
// otherwise than in the built-in ones.
var ownProfiles = map[string]struct {
	yaml string
	ddl  string
	// says is "KEY STATE/CONDITION" of the claimed rows, states the rows by state.
	says    []string
	states  string
	release string
	after   string
	want    string
}{
	"a sentinel for never locked, and null-ness": {
		yaml: `kind: K1
match: {require: [locked_until, started_attempts, processed_at, abandoned_at, id], unique: [id]}
key: [{col: id}]
state:
  when:
    done: processed_at!null
    failed: abandoned_at!null
    processing: locked_until!null
    free: locked_until=null
lease: {col: locked_until}
attempts: {col: started_attempts, means: starts}
times: {locked_until: {sentinel: "1970-01-01 00:00:00+00"}}
release: [{name: unlock, mode: clear, set: {locked_until: null}, consequence: polled again, runs_next: poller, preferred: true}]
`,
		ddl: `CREATE TABLE inbox (id uuid PRIMARY KEY, locked_until timestamptz NOT NULL DEFAULT to_timestamp(0), processed_at timestamptz, abandoned_at timestamptz, started_attempts smallint NOT NULL DEFAULT 0);
INSERT INTO inbox SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, CASE n WHEN 1 THEN now() - interval '1 hour' WHEN 2 THEN now() + interval '1 hour' ELSE to_timestamp(0) END,
 CASE n WHEN 4 THEN now() END, CASE n WHEN 5 THEN now() END, 1 FROM generate_series(1, 5) n`,
		says: []string{envelope + "1 stuck", envelope + "2 held"}, states: "done 1, failed 1, free 1, processing 2",
		release: envelope + "1", after: "SELECT extract(epoch FROM locked_until)::int::text FROM inbox WHERE id = '" + envelope + "1'", want: "0",
	},
	"epoch seconds plus a constant, nothing but null-ness": {
		yaml: `kind: K3
match: {require: [reserved_at, available_at, id, queue], unique: [id]}
key: [{col: id}]
state: {when: {processing: reserved_at!null, free: reserved_at=null}}
claimed_at: reserved_at
lease: {from: reserved_at, for: 90s}
times: {reserved_at: {unit: s}}
release: [{name: unreserve, mode: clear, set: {reserved_at: null}, consequence: polled again, preferred: true}]
`,
		ddl: `CREATE TABLE jobs (id bigserial PRIMARY KEY, queue text, reserved_at int, available_at int);
INSERT INTO jobs (reserved_at, available_at) VALUES (extract(epoch FROM now()) - 3600, 0), (extract(epoch FROM now()) - 10, 0), (NULL, 0)`,
		says: []string{"1 stuck", "2 held"}, states: "free 1, processing 2", release: "1", after: "SELECT (reserved_at IS NULL)::text FROM jobs WHERE id = 1", want: "true",
	},
	"a start and its own seconds, an enum, a key of two columns": {
		yaml: `kind: K2
match: {require: [expire_seconds, started_on, state, name, id], types: {id: [uuid]}, unique: [name, id]}
key: [{col: name, role: scope}, {col: id, role: message}]
state: {col: state, processing: active, done: [completed, cancelled], failed: failed, free: [created, retry]}
claimed_at: started_on
lease: {from: started_on, col: expire_seconds}
release: [{name: retry, mode: requeue, set: {state: retry}, consequence: polled again, preferred: true}]
`,
		ddl: `CREATE TYPE job_state AS ENUM ('created', 'retry', 'active', 'completed', 'cancelled', 'failed');
CREATE TABLE "select" ("name" text, "id" uuid, state job_state, started_on timestamptz, expire_seconds int, PRIMARY KEY (name, id)) PARTITION BY LIST (name); CREATE TABLE q1 PARTITION OF "select" FOR VALUES IN ('mail/a');
INSERT INTO "select" SELECT 'mail/a', ('00000000-0000-0000-0000-00000000000' || n)::uuid, (ARRAY['active', 'active', 'created', 'completed', 'failed'])[n]::job_state, now() - interval '10 minutes', CASE n WHEN 2 THEN 900 ELSE 60 END FROM generate_series(1, 5) n`,
		says: []string{`mail\/a/` + envelope + "1 stuck", `mail\/a/` + envelope + "2 held"}, states: "done 1, failed 1, free 1, processing 2",
		release: `mail\/a/` + envelope + "1", after: `SELECT state::text FROM "select" WHERE id = '` + envelope + `1'`, want: "retry",
	},
	"an integer state, epoch milliseconds, bytes and integers in a key of four, mixed case": {
		yaml: `kind: K1
match: {require: [Lease_Ms, Tenant, Digest, Msg, Scope, St], unique: [Tenant, Scope, Digest, Msg]}
key: [{col: tenant, role: scope}, {col: scope, role: scope}, {col: digest}, {col: msg}]
state: {col: st, processing: 1, done: 2, failed: [3, 4], free: 0}
lease: {col: lease_ms}
times: {lease_ms: {unit: ms}}
release: [{name: expire, mode: expire, set: {lease_ms: now}, consequence: taken over, preferred: true}]
`,
		ddl: `CREATE TABLE "Order" ("Tenant" int, "Scope" text, "Digest" bytea, "Msg" uuid, "St" smallint, "LeaseMs" bigint, PRIMARY KEY ("Tenant", "Scope", "Digest", "Msg"));
INSERT INTO "Order" SELECT 7, 'a', '\x00ff'::bytea, ('00000000-0000-0000-0000-00000000000' || n)::uuid, n, (extract(epoch FROM now()) * 1000 - 60000)::bigint FROM generate_series(0, 5) n`,
		says: []string{"7/a/hex:00ff/" + envelope + "1 stuck"}, states: "done 1, failed 2, free 1, processing 1, unmapped 1",
		release: "7/a/hex:00ff/" + envelope + "1", after: `SELECT ("LeaseMs" > extract(epoch FROM now()) * 1000 - 30000)::text FROM "Order" WHERE "St" = 1`, want: "true",
	},
	"a boolean state with a beat, and a token that is bumped": {
		yaml: `kind: K4
match: {require: [picked, picked_by, last_heartbeat, version, task], unique: [task]}
key: [{col: task}]
state: {col: picked, processing: true, free: false}
heartbeat: {col: last_heartbeat, every: 5m, limit: 30m}
owner: picked_by
token: version
release: [{name: unpick, mode: requeue, set: {picked: false, picked_by: null, last_heartbeat: null, version: bump}, consequence: polled again, preferred: true}]
`,
		ddl: `CREATE TABLE tasks (task text PRIMARY KEY, picked boolean NOT NULL, picked_by text, last_heartbeat timestamptz, version bigint NOT NULL);
INSERT INTO tasks VALUES ('a', true, 'h1', now() - interval '1 hour', 5), ('b', true, 'h2', now() - interval '10 minutes', 1), ('c', false, NULL, NULL, 1)`,
		says: []string{"a stuck", "b held"}, states: "free 1, processing 2", release: "a", after: "SELECT concat(picked, picked_by, version) FROM tasks WHERE task = 'a'", want: "f6",
	},
}

func TestOwnProfiles(t *testing.T) {
	for name, x := range ownProfiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := profiles.Load([]byte(ownHead + x.yaml))
			if err != nil {
				t.Fatal(err)
			}
			db := servertest.Postgres(t)
			db.Exec(x.ddl)
			s := openWith(t, db, p)
			table := resolve(t, s, inspect.Target{})
			snap := look(t, s, table, inspect.Query{All: true})
			var says, states []string
			for _, c := range snap.Claims {
				says = append(says, fmt.Sprintf("%s %s", c.Key, c.Condition))
			}
			for state, n := range snap.Summary.ByState {
				states = append(states, fmt.Sprintf("%s %d", state, n.Rows))
			}
			slices.Sort(says)
			slices.Sort(states)
			if !slices.Equal(says, x.says) || strings.Join(states, ", ") != x.states {
				t.Fatalf("claims %q, states %q", says, states)
			}
			plan, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: []inspect.Key{key(t, table, x.release)}})
			if err != nil || len(plan.Rows) != 1 {
				t.Fatalf("plan %+v: %v", plan.Refused, err)
			}
			audit := &memory{}
			r, err := s.Release(t.Context(), table, plan, inspect.ReleaseOptions{Auditor: audit, Reason: "test"})
			if err != nil || len(r.Released) != 1 {
				t.Fatalf("released %v, skipped %v, failed %v: %v", r.Released, r.Skipped, r.Failed, err)
			}
			if got := db.Text(x.after); got != x.want {
				t.Errorf("after the release %q, want %q", got, x.want)
			}
			u, err := s.Undo(t.Context(), table, inspect.UndoRequest{AuditID: audit.ID(), Rows: audit.rows, Auditor: &memory{}, Reason: "test"})
			if err != nil || len(u.Restored) != 1 {
				t.Errorf("undo %+v: %v", u, err)
			}
		})
	}
}

func TestAnUnverifiedProfileIsLookOnly(t *testing.T) {
	p, err := profiles.Load([]byte(strings.Replace(ownHead, "support: verified", "support: unverified", 1) + ownProfiles["a boolean state with a beat, and a token that is bumped"].yaml))
	if err != nil {
		t.Fatal(err)
	}
	db := servertest.Postgres(t)
	db.Exec(ownProfiles["a boolean state with a beat, and a token that is bumped"].ddl)
	s := openWith(t, db, p)
	table := resolve(t, s, inspect.Target{})
	if !strings.Contains(strings.Join(table.Warnings, "\n"), "profile ours is unverified") {
		t.Errorf("warnings %q", table.Warnings)
	}
	plan, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: []inspect.Key{key(t, table, "a")}})
	if err != nil || len(plan.Rows) != 1 {
		t.Fatalf("plan %+v: %v", plan.Refused, err)
	}
	options := inspect.ReleaseOptions{Auditor: &memory{}, Reason: "test"}
	var fault *inspect.Fault
	if r, err := s.Release(t.Context(), table, plan, options); !errors.As(err, &fault) || fault.Kind != inspect.FaultRefused || len(r.Released) != 0 {
		t.Errorf("released %v: %v", r.Released, err)
	}
	options.AllowUnverified = true
	if r, err := s.Release(t.Context(), table, plan, options); err != nil || len(r.Released) != 1 {
		t.Errorf("accepted: released %v: %v", r.Released, err)
	}
}
