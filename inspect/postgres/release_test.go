package postgres

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"idemtui/inspect"
)

const lapsed = "now() - interval '1 hour', now() - interval '50 minutes', NULL"

func TestR11_CompletedBetweenListAndRelease(t *testing.T) {
	db, s, table := recommended(t, "('a', 'PROCESSING', 'w1', "+lapsed+"), ('b', 'PROCESSING', 'w1', "+lapsed+")")
	snap := snapshot(t, s, table, inspect.Query{})
	p := plan(t, s, table, inspect.PlanRequest{Keys: []inspect.Key{snap.Claims[0].Key, snap.Claims[1].Key}})
	if p.Count() != 2 {
		t.Fatalf("plan covers %d rows, want 2: %+v", p.Count(), p.Refused)
	}
	db.Exec("UPDATE processed_messages SET state = 'DONE', completed_at = '2026-03-01 12:00:05Z', result = '{\"ok\": 1}' WHERE message_id = 'a'")
	before := db.Text("SELECT t::text FROM processed_messages t WHERE message_id = 'a'")
	a := &memoryAuditor{}
	r := release(t, s, table, p, a)
	equal(t, "released", names(r.Released), []string{"b"})
	if len(r.Skipped) != 1 || r.Skipped[0].Reason != inspect.ReasonDone || !strings.Contains(r.Skipped[0].Text, "2026-03-01T12:00:05") {
		t.Errorf("skipped = %+v, want a: done since 12:00:05", r.Skipped)
	}
	if after := db.Text("SELECT t::text FROM processed_messages t WHERE message_id = 'a'"); after != before {
		t.Errorf("the finished row changed:\n%s\n%s", before, after)
	}
	if got := db.Text("SELECT state || '/' || coalesce(owner, '-') || '/' || coalesce(lease_expires_at::text, '-') || '/' || (fencing_token > 2) FROM processed_messages WHERE message_id = 'b'"); got != "FAILED/-/-/true" {
		t.Errorf("b = %s", got)
	}
	if len(a.intents) != 1 || len(a.intents[0].Rows) != 1 || len(a.outcomes) != 1 || a.outcomes[0].Status != inspect.OutcomeCommitted {
		t.Errorf("audit = %+v %+v", a.intents, a.outcomes)
	}
}

func TestR11_ReleasingThreeOfManyTouchesNothingElse(t *testing.T) {
	db, s, table := recommended(t, "")
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at, completed_at, result)
 SELECT 'm' || n, CASE WHEN n <= 2583 THEN 'PROCESSING' ELSE 'DONE' END, 'w', now() - interval '1 hour', now() - interval '50 minutes',
  CASE WHEN n > 2583 THEN now() END, jsonb_build_object('n', n) FROM generate_series(1, 12008) n`)
	sum := "SELECT md5(string_agg(t::text, '|' ORDER BY message_id)) FROM processed_messages t WHERE state = 'DONE'"
	before := db.Text(sum)
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "m1", "m2", "m3")})
	release(t, s, table, p, &memoryAuditor{})
	if n := db.Int("SELECT count(*) FROM processed_messages WHERE state = 'DONE'"); n != 9425 {
		t.Errorf("%d finished rows, want 9,425", n)
	}
	if db.Text(sum) != before {
		t.Error("a finished row changed")
	}
	if n := db.Int("SELECT count(*) FROM processed_messages WHERE state = 'FAILED'"); n != 3 {
		t.Errorf("%d rows released, want 3", n)
	}
}

func TestR14_RunningLeaseIsRefused(t *testing.T) {
	db, s, table := recommended(t, "('k', 'PROCESSING', 'w1', now(), now() + interval '180 seconds', NULL)")
	request := inspect.PlanRequest{Keys: keyList(t, table, "k")}
	p := plan(t, s, table, request)
	if p.Count() != 0 || reasons(p.Refused)["k"] != inspect.ReasonLeaseRunning || !strings.Contains(p.Refused[0].Text, "frees itself in 3m") && !strings.Contains(p.Refused[0].Text, "frees itself in 2m59s") {
		t.Fatalf("plan = %d rows, refused %+v", p.Count(), p.Refused)
	}
	request.OverrideLease = true
	p = plan(t, s, table, request)
	if p.Count() != 1 {
		t.Fatalf("override refused: %+v", p.Refused)
	}
	token := db.Int("SELECT fencing_token FROM processed_messages")
	r := release(t, s, table, p, &memoryAuditor{})
	equal(t, "released", names(r.Released), []string{"k"})
	late := "UPDATE processed_messages SET state = 'DONE' WHERE message_id = 'k' AND fencing_token = $1"
	tag, err := db.Conn().Exec(t.Context(), late, token)
	if err != nil || tag.RowsAffected() != 0 {
		t.Errorf("the late worker's fenced write changed %d rows (%v)", tag.RowsAffected(), err)
	}
}

func TestR14_WithoutTokenAndLeaseItSaysSo(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec("CREATE TABLE jobs (k text PRIMARY KEY, st text, at timestamptz, hb timestamptz, lease timestamptz); INSERT INTO jobs VALUES ('k', 'P', now() - interval '1 hour', now() - interval '70 seconds', NULL)")
	table := mapped(t, s, "jobs", "key=k,state=st,processing=P,free=F,claimed_at=at,heartbeat=hb,heartbeat_every=10s,lease=lease")
	d, err := s.Show(t.Context(), table, key(t, table, "k"), inspect.ShowOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(append(d.Claim.Notes, d.IfReleased...), "\n"); !strings.Contains(all, "never frees itself") || !strings.Contains(all, "may run twice") {
		t.Errorf("notes and consequences:\n%s", all)
	}
}

func TestFreshHeartbeatAndRowLockAreNeverOverridden(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (k text PRIMARY KEY, st text, hb timestamptz, lease timestamptz);
 INSERT INTO jobs VALUES ('beats', 'P', now(), now() - interval '1 minute'), ('locked', 'P', NULL, now() - interval '1 minute')`)
	table := mapped(t, s, "jobs", "key=k,state=st,processing=P,free=F,heartbeat=hb,heartbeat_every=10s,lease=lease")
	held, err := db.Conn().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Exec(t.Context(), "SAVEPOINT s; SELECT 1 FROM jobs WHERE k = 'locked' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string]inspect.Reason{"beats": inspect.ReasonAlive, "locked": inspect.ReasonLocked} {
		p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, k), OverrideLease: true})
		if p.Count() != 0 || reasons(p.Refused)[k] != want {
			t.Errorf("%s: %d rows, refused %+v, want %s", k, p.Count(), p.Refused, want)
		}
	}
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestReasonsAfterThePlan(t *testing.T) {
	changes := map[inspect.Reason]string{
		inspect.ReasonGone:         "DELETE FROM processed_messages WHERE message_id = 'k'",
		inspect.ReasonDone:         "UPDATE processed_messages SET state = 'DONE' WHERE message_id = 'k'",
		inspect.ReasonFailed:       "UPDATE processed_messages SET state = 'FAILED' WHERE message_id = 'k'",
		inspect.ReasonClaimedAgain: "UPDATE processed_messages SET owner = 'w2', fencing_token = fencing_token + 1, lease_expires_at = now() + interval '1 minute' WHERE message_id = 'k'",
		inspect.ReasonLeaseRunning: "UPDATE processed_messages SET lease_expires_at = now() + interval '1 minute' WHERE message_id = 'k'",
		inspect.ReasonRenewed:      "UPDATE processed_messages SET lease_expires_at = now() - interval '1 microsecond' WHERE message_id = 'k'",
		inspect.ReasonChanged:      "UPDATE processed_messages SET attempts = attempts + 1 WHERE message_id = 'k'",
	}
	for want, change := range changes {
		t.Run(string(want), func(t *testing.T) {
			db, s, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
			p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "k")})
			db.Exec(change)
			before := db.Text("SELECT coalesce(max(t::text), '') FROM processed_messages t")
			a := &memoryAuditor{}
			r := release(t, s, table, p, a)
			if len(r.Released) != 0 || reasons(r.Skipped)["k"] != want {
				t.Errorf("released %v, skipped %+v, want %s", r.Released, r.Skipped, want)
			}
			if after := db.Text("SELECT coalesce(max(t::text), '') FROM processed_messages t"); after != before {
				t.Errorf("the row changed: %s -> %s", before, after)
			}
			if len(a.intents) != 0 {
				t.Error("an intent without a write")
			}
		})
	}
}

func TestReasonLockedDoesNotWait(t *testing.T) {
	db, s, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+"), ('free', 'PROCESSING', 'w1', "+lapsed+")")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "k", "free")})
	held, err := db.Conn().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Exec(t.Context(), "SELECT 1 FROM processed_messages WHERE message_id = 'k' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	r := release(t, s, table, p, &memoryAuditor{})
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("waited %s for a locked row", took)
	}
	equal(t, "released", names(r.Released), []string{"free"})
	if reasons(r.Skipped)["k"] != inspect.ReasonLocked {
		t.Errorf("skipped %+v, want k locked", r.Skipped)
	}
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsReleasedWithoutAnAuditRecord(t *testing.T) {
	db, s, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "k")})
	_, err := s.Release(t.Context(), table, p, inspect.ReleaseOptions{Auditor: &memoryAuditor{refuse: errors.New("disk full")}})
	wantFault(t, err, inspect.FaultAudit)
	if got := db.Text("SELECT state FROM processed_messages"); got != "PROCESSING" {
		t.Errorf("state = %s", got)
	}
}

func TestAuditRecordHoldsTheRowAsLockedBeforeTheCommit(t *testing.T) {
	db, s, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	db.Exec("UPDATE processed_messages SET result = '{\"n\": 1}'")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "k")})
	seen := ""
	application := ""
	a := &memoryAuditor{onIntent: func() {
		seen = db.Text("SELECT state FROM processed_messages")
		application = db.Text("SELECT string_agg(application_name, ',') FROM pg_stat_activity WHERE application_name LIKE 'idemtui %'")
	}}
	release(t, s, table, p, a)
	if seen != "PROCESSING" {
		t.Errorf("at the intent others saw %q, want PROCESSING", seen)
	}
	if application != "idemtui 01TEST" {
		t.Errorf("application_name = %q", application)
	}
	row := a.rows()[0]
	if v := valueOf(row.Before, "result"); v == nil || *v != `{"n": 1}` {
		t.Errorf("before = %+v", row.Before)
	}
	if v := valueOf(row.After, "state"); v == nil || *v != "FAILED" {
		t.Errorf("after = %+v", row.After)
	}
}

func TestR13_EverythingOfOneDeadWorker(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (k text PRIMARY KEY, st text, own text, hb timestamptz);
 INSERT INTO jobs SELECT 'd' || n, 'P', 'w-12', now() - interval '1 hour' FROM generate_series(1, 3) n;
 INSERT INTO jobs SELECT 'a' || n, 'P', 'w-13', now() FROM generate_series(1, 2) n`)
	table := mapped(t, s, "jobs", "key=k,state=st,processing=P,free=F,owner=own,heartbeat=hb,heartbeat_every=10s")
	p := plan(t, s, table, inspect.PlanRequest{Owner: inspect.Some("w-12")})
	if p.Count() != 3 {
		t.Fatalf("preview %d rows, want 3: %+v", p.Count(), p.Refused)
	}
	r := release(t, s, table, p, &memoryAuditor{})
	if len(r.Released) != 3 || !r.Clean() {
		t.Errorf("result %+v", r)
	}
	if got := db.Text("SELECT string_agg(own || st, ',' ORDER BY k) FROM jobs WHERE own IS NOT NULL"); got != "w-13P,w-13P" {
		t.Errorf("others = %s", got)
	}
	if n := db.Int("SELECT count(*) FROM jobs"); n != 5 {
		t.Errorf("%d rows, want 5", n)
	}
}

func TestR13_OneBadRowNeverStopsTheRest(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (k text PRIMARY KEY, st text, slot int, lease timestamptz);
 CREATE UNIQUE INDEX ON jobs (slot) WHERE st = 'F';
 INSERT INTO jobs SELECT 'r' || n, 'P', n, now() - interval '1 hour' FROM generate_series(1, 5) n;
 INSERT INTO jobs VALUES ('other', 'F', 3, NULL)`)
	table := mapped(t, s, "jobs", "key=k,state=st,processing=P,free=F,lease=lease")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "r1", "r2", "r3", "r4", "r5")})
	r := release(t, s, table, p, &memoryAuditor{})
	equal(t, "released", names(r.Released), []string{"r1", "r2", "r4", "r5"})
	if len(r.Failed) != 1 || r.Failed[0].Key.String() != "r3" || !strings.Contains(r.Failed[0].Error, "duplicate key value violates unique constraint") {
		t.Errorf("failed = %+v", r.Failed)
	}
}

func TestReleaseInBatches(t *testing.T) {
	db, s, table := recommended(t, "")
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at)
 SELECT 'm' || lpad(n::text, 5, '0'), 'PROCESSING', 'w', now() - interval '1 hour', now() - interval '50 minutes' FROM generate_series(1, 2500) n`)
	p := plan(t, s, table, inspect.PlanRequest{Owner: inspect.Some("w")})
	a := &memoryAuditor{}
	r := release(t, s, table, p, a)
	if len(r.Released) != 2500 {
		t.Fatalf("released %d, skipped %d, failed %d", len(r.Released), len(r.Skipped), len(r.Failed))
	}
	var sizes []string
	for _, i := range a.intents {
		sizes = append(sizes, fmt.Sprint(len(i.Rows)))
	}
	equal(t, "batches", sizes, []string{"1000", "1000", "500"})
}

func TestReleaseModes(t *testing.T) {
	const ddl = `CREATE TABLE jobs (k text PRIMARY KEY, st text, own text, at timestamptz, lease timestamptz, tok bigint, failed_at timestamptz);
 INSERT INTO jobs VALUES ('k', 'P', 'w', now() - interval '1 hour', now() - interval '1 minute', 7, NULL)`
	const mapping = "key=k,state=st,processing=P,done=D,failed=X,free=F,owner=own,claimed_at=at,lease=lease,token=tok,failed_at=failed_at"
	for mode, want := range map[inspect.ReleaseMode]string{
		inspect.ReleaseAuto:    "F/-/8/lease -/failed -",
		inspect.ReleaseRequeue: "F/-/8/lease -/failed -",
		inspect.ReleaseFail:    "X/-/8/lease -/failed +",
		inspect.ReleaseExpire:  "P/w/8/lease +/failed -",
		inspect.ReleaseDelete:  "none",
	} {
		t.Run(string(mode), func(t *testing.T) {
			db, s, _ := recommended(t, "")
			db.Exec(ddl)
			table := mapped(t, s, "jobs", mapping)
			p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "k"), Mode: mode})
			r := release(t, s, table, p, &memoryAuditor{})
			equal(t, "released", names(r.Released), []string{"k"})
			got := db.Text(`SELECT coalesce(max(st || '/' || coalesce(own, '-') || '/' || tok || '/lease ' || CASE WHEN lease IS NULL THEN '-' ELSE '+' END
 || '/failed ' || CASE WHEN failed_at IS NULL THEN '-' ELSE '+' END), 'none') FROM jobs`)
			if got != want {
				t.Errorf("row = %s, want %s", got, want)
			}
		})
	}
}

func TestReleaseClearsLockedAt(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (id bigint PRIMARY KEY, locked_at timestamptz, locked_by text, processed_at timestamptz);
 INSERT INTO jobs VALUES (1, now() - interval '1 hour', 'w', NULL), (2, now() - interval '1 hour', 'w', now()), (3, NULL, NULL, NULL), (4, now(), 'w', NULL)`)
	table := mapped(t, s, "jobs", "key=id,processing=locked_at!null,done=processed_at!null,free=locked_at=null,claimed_at=locked_at,owner=locked_by")
	snap := snapshot(t, s, table, inspect.Query{})
	equal(t, "stuck", keysOf(snap.Claims), []string{"1"})
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "1", "2", "3", "4", "5")})
	if got := reasons(p.Refused); got["2"] != inspect.ReasonDone || got["3"] != inspect.ReasonChanged || got["4"] != inspect.ReasonLeaseRunning || got["5"] != inspect.ReasonGone {
		t.Errorf("refused %+v", p.Refused)
	}
	if p.Mode != inspect.ReleaseClear {
		t.Errorf("mode %s, want clear", p.Mode)
	}
	r := release(t, s, table, p, &memoryAuditor{})
	equal(t, "released", names(r.Released), []string{"1"})
	if got := db.Text("SELECT coalesce(locked_at::text, '-') || coalesce(locked_by, '-') FROM jobs WHERE id = 1"); got != "--" {
		t.Errorf("row = %s", got)
	}
}

// A row whose write waits for a transaction that is not over is a bad row too.
func TestR13_ARowThatMustWaitNeverStopsTheRest(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (k text PRIMARY KEY, st text, slot int, lease timestamptz);
 CREATE UNIQUE INDEX ON jobs (slot) WHERE st = 'F';
 INSERT INTO jobs SELECT 'r' || n, 'P', n, now() - interval '1 hour' FROM generate_series(1, 5) n`)
	table := mapped(t, s, "jobs", "key=k,state=st,processing=P,free=F,lease=lease")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "r1", "r2", "r3", "r4", "r5")})
	held, err := db.Conn().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Exec(t.Context(), "INSERT INTO jobs VALUES ('other', 'F', 3, NULL)"); err != nil {
		t.Fatal(err)
	}
	r := release(t, s, table, p, &memoryAuditor{})
	equal(t, "released", names(r.Released), []string{"r1", "r2", "r4", "r5"})
	if len(r.Failed) != 1 || r.Failed[0].Key.String() != "r3" || !strings.Contains(r.Failed[0].Error, "another transaction that is not over was in the way") {
		t.Errorf("failed = %+v", r.Failed)
	}
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A plan that was printed is carried out under the mapping that it was made with.
func TestAPlanRunsOnlyTheStatementThatItShows(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec("CREATE TABLE jobs (id text PRIMARY KEY, st text, own text, at timestamptz); INSERT INTO jobs VALUES ('a', 'P', 'w1', now() - interval '1 hour')")
	const mapping = "key=id,state=st,processing=P,claimed_at=at,owner=own,"
	table, other := mapped(t, s, "jobs", mapping+"done=D,free=N"), mapped(t, s, "jobs", mapping+"done=N,free=D")
	for _, p := range []inspect.Plan{
		plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a")}),
		planSettle(t, s, table, answered(t, table, inspect.AnswerNotCharged, "q", "a")),
	} {
		_, err := s.Release(t.Context(), other, p, inspect.ReleaseOptions{Auditor: &memoryAuditor{}, Reason: "test"})
		if f := wantFault(t, err, inspect.FaultRefused); !strings.Contains(f.What, "another than the plan shows") {
			t.Errorf("it says %s", f.What)
		}
	}
	if got := db.Text("SELECT st FROM jobs"); got != "P" {
		t.Errorf("the row is %s", got)
	}
}

// The unique index of a table does not cover what inherits from it.
func TestAChildTablesClaimOfTheSameKeyIsNotTouched(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (id text PRIMARY KEY, st text, own text, until timestamptz); CREATE TABLE jobs_old () INHERITS (jobs);
INSERT INTO jobs SELECT id, 'P', 'w1', now() - interval '1 hour' FROM unnest(ARRAY['a', 'b']) id`)
	table := mapped(t, s, "jobs", "key=id,state=st,processing=P,done=D,free=N,lease=until,owner=own")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a", "b")})
	db.Exec("INSERT INTO jobs_old VALUES ('a', 'P', 'w2', now() + interval '1 hour')")
	r := release(t, s, table, p, &memoryAuditor{})
	equal(t, "released", names(r.Released), []string{"a", "b"})
	if got := db.Text("SELECT st || own FROM jobs_old"); got != "Pw2" {
		t.Errorf("the child's claim is %s", got)
	}
}
