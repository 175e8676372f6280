package postgres

import (
	"context"
	"strings"
	"testing"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
	"idemtui/inspect/schema"
)

func charged(t testing.TB, table inspect.Table, reference string, keys ...string) []inspect.KeyAnswer {
	return answered(t, table, inspect.AnswerCharged, reference, keys...)
}

func answered(t testing.TB, table inspect.Table, outcome inspect.Answer, reference string, keys ...string) []inspect.KeyAnswer {
	t.Helper()
	var out []inspect.KeyAnswer
	for _, k := range keyList(t, table, keys...) {
		out = append(out, inspect.KeyAnswer{Key: k, Settlement: inspect.Settlement{Outcome: outcome, Reference: reference}})
	}
	return out
}

func planSettle(t testing.TB, s *Store, table inspect.Table, answers []inspect.KeyAnswer) inspect.Plan {
	t.Helper()
	p, err := s.PlanSettle(t.Context(), table, inspect.SettleRequest{Answers: answers})
	if err != nil {
		t.Fatalf("plan a settle: %v", err)
	}
	return p
}

func TestSettleChargedWritesWhatTheCompletionWrites(t *testing.T) {
	db, s, table := recommended(t, "('own', 'PROCESSING', 'w1', "+lapsed+"), ('settled', 'PROCESSING', 'w1', "+lapsed+")")
	// The table's own completion, on one row; both tokens are the same, so that
	// the rows can be compared whole.
	sql, err := schema.For(dsn.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	db.Exec("UPDATE processed_messages SET fencing_token = 77, claimed_at = '2026-03-01'")
	if _, err := db.Conn().Exec(context.Background(), sql.Statement("complete").SQL, "own", 77, `{"charge": "ch_1"}`); err != nil {
		t.Fatal(err)
	}
	answers := charged(t, table, "ch_1", "settled")
	result := `{"charge": "ch_1"}`
	answers[0].Result = &result
	before := db.Text("SELECT t::text FROM processed_messages t WHERE message_id = 'settled'")
	p := planSettle(t, s, table, answers)
	if p.Mode != inspect.ReleaseComplete || !p.Settles() || p.Count() != 1 {
		t.Fatalf("plan %+v", p)
	}
	a := &memoryAuditor{}
	r := release(t, s, table, p, a)
	equal(t, "settled", names(r.Released), []string{"settled"})
	const whole = `SELECT state || '/' || owner || '/' || claimed_at || '/' || coalesce(lease_expires_at::text, '-') || '/' || (completed_at > now() - interval '1 minute') ||
 '/' || (updated_at > now() - interval '1 minute') || '/' || attempts || '/' || fencing_token || '/' || result FROM processed_messages WHERE message_id = $1`
	if own, settled := db.Text(whole, "own"), db.Text(whole, "settled"); own != settled {
		t.Errorf("settled %s\ncompleted %s", settled, own)
	}
	if i := a.intents[0]; i.Action != inspect.ActionSettle || i.Mode != inspect.ReleaseComplete || i.Rows[0].Settlement.Reference != "ch_1" || i.Rows[0].Settlement.Outcome != inspect.AnswerCharged {
		t.Errorf("intent %+v", i)
	}
	undone, _ := undo(t, s, table, a, false)
	equal(t, "restored", names(undone.Restored), []string{"settled"})
	if after := db.Text("SELECT t::text FROM processed_messages t WHERE message_id = 'settled'"); after != before {
		t.Errorf("undone %s, was %s", after, before)
	}
}

func TestSettleNotChargedIsARelease(t *testing.T) {
	db, s, table := recommended(t, "('a', 'PROCESSING', 'w1', "+lapsed+"), ('b', 'PROCESSING', 'w1', "+lapsed+"), ('done', 'DONE', 'w1', now(), NULL, now()), ('held', 'PROCESSING', 'w1', now(), now() + interval '1 hour', NULL)")
	p := planSettle(t, s, table, append(charged(t, table, "ch_2", "b", "done", "held", "gone"), answered(t, table, inspect.AnswerNotCharged, "q_9", "a")...))
	got := reasons(p.Refused)
	if p.Count() != 2 || got["done"] != inspect.ReasonDone || got["held"] != inspect.ReasonLeaseRunning || got["gone"] != inspect.ReasonGone {
		t.Fatalf("%d rows, refused %+v", p.Count(), p.Refused)
	}
	if all := strings.Join(p.Consequence, "\n"); !strings.Contains(all, "charged, 1 claim") || !strings.Contains(all, "not charged, 1 claim") || !strings.Contains(all, "cannot know") {
		t.Errorf("consequence %s", all)
	}
	a := &memoryAuditor{}
	r := release(t, s, table, p, a)
	equal(t, "settled", names(r.Released), []string{"b", "a"})
	if got := db.Text("SELECT string_agg(message_id || ':' || state, ' ' ORDER BY message_id) FROM processed_messages"); got != "a:FAILED b:DONE done:DONE held:PROCESSING" {
		t.Errorf("rows %s", got)
	}
	if len(a.intents) != 2 || a.intents[0].Mode != inspect.ReleaseComplete || a.intents[1].Mode != inspect.ReleaseFail {
		t.Errorf("intents %+v", a.intents)
	}
	r2, _ := undo(t, s, table, a, false)
	if len(r2.Restored) != 2 {
		t.Errorf("undo %+v", r2)
	}
}

func TestSettleIsGuardedLikeARelease(t *testing.T) {
	db, s, table := recommended(t, "('again', 'PROCESSING', 'w1', "+lapsed+"), ('done', 'PROCESSING', 'w1', "+lapsed+"), ('k', 'PROCESSING', 'w1', "+lapsed+")")
	p := planSettle(t, s, table, charged(t, table, "ch", "again", "done", "k"))
	db.Exec("UPDATE processed_messages SET owner = 'w2', fencing_token = fencing_token + 100 WHERE message_id = 'again'")
	db.Exec("UPDATE processed_messages SET state = 'DONE', completed_at = now() WHERE message_id = 'done'")
	r := release(t, s, table, p, &memoryAuditor{})
	equal(t, "settled", names(r.Released), []string{"k"})
	if got := reasons(r.Skipped); got["again"] != inspect.ReasonClaimedAgain || got["done"] != inspect.ReasonDone {
		t.Errorf("skipped %+v", r.Skipped)
	}
	// Another answer is another plan, and an altered one is refused.
	p.Rows[0].Settlement.Reference = "other"
	_, err := s.Release(t.Context(), table, p, inspect.ReleaseOptions{Auditor: &memoryAuditor{}})
	wantFault(t, err, inspect.FaultRefused)
}

func TestSettleOnMappedTables(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (k text PRIMARY KEY, st text, at timestamptz, done_at timestamptz, lease timestamptz);
 INSERT INTO jobs VALUES ('k', 'P', now() - interval '1 hour', NULL, now() - interval '1 minute');
 CREATE TABLE inbox (id bigint PRIMARY KEY, locked_at timestamptz, processed_at timestamptz, body text);
 INSERT INTO inbox VALUES (1, now() - interval '1 hour', NULL, NULL)`)
	jobs := mapped(t, s, "jobs", "key=k,state=st,processing=P,done=D,failed=X,claimed_at=at,completed_at=done_at,lease=lease")
	r := release(t, s, jobs, planSettle(t, s, jobs, charged(t, jobs, "ch", "k")), &memoryAuditor{})
	equal(t, "settled", names(r.Released), []string{"k"})
	if got := db.Text("SELECT st || '/' || (done_at = now()::timestamptz OR done_at > now() - interval '1 minute') || '/' || (lease IS NOT NULL) FROM jobs"); got != "D/true/true" {
		t.Errorf("row %s", got)
	}
	inbox := mapped(t, s, "inbox", "key=id,processing=locked_at!null,done=processed_at!null,free=locked_at=null,claimed_at=locked_at")
	release(t, s, inbox, planSettle(t, s, inbox, charged(t, inbox, "ch", "1")), &memoryAuditor{})
	if n := db.Int("SELECT count(*) FROM inbox WHERE processed_at IS NOT NULL AND locked_at IS NOT NULL"); n != 1 {
		t.Errorf("%d rows done", n)
	}
}

func TestSettleIsRefusedByNameWhereACompletionCannotBeWhole(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec("CREATE TABLE jobs (k text PRIMARY KEY, st text, at timestamptz, body text)")
	refusal := func(table inspect.Table) string {
		t.Helper()
		_, err := s.PlanSettle(t.Context(), table, inspect.SettleRequest{Answers: charged(t, table, "ch", "k")})
		return wantFault(t, err, inspect.FaultRefused).Error()
	}
	table := mapped(t, s, "jobs", "key=k,state=st,processing=P,failed=X,claimed_at=at")
	if got := refusal(table); !strings.Contains(got, "no value for the state done is mapped") {
		t.Error(got)
	}
	byNull := mapped(t, s, "jobs", "key=k,processing=at!null,done=body!null,claimed_at=at")
	if got := refusal(byNull); !strings.Contains(got, "what body holds when the work is done is not known") {
		t.Error(got)
	}
	table.Mapping.State.Values[inspect.StateDone] = []string{"D"}
	for kind, word := range map[inspect.Kind]string{inspect.KindInsertOnly: "K6", inspect.KindInsertOnlyCommit: "K7", inspect.KindPlaceholder: "K5", inspect.KindLockRow: "K8"} {
		table.Mapping.Kind = kind
		if got := refusal(table); !strings.Contains(got, word) {
			t.Errorf("%s: %s", kind, got)
		}
	}
	table.Mapping.Kind = inspect.KindStateAge
	answers := charged(t, table, "ch", "k")
	result := "x"
	answers[0].Result = &result
	_, err := s.PlanSettle(t.Context(), table, inspect.SettleRequest{Answers: answers})
	if f := wantFault(t, err, inspect.FaultRefused); !strings.Contains(f.Error(), "--result") {
		t.Error(f)
	}
	own := resolve(t, s, inspect.Target{Table: "processed_messages"})
	answers = charged(t, own, "ch", "k")
	answers[0].Result = &result
	_, err = s.PlanSettle(t.Context(), own, inspect.SettleRequest{Answers: answers})
	if f := wantFault(t, err, inspect.FaultRefused); !strings.Contains(f.Error(), "no JSON") {
		t.Error(f)
	}
}

func TestSettleNeedsTheRightToComplete(t *testing.T) {
	db, _, _ := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	role := db.Role("releaser", "SELECT ON processed_messages", "UPDATE (state, owner, lease_expires_at, updated_at, fencing_token) ON processed_messages", "USAGE ON SEQUENCE processed_messages_token")
	s := open(t, role.DSN)
	table := resolve(t, s, inspect.Target{})
	_, err := s.PlanSettle(t.Context(), table, inspect.SettleRequest{Answers: charged(t, table, "ch", "k")})
	if f := wantFault(t, err, inspect.FaultPermission); !strings.Contains(f.Next, `GRANT UPDATE ("completed_at", "result")`) {
		t.Error(f)
	}
	if p, err := s.PlanSettle(t.Context(), table, inspect.SettleRequest{Answers: answered(t, table, inspect.AnswerNotCharged, "q", "k")}); err != nil || p.Count() != 1 {
		t.Errorf("not charged: %d rows, %v", p.Count(), err)
	}
}

// What was not charged is released as a release would: with what it holds in
// other tables, all of it shown.
func TestSettleNotChargedReleasesTheCompanionToo(t *testing.T) {
	db, s, table := called(t)
	p := planSettle(t, s, table, answered(t, table, inspect.AnswerNotCharged, "q_1", "1"))
	if !strings.Contains(p.SQL, "_private_job_queues") || !strings.Contains(p.SQL, "force_unlock_workers") {
		t.Errorf("the plan shows\n%s", p.SQL)
	}
	r := release(t, s, table, p, &memoryAuditor{})
	equal(t, "released", names(r.Released), []string{"1"})
	if job, queue := db.Text(jobNow), db.Text(queueNow); job != "-" || queue != "-" {
		t.Errorf("job %s, queue %s", job, queue)
	}
}
