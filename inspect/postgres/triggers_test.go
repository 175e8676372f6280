package postgres

import (
	"slices"
	"strings"
	"testing"

	"idemtui/inspect"
)

// triggered is a table whose trigger does to a row what its key says.
func triggered(t *testing.T) (*Store, inspect.Table, func(string) string) {
	t.Helper()
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE noted (id text);
CREATE TABLE jobs (id text PRIMARY KEY, st text, own text, until timestamptz, at timestamptz);
INSERT INTO jobs SELECT id, 'P', 'w1', now() - interval '1 hour', now() - interval '2 hours' FROM unnest(ARRAY['plain', 'raise', 'missing', 'nothing', 'back', 'note']) id;
CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
 CASE old.id WHEN 'raise' THEN RAISE EXCEPTION 'not this one';
 WHEN 'missing' THEN INSERT INTO nowhere VALUES (new.id);
 WHEN 'nothing' THEN RETURN NULL;
 WHEN 'back' THEN new.st := 'P';
 WHEN 'note' THEN INSERT INTO noted VALUES (new.id);
 ELSE NULL; END CASE;
 RETURN new; END $$;
CREATE TRIGGER meddle BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION meddle()`)
	table := mapped(t, s, "jobs", "key=id,state=st,processing=P,done=D,free=N,lease=until,claimed_at=at,owner=own")
	return s, table, func(id string) string { return db.Text("SELECT st FROM jobs WHERE id = $1", id) }
}

func TestRelease_TriggersOfTheTable(t *testing.T) {
	s, table, state := triggered(t)
	ids := []string{"plain", "raise", "missing", "nothing", "back", "note"}
	a := &memoryAuditor{}
	r := release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, ids...)}), a)
	got := names(r.Released)
	slices.Sort(got)
	equal(t, "released", got, []string{"note", "plain"})
	failed := map[string]string{}
	for _, f := range r.Failed {
		failed[f.Key.String()] = f.Error
	}
	for id, want := range map[string]string{"raise": "not this one", "missing": "nowhere", "back": "put the claim back"} {
		if !strings.Contains(failed[id], want) {
			t.Errorf("%s failed with %q, want %q in it", id, failed[id], want)
		}
	}
	if len(r.Skipped) != 1 || r.Skipped[0].Reason != inspect.ReasonLocked || !strings.Contains(r.Skipped[0].Text, "a trigger of the table suppressed the write") {
		t.Errorf("skipped = %+v", r.Skipped)
	}
	for _, id := range ids {
		want := "P"
		if id == "plain" || id == "note" {
			want = "N"
		}
		if got := state(id); got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	if rows := a.rows(); len(rows) != 2 {
		t.Errorf("%d rows are on record, want the 2 that were written", len(rows))
	}
}

func TestATriggerOfAPartitionAloneIsNamedByThePlan(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE parted (id text, st text, until timestamptz, PRIMARY KEY (id)) PARTITION BY HASH (id);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 1, REMAINDER 0) PARTITION BY LIST (id); CREATE TABLE parted_0_0 PARTITION OF parted_0 DEFAULT;
INSERT INTO parted VALUES ('a', 'P', now() - interval '1 hour');
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`)
	named := func() bool {
		table := mapped(t, s, "parted", "key=id,state=st,processing=P,failed=F,lease=until")
		return strings.Contains(strings.Join(plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a")}).Consequence, "\n"), "the table has triggers")
	}
	if named() {
		t.Error("a table without triggers has some")
	}
	db.Exec("CREATE TRIGGER keep BEFORE UPDATE ON parted_0_0 FOR EACH ROW EXECUTE FUNCTION keep()")
	if !named() {
		t.Error("the partition's trigger is not named")
	}
	table := mapped(t, s, "parted", "key=id,state=st,processing=P,failed=F,lease=until")
	r := release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a")}), &memoryAuditor{})
	if len(r.Released) != 0 || len(r.Skipped)+len(r.Failed) != 1 || !strings.Contains(r.Skipped[0].Text, "a trigger of the table suppressed the write") {
		t.Errorf("released %v, skipped %+v, failed %+v", r.Released, r.Skipped, r.Failed)
	}
}
