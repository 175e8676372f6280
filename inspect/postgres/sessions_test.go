package postgres

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

// session connects under a worker's name until the test ends.
func session(t *testing.T, db *servertest.DB, name string) *pgx.Conn {
	t.Helper()
	conn := db.ConnAs(db.DSN())
	if _, err := conn.Exec(t.Context(), "SELECT set_config('application_name', $1::text, false)", name); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestSessionsOfOwnersOnTwoLooks(t *testing.T) {
	at := func(lapsed string) string {
		return "now() - interval '1 hour', now() - interval '" + lapsed + "', NULL"
	}
	db, s, table := recommended(t, "('gone', 'PROCESSING', 'worker-7@h3', "+at("50 minutes")+"), ('here', 'PROCESSING', 'worker-2@h1', "+at("40 minutes")+
		"), ('shared', 'PROCESSING', 'api', "+at("30 minutes")+"), ('reused', 'PROCESSING', 'worker-9', "+at("1 minute")+"), ('nobody', 'PROCESSING', NULL, "+at("1 minute")+")")
	session(t, db, "worker-2")
	session(t, db, "api")
	session(t, db, "api")
	session(t, db, "worker-9")
	first := snapshot(t, s, table, inspect.Query{})
	for k, want := range map[string]string{
		"gone": "no session under the owner's name; 3 of 3 peers connected; a second look counts from 5s on", "here": "a session under the owner's name is connected",
		"shared": "2 sessions share the owner's name", "reused": "it started after the claim", "nobody": "no owner whose session",
	} {
		c := claimNamed(t, first, k)
		if c.Verdict != inspect.VerdictCannotTell || !strings.Contains(fmt.Sprint(c.Evidence), want) {
			t.Errorf("%s is %s: %v, want %q", k, c.Verdict, c.Evidence, want)
		}
	}
	if !first.NeedsSecondLook() {
		t.Error("a second look is not asked for")
	}
	// The same look, as if it had been six seconds ago.
	before := inspect.Remember(first.At.Add(-6*time.Second), first.Claims)
	for k, c := range before.Claims {
		if c.GoneSince.Valid() {
			c.GoneSince = inspect.At(c.GoneSince.Time.Add(-6 * time.Second))
			before.Claims[k] = c
		}
	}
	second := snapshot(t, s, table, inspect.Query{Before: before})
	if c := claimNamed(t, second, "gone"); c.Verdict != inspect.VerdictLikelyDead {
		t.Errorf("gone is %s: %v", c.Verdict, c.Evidence)
	}
	for _, k := range []string{"here", "shared", "reused", "nobody"} {
		if c := claimNamed(t, second, k); c.Verdict != inspect.VerdictCannotTell {
			t.Errorf("%s is %s", k, c.Verdict)
		}
	}
	p := plan(t, s, table, inspect.PlanRequest{AllLikelyDead: true, Before: before})
	if p.Count() != 1 || p.Rows[0].Key.String() != "gone" {
		t.Errorf("all likely dead: %+v", p.Rows)
	}
	for asked, request := range map[string]inspect.PlanRequest{"key": {Keys: []inspect.Key{key(t, table, "gone")}}, "owner": {Owner: inspect.Some("worker-7@h3")}} {
		request.Before = before
		if p := plan(t, s, table, request); p.Count() != 1 || p.Rows[0].Verdict != inspect.VerdictLikelyDead {
			t.Errorf("a plan by %s says otherwise than the list: %+v", asked, p.Rows)
		}
	}
	byKey := snapshot(t, s, table, inspect.Query{Key: inspect.Some(key(t, table, "gone")), Before: before})
	if c := claimNamed(t, byKey, "gone"); c.Verdict != inspect.VerdictLikelyDead {
		t.Errorf("listed by its key it is %s: %v", c.Verdict, c.Evidence)
	}
	looked, err := s.Lookup(t.Context(), table, inspect.KeyList{Keys: []inspect.Key{key(t, table, "gone")}}, nil)
	if err != nil || !strings.Contains(fmt.Sprint(looked.Keys[0].Claim.Evidence), "3 of 3 peers connected") {
		t.Errorf("looked up (%v): %v", err, looked.Keys)
	}
	// It moved in between: gone starts anew.
	db.Exec("UPDATE processed_messages SET fencing_token = nextval('processed_messages_token') WHERE message_id = 'gone'")
	third := snapshot(t, s, table, inspect.Query{Before: second.Seen})
	if c := claimNamed(t, third, "gone"); c.Verdict != inspect.VerdictAlive {
		t.Errorf("claimed again: %s", c.Verdict)
	}
	d, err := s.Show(t.Context(), table, key(t, table, "gone"), inspect.ShowOptions{Before: before})
	if err != nil || !strings.Contains(fmt.Sprint(d.Claim.Evidence), "3 of 3 peers connected") {
		t.Errorf("show (%v): %v", err, d.Claim.Evidence)
	}
}

func TestNoVerdictFromSessionsWhenNobodyBearsAName(t *testing.T) {
	_, s, table := recommended(t, "('a', 'PROCESSING', 'w1', "+lapsed+"), ('b', 'PROCESSING', 'w2', "+lapsed+")")
	first := snapshot(t, s, table, inspect.Query{})
	if first.NeedsSecondLook() || !strings.Contains(fmt.Sprint(first.Claims[0].Evidence), "sessions may not bear their owners' names") {
		t.Errorf("evidence %v", first.Claims[0].Evidence)
	}
}

// A server shows at most 63 bytes of ASCII of a session's name.
func TestSessionsOfOwnersWithNamesThatNoServerShowsWhole(t *testing.T) {
	long := "payments-worker-" + strings.Repeat("x", 60) + "@host-3"
	owners := []string{long, "wörker-7@höst", strings.Repeat("é", 40), "idemtui-worker"}
	var rows []string
	for i, o := range owners {
		rows = append(rows, fmt.Sprintf("('k%d', 'PROCESSING', '%s', now() - interval '1 hour', now() - interval '%d minutes', NULL)", i, o, 10*i+1))
	}
	db, s, table := recommended(t, strings.Join(rows, ", "))
	for _, o := range owners {
		session(t, db, o)
	}
	for _, c := range snapshot(t, s, table, inspect.Query{}).Claims {
		if text := fmt.Sprint(c.Evidence); !strings.Contains(text, "a session under the owner's name is connected") {
			t.Errorf("the session of %s is not seen: %s", c.Owner.V, text)
		}
	}
}

// Behind a pooler in transaction mode a worker has a session only while it is
// in a transaction: at work on the charge it has none, and lives.
func TestASessionThatChangesHandsProvesNobodyDead(t *testing.T) {
	db, s, table := recommended(t, "('a', 'PROCESSING', 'w1', now() - interval '1 hour', now() - interval '50 minutes', NULL), "+
		"('b', 'PROCESSING', 'w2', now() - interval '1 hour', now() - interval '30 minutes', NULL), ('c', 'PROCESSING', 'w3', now() - interval '1 hour', now() - interval '10 minutes', NULL)")
	shared := session(t, db, "w2")
	first := snapshot(t, s, table, inspect.Query{})
	if _, err := shared.Exec(t.Context(), "SET application_name = 'w3'"); err != nil {
		t.Fatal(err)
	}
	before := first.Seen
	before.At = before.At.Add(-6 * time.Second)
	for k, c := range before.Claims {
		c.GoneSince = inspect.At(first.At.Add(-6 * time.Second))
		before.Claims[k] = c
	}
	for range 2 { // and it stays known
		next := snapshot(t, s, table, inspect.Query{Before: before})
		for _, c := range next.Claims {
			if c.Verdict != inspect.VerdictCannotTell || !strings.Contains(fmt.Sprint(c.Evidence), "sessions change hands") {
				t.Errorf("%s is %s: %v", c.Key, c.Verdict, c.Evidence)
			}
		}
		before = next.Seen
	}
	if p := plan(t, s, table, inspect.PlanRequest{AllLikelyDead: true, Before: before}); p.Count() != 0 {
		t.Errorf("%d claims count as dead", p.Count())
	}
}
