package profiles_test

import (
	"strings"
	"testing"

	"idemtui/inspect"
	"idemtui/inspect/profiles"
	"idemtui/inspect/servertest"
)

// Rows that cannot be right are shown and marked, whatever the kind.

func TestLies_LocksWithoutATime(t *testing.T) {
	db, s := fixture(t, "shedlock")
	db.Exec(`INSERT INTO shedlock VALUES ('forever', 'infinity', 'infinity', 'h'), ('never', '-infinity', '-infinity', 'h'), ('zero', '0001-01-01', '0001-01-01', 'h'),
 ('late', '9999-12-31 23:59:59', '2026-01-01', 'h'), ('beyond', '20000-01-01', '2026-01-01', E'h\x1b[31m'), (repeat('k', 64), now() AT TIME ZONE 'UTC' + interval '1 hour', '4000-01-01 BC', '')`)
	table := resolve(t, s, inspect.Target{})
	snap := look(t, s, table, inspect.Query{All: true})
	want := map[string]inspect.Condition{"forever": inspect.ConditionInvalidTime, "late": inspect.ConditionInvalidTime, "beyond": inspect.ConditionInvalidTime, strings.Repeat("k", 64): inspect.ConditionInvalidTime}
	for text, condition := range want {
		if c := claim(t, snap, text); c.Condition != condition {
			t.Errorf("%s is %s, want %s", text, c.Condition, condition)
		}
	}
	var rows int64
	for _, n := range snap.Summary.ByState {
		rows += n.Rows
	}
	if rows != 8 {
		t.Errorf("the states add up to %d rows: %v", rows, snap.Summary.ByState)
	}
	for state := range snap.Summary.ByState {
		look(t, s, table, inspect.Query{State: state})
	}
}

func TestLies_OwnersThatAreNone(t *testing.T) {
	db, s := fixture(t, "river")
	db.Exec(`INSERT INTO river_job (id, state, max_attempts, kind, args, attempted_by, attempted_at, attempt) VALUES (20, 'running', 1, 'k', '{}', '{}', 'infinity', -5),
 (21, 'running', 1, 'k', '{}', '{{a,b},{c,d}}', now() + interval '1 year', 1), (22, 'running', 1, 'k', '{}', '{NULL}', '4713-01-01 BC', 1), (23, 'running', 1, 'k', '{}', '[5:6]={x,y}', now() - interval '2 hours', 1)`)
	table := resolve(t, s, inspect.Target{})
	snap := look(t, s, table, inspect.Query{All: true})
	for text, want := range map[string]inspect.Condition{"20": inspect.ConditionInvalidTime, "21": inspect.ConditionFuture, "22": inspect.ConditionInvalidTime, "23": inspect.ConditionStuck} {
		c := claim(t, snap, text)
		if c.Condition != want || c.Owner.OK != (text == "23") {
			t.Errorf("%s is %s by %v, want %s", text, c.Condition, c.Owner, want)
		}
	}
	if c := claim(t, snap, "23"); c.Owner.V != "y" {
		t.Errorf("the last element is %q", c.Owner.V)
	}
	if c := claim(t, look(t, s, table, inspect.Query{Owner: inspect.Some("y")}), "23"); c.Condition != inspect.ConditionStuck {
		t.Errorf("by owner: %s", c.Condition)
	}
	p, err := s.Plan(t.Context(), table, inspect.PlanRequest{Owner: inspect.Some("y")})
	if err != nil || len(p.Rows) != 1 {
		t.Errorf("plan by owner: %v, %v", p.Rows, err)
	}
}

func TestLies_HeartbeatsOfOwners(t *testing.T) {
	db, s := fixture(t, "wolverine")
	db.Exec(`UPDATE wolverine.wolverine_nodes SET health_check = 'infinity' WHERE node_number = 2;
 INSERT INTO wolverine.wolverine_nodes (id, node_number, description, uri, health_check) VALUES (gen_random_uuid(), 3, '', '', '-infinity'), (gen_random_uuid(), 3, '', '', now()), (gen_random_uuid(), 4, '', '', now() + interval '1 day')`)
	db.Exec(`INSERT INTO wolverine.wolverine_incoming_envelopes (id, status, owner_id, body, message_type) VALUES ('` + envelope + `8', 'Incoming', 4, '', ''), ('` + envelope + `9', 'Incoming', -1, '', '')`)
	table := resolve(t, s, inspect.Target{})
	snap := look(t, s, table, inspect.Query{All: true})
	for number, want := range map[string]inspect.Condition{"2": inspect.ConditionInvalidTime, "3": inspect.ConditionHeld, "8": inspect.ConditionFuture, "9": inspect.ConditionStuck} {
		if c := claim(t, snap, envelope+number); c.Condition != want {
			t.Errorf("%s is %s, want %s", number, c.Condition, want)
		}
	}
}

func TestLies_EpochsAndSentinels(t *testing.T) {
	p, err := profiles.Load([]byte(ownHead + `kind: K1
match: {require: [until_ms, since, st, id], unique: [id]}
key: [{col: id}]
state: {col: st, processing: 1, done: 2}
claimed_at: since
lease: {col: until_ms}
times: {until_ms: {unit: ms, sentinel: "0"}, since: {sentinel: "9999-12-31 23:59:59"}}
`))
	if err != nil {
		t.Fatal(err)
	}
	db := servertest.Postgres(t)
	db.Exec(`CREATE TABLE jobs (id text PRIMARY KEY, st int, until_ms bigint, since timestamp);
INSERT INTO jobs VALUES ('max', 1, 9223372036854775807, now()), ('min', 1, -9223372036854775808, now()), ('never', 1, 0, '9999-12-31 23:59:59'), ('odd', 1, 0, 'infinity'), ('lapsed', 1, extract(epoch FROM now())::bigint * 1000 - 60000, now()), ('done', 2, 0, NULL)`)
	s := openWith(t, db, p)
	table := resolve(t, s, inspect.Target{})
	snap := look(t, s, table, inspect.Query{All: true})
	for text, want := range map[string]inspect.Condition{
		"max": inspect.ConditionInvalidTime, "min": inspect.ConditionInvalidTime, "never": inspect.ConditionNoLease, "odd": inspect.ConditionInvalidTime, "lapsed": inspect.ConditionStuck,
	} {
		if c := claim(t, snap, text); c.Condition != want {
			t.Errorf("%s is %s, want %s", text, c.Condition, want)
		}
	}
	if got := claim(t, snap, "max"); got.LeaseUntil.Raw != "9223372036854775807" {
		t.Errorf("the stored text is gone: %v", got.LeaseUntil)
	}
}
