package postgres

import (
	"fmt"
	"strings"
	"testing"

	"idemtui/inspect"
)

func TestPartitions(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE parts (id text, at timestamptz, st text, lease timestamptz, own text, tok bigint DEFAULT 1, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
 CREATE TABLE parts_old PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (now() - interval '1 day');
 CREATE TABLE parts_new PARTITION OF parts FOR VALUES FROM (now() - interval '1 day') TO (MAXVALUE);
 INSERT INTO parts VALUES ('old', now() - interval '2 days', 'P', now() - interval '1 day', 'w'), ('new', now() - interval '1 hour', 'P', now() - interval '30 minutes', 'w'),
 ('twice', now() - interval '2 days', 'D', NULL, NULL), ('twice', now() - interval '1 hour', 'P', now() - interval '20 minutes', 'w')`)
	table := mapped(t, s, "parts", "key=id,state=st,processing=P,done=D,free=F,claimed_at=at,lease=lease,owner=own,token=tok")
	if !table.Partitioned || table.UniqueKey {
		t.Errorf("partitioned %v, unique %v", table.Partitioned, table.UniqueKey)
	}
	held, err := db.Conn().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := held.Exec(t.Context(), "SELECT FROM parts WHERE id = 'new' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	snap := snapshot(t, s, table, inspect.Query{})
	equal(t, "list", keysOf(snap.Claims), []string{"old", "new", "twice"})
	if c := claimNamed(t, snap, "new"); c.Verdict != inspect.VerdictAlive {
		t.Errorf("new is %s: %v", c.Verdict, c.Evidence)
	}
	if snap.Summary.ByState[inspect.StateDone] != (inspect.Count{Rows: 1, Exact: true}) || snap.Table.Pages == 0 {
		t.Errorf("states %v, %d pages", snap.Summary.ByState, snap.Table.Pages)
	}
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	// One of the two rows of a key is finished: neither is touched.
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "old", "new", "twice")})
	r := release(t, s, table, p, &memoryAuditor{})
	equal(t, "released", names(r.Released), []string{"old", "new"})
	if got := db.Text("SELECT string_agg(id || st, ',' ORDER BY id, at) FROM parts"); got != "newF,oldF,twiceD,twiceP" {
		t.Errorf("states %s", got)
	}
	if tables, err := s.Tables(t.Context()); err != nil || strings.Contains(fmt.Sprint(tables), "parts_old") {
		t.Errorf("a partition is a candidate (%v)", err)
	}
}

func TestReservedWordsMixedCaseAndQuotes(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE SCHEMA "Order"; CREATE TABLE "Order"."select.all" ("user" text PRIMARY KEY, "State""Name" text, "group" timestamptz, "Token" bigint);
 INSERT INTO "Order"."select.all" VALUES ('it''s "k"', 'in''progress', now() - interval '1 hour', 9)`)
	m, err := inspect.ParseMap(`key=user,state=State"Name,processing=in'progress,free=to;do--,lease=group,token=token`)
	if err != nil {
		t.Fatal(err)
	}
	table := resolve(t, s, inspect.Target{Table: `Order."select.all"`, Map: &m})
	if table.Mapping.Token != "Token" {
		t.Errorf("token column %q", table.Mapping.Token)
	}
	snap := snapshot(t, s, table, inspect.Query{})
	equal(t, "list", keysOf(snap.Claims), []string{`it's "k"`})
	d, err := s.Show(t.Context(), table, snap.Claims[0].Key, inspect.ShowOptions{AllColumns: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range d.SQL {
		db.Exec(sql) // what is shown can be run
	}
	r := release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: []inspect.Key{snap.Claims[0].Key}}), &memoryAuditor{})
	if got := db.Text(`SELECT "State""Name" || "Token" FROM "Order"."select.all"`); len(r.Released) != 1 || got != "to;do--10" {
		t.Errorf("row %s, result %+v", got, r)
	}
}

func TestStatesOfAllTypes(t *testing.T) {
	for _, c := range []struct{ typ, processing, done, mapping string }{
		{"smallint", "1", "2", "processing=1,done=2"},
		{"boolean", "false", "true", "processing=no,done=yes"},
		{"char(4)", "'P'", "'D'", "processing=P,done=D"},
		{"state", "'In Work'", "'Done'", "processing=In Work,done=Done"},
		{"varchar(9)", "''", "'D'", "done=D,processing=P|Q"},
	} {
		t.Run(c.typ, func(t *testing.T) {
			db, s, _ := recommended(t, "")
			db.Exec(fmt.Sprintf(`CREATE TYPE state AS ENUM ('In Work', 'Done'); CREATE TABLE jobs (k uuid PRIMARY KEY DEFAULT gen_random_uuid(), st %s, lease timestamptz DEFAULT now() - interval '1 hour');
 INSERT INTO jobs (st) VALUES (%s), (%s), (NULL)`, c.typ, c.processing, c.done))
			table := mapped(t, s, "jobs", "key=k,state=st,lease=lease,"+c.mapping)
			snap := snapshot(t, s, table, inspect.Query{})
			want := 1
			if c.typ == "varchar(9)" {
				want = 0 // an empty state is unmapped
			}
			if len(snap.Claims) != want || snap.Summary.ByState[inspect.StateDone].Rows != 1 || snap.Summary.ByState[inspect.StateUnmapped].Rows != int64(2-want) {
				t.Errorf("%d claims, states %v", len(snap.Claims), snap.Summary.ByState)
			}
			if other := snapshot(t, s, table, inspect.Query{State: inspect.StateUnmapped}); len(other.Claims) != 2-want {
				t.Errorf("%d unmapped rows listed", len(other.Claims))
			}
		})
	}
}
