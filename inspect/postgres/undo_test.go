package postgres

import (
	"strings"
	"testing"

	"idemtui/inspect"
)

func undo(t *testing.T, s *Store, table inspect.Table, a *memoryAuditor, dry bool) (inspect.UndoResult, *memoryAuditor) {
	t.Helper()
	second := &memoryAuditor{}
	r, err := s.Undo(t.Context(), table, inspect.UndoRequest{AuditID: a.ID(), Rows: a.rows(), Auditor: second, Reason: "test", DryRun: dry})
	if err != nil {
		t.Fatalf("undo: %v", err)
	}
	return r, second
}

func TestUndoRestoresOnlyWhatNobodyTouched(t *testing.T) {
	db, s, table := recommended(t, "('a', 'PROCESSING', 'w1', "+lapsed+"), ('b', 'PROCESSING', 'w1', "+lapsed+"), ('c', 'PROCESSING', 'w1', "+lapsed+
		"), ('d', 'PROCESSING', 'w1', "+lapsed+"), ('e', 'PROCESSING', 'w1', "+lapsed+")")
	before := db.Text("SELECT t::text FROM processed_messages t WHERE message_id = 'a'")
	p := plan(t, s, table, inspect.PlanRequest{Owner: inspect.Some("w1")})
	a := &memoryAuditor{}
	release(t, s, table, p, a)
	db.Exec("UPDATE processed_messages SET state = 'PROCESSING', owner = 'w2', fencing_token = fencing_token + 1 WHERE message_id = 'b'")
	db.Exec("UPDATE processed_messages SET state = 'DONE' WHERE message_id = 'c'")
	db.Exec("DELETE FROM processed_messages WHERE message_id = 'd'")
	// Not a mapped column: still, somebody touched the row.
	db.Exec("UPDATE processed_messages SET result = '1' WHERE message_id = 'e'")
	dry, _ := undo(t, s, table, a, true)
	if dry.Executed || db.Text("SELECT state FROM processed_messages WHERE message_id = 'a'") != "FAILED" {
		t.Error("a dry run wrote")
	}
	r, second := undo(t, s, table, a, false)
	equal(t, "restored", names(r.Restored), []string{"a"})
	equal(t, "announced", names(dry.Restored), []string{"a"})
	want := map[string]inspect.Reason{"b": inspect.ReasonClaimedAgain, "c": inspect.ReasonDone, "d": inspect.ReasonGone}
	got := reasons(r.Skipped)
	for k, reason := range want {
		if got[k] != reason {
			t.Errorf("%s skipped as %q, want %s", k, got[k], reason)
		}
	}
	if got["e"] != inspect.ReasonChanged {
		t.Errorf("e was touched in a column that is not mapped, and is skipped as %q", got["e"])
	}
	if after := db.Text("SELECT t::text FROM processed_messages t WHERE message_id = 'a'"); after != before {
		t.Errorf("restored row differs:\n%s\n%s", before, after)
	}
	if len(second.intents) != 1 || second.intents[0].Action != inspect.ActionUndo || second.intents[0].UndoOf != a.ID() {
		t.Errorf("audit of the undo = %+v", second.intents)
	}
}

func TestUndoTwiceSaysThatItIsDone(t *testing.T) {
	_, s, table := recommended(t, "('a', 'PROCESSING', 'w1', "+lapsed+")")
	a := &memoryAuditor{}
	release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a")}), a)
	undo(t, s, table, a, false)
	for _, dry := range []bool{true, false} {
		r, _ := undo(t, s, table, a, dry)
		if len(r.Skipped) != 1 || r.Skipped[0].Reason != inspect.ReasonChanged || !strings.Contains(r.Skipped[0].Text, "as it was before the release already") {
			t.Errorf("dry %v: skipped = %+v", dry, r.Skipped)
		}
	}
}

// A row that is as the release left it because somebody claimed it and gave it
// back is not the release's any more.
func TestUndoLeavesARowThatWasTouchedAndIsAsItWas(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec("CREATE TABLE jobs (id text PRIMARY KEY, locked_at timestamptz, locked_by text); INSERT INTO jobs SELECT k, now() - interval '1 hour', 'w1' FROM unnest(ARRAY['a', 'b']) k")
	table := mapped(t, s, "jobs", "key=id,processing=locked_at!null,free=locked_at=null,claimed_at=locked_at,owner=locked_by")
	a := &memoryAuditor{}
	release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a", "b")}), a)
	db.Exec("UPDATE jobs SET locked_at = now(), locked_by = 'w2' WHERE id = 'a'")
	db.Exec("UPDATE jobs SET locked_at = NULL, locked_by = NULL WHERE id = 'a'")
	for _, dry := range []bool{true, false} {
		r, _ := undo(t, s, table, a, dry)
		equal(t, "restored", names(r.Restored), []string{"b"})
		if len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0].Text, "written since the release, to the same values") {
			t.Errorf("dry %v: skipped = %+v", dry, r.Skipped)
		}
	}
}

func TestUndoOfADeletion(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, st text, lease timestamptz, payload jsonb, raw bytea, tags text[], dbl bigint GENERATED ALWAYS AS (id * 2) STORED);
 INSERT INTO jobs (st, lease, payload, raw, tags) SELECT 'P', now() - interval '1 hour', '{"a": [1, null]}', '\x00ff', '{a,NULL,"b c"}' FROM generate_series(1, 2)`)
	table := mapped(t, s, "jobs", "key=id,state=st,processing=P,lease=lease")
	before := db.Text("SELECT string_agg(t::text, '|' ORDER BY id) FROM jobs t WHERE id = 1")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "1", "2")})
	if p.Mode != inspect.ReleaseExpire {
		t.Errorf("auto mode = %s", p.Mode)
	}
	p = plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "1", "2"), Mode: inspect.ReleaseDelete})
	a := &memoryAuditor{}
	release(t, s, table, p, a)
	if n := db.Int("SELECT count(*) FROM jobs"); n != 0 {
		t.Fatalf("%d rows left", n)
	}
	db.Exec("INSERT INTO jobs (id, st) OVERRIDING SYSTEM VALUE VALUES (2, 'new')")
	r, _ := undo(t, s, table, a, false)
	equal(t, "restored", names(r.Restored), []string{"1"})
	if reasons(r.Skipped)["2"] != inspect.ReasonChanged {
		t.Errorf("skipped %+v", r.Skipped)
	}
	if after := db.Text("SELECT string_agg(t::text, '|' ORDER BY id) FROM jobs t WHERE id = 1"); after != before {
		t.Errorf("restored row differs:\n%s\n%s", before, after)
	}
}
