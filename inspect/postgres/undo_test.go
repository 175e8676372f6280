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

// A lease that ended yesterday is made to end yesterday.
func TestUndoOfAReleaseThatChangedNothing(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec("CREATE TABLE jobs (id text PRIMARY KEY, st text, until date); INSERT INTO jobs SELECT 'a', 'P', (now() AT TIME ZONE 'UTC')::date - 1")
	table := mapped(t, s, "jobs", "key=id,state=st,processing=P,done=D,free=N,lease=until")
	a := &memoryAuditor{}
	release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a"), Mode: inspect.ReleaseExpire}), a)
	u, second := undo(t, s, table, a, false)
	equal(t, "restored", names(u.Restored), []string{"a"})
	if len(second.intents) != 1 {
		t.Errorf("%d records", len(second.intents))
	}
}

// What goes with a deleted row is in no record.
func TestARowThatTakesOthersWithItIsNotDeleted(t *testing.T) {
	for _, action := range []string{"CASCADE", "SET NULL", "SET DEFAULT", "NO ACTION"} {
		db, s, table := recommended(t, "('a', 'PROCESSING', 'w1', "+lapsed+")")
		db.Exec("CREATE TABLE steps (m text REFERENCES processed_messages ON DELETE " + action + ")")
		_, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: keyList(t, table, "a"), Mode: inspect.ReleaseDelete})
		if action == "NO ACTION" {
			if err != nil {
				t.Errorf("nothing goes with it: %v", err)
			}
		} else if f := wantFault(t, err, inspect.FaultRefused); !strings.Contains(f.What, "public.steps") {
			t.Errorf("%s: it says %s", action, f.What)
		}
	}
}

func TestARowWithAColumnThatWasAddedSinceIsNotDeleted(t *testing.T) {
	db, s, table := recommended(t, "('a', 'PROCESSING', 'w1', "+lapsed+")")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a"), Mode: inspect.ReleaseDelete})
	db.Exec("ALTER TABLE processed_messages ADD payload text DEFAULT 'precious'")
	a := &memoryAuditor{}
	_, err := s.Release(t.Context(), table, p, inspect.ReleaseOptions{Auditor: a, Reason: "test"})
	wantFault(t, err, inspect.FaultRefused)
	if n := db.Int("SELECT count(*) FROM processed_messages WHERE payload = 'precious'"); n != 1 || len(a.intents) != 0 {
		t.Errorf("%d rows, %d intents", n, len(a.intents))
	}
}

func TestUndoTellsAnotherCaseFromTheSame(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(everyType)
	db.Exec("ALTER TABLE jobs ADD who text COLLATE folded DEFAULT 'w-one'")
	table := mapped(t, s, "jobs", everyTypeMap)
	table.RowVersions, table.RowPlaces = false, false // only the values tell
	id := db.Text("SELECT id::text FROM jobs LIMIT 1")
	a := &memoryAuditor{}
	release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, id)}), a)
	db.Exec("UPDATE jobs SET who = upper(who)")
	if u, _ := undo(t, s, table, a, false); len(u.Restored) != 0 {
		t.Error("undone in a row that somebody changed")
	}
}

func TestUndoThatATriggerKeepsOutIsNotSaidToBeDone(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec("CREATE TABLE jobs (id text PRIMARY KEY, st text, until timestamptz, upd timestamptz); INSERT INTO jobs SELECT id, 'P', now() - interval '1 hour' FROM unnest(ARRAY['a', 'b']) id")
	const mapping = "key=id,state=st,processing=P,done=D,free=N,lease=until"
	table := mapped(t, s, "jobs", mapping)
	a := &memoryAuditor{}
	release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a", "b")}), a)
	db.Exec(`CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.upd := now(); IF old.id = 'a' THEN new.st := old.st; END IF; RETURN new; END $$;
CREATE TRIGGER keep BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION keep()`)
	u, _ := undo(t, s, mapped(t, s, "jobs", mapping), a, false)
	equal(t, "restored", names(u.Restored), []string{"b"})
	if len(u.Failed) != 1 || !strings.Contains(u.Failed[0].Error, "a trigger of the table kept st as it was") {
		t.Errorf("failed = %+v", u.Failed)
	}
	if got := db.Text("SELECT string_agg(st || coalesce(until < now(), false), ',' ORDER BY id) FROM jobs"); got != "Nfalse,Ptrue" {
		t.Errorf("the rows are %s", got)
	}
}
