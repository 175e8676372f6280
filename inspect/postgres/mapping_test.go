package postgres

import (
	"slices"
	"strings"
	"testing"
	"time"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

// byCondition are the claims of a look as KEY CONDITION.
func byCondition(snap inspect.Snapshot) []string {
	out := []string{}
	for _, c := range snap.Claims {
		out = append(out, c.Key.String()+" "+string(c.Condition))
	}
	slices.Sort(out)
	return out
}

func TestLeasesThatAreASum(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(`CREATE TABLE " jobs " (" id" text PRIMARY KEY, "st " text, "at " timestamptz, " for" interval, "secs + 1" int, "fine" numeric, "4h" double precision, plain timestamp, ms bigint);
 INSERT INTO " jobs " SELECT k, 'P', now() - interval '10 minutes', i, extract(epoch FROM i), extract(epoch FROM i), extract(epoch FROM i), (now() - interval '10 minutes') AT TIME ZONE 'UTC', extract(epoch FROM now() - interval '10 minutes') * 1000
 FROM (VALUES ('a', interval '5 minutes'), ('b', interval '15 minutes'), ('c', NULL), ('d', interval '-1 minute')) v(k, i);
 INSERT INTO " jobs " VALUES ('e', 'P', now(), interval '100000 years', 2147483647, 'NaN', 'infinity', now(), 0), ('f', 'P', 'infinity', '1 day', 1, 1, 1, 'infinity', 9223372036854775807), ('g', 'P', NULL, '1 day', 1, 1, 1, NULL, NULL)`)
	s := open(t, db.DSN())
	for lease, odd := range map[string][]string{
		`at\ +\ for`:                 {"e invalid-time"},
		`\at\ + \ for`:               {"e invalid-time"},
		`at\ +secs \+ 1`:             {"e held"},
		`at\ +fine`:                  {"e invalid-time"},
		`at\ +\4h`:                   {"e invalid-time"},
		`plain+\ for,zone.plain=UTC`: {"e invalid-time"},
		`ms+\ for,unit.ms=ms`:        {"e invalid-time"},
	} {
		table := mapped(t, s, `" jobs "`, `key=\ id,state=st\ ,processing=P,failed=F,lease=`+lease)
		snap := snapshot(t, s, table, inspect.Query{All: true})
		want := append([]string{"a stuck", "b held", "c no-lease", "d stuck", "f invalid-time", "g no-lease"}, odd...)
		slices.Sort(want)
		equal(t, lease, byCondition(snap), want)
		for _, c := range snap.Claims {
			if c.Key.String() == "b" && (!c.LeaseUntil.Valid() || c.LeaseUntil.Time.Sub(snap.At).Round(10*time.Second) != 5*time.Minute) {
				t.Errorf("%s: the lease of b ends at %s, now is %s", lease, c.LeaseUntil, snap.At)
			}
		}
		p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a", "b", "d")})
		if len(p.Rows) != 2 || reasons(p.Refused)["b"] != inspect.ReasonLeaseRunning {
			t.Errorf("%s: plan %v, refused %+v", lease, p.Rows, p.Refused)
		}
		if r := release(t, s, table, p, &memoryAuditor{}); len(r.Released) != 2 {
			t.Errorf("%s: skipped %+v", lease, r.Skipped)
		}
		db.Exec(`UPDATE " jobs " SET "st " = 'P'`)
	}
	m, err := inspect.ParseMap(`key=\ id,state=st\ ,processing=P,lease=at\ +st\ `)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Resolve(t.Context(), inspect.Target{Table: `" jobs "`, Map: &m})
	if f := wantFault(t, err, inspect.FaultNotATime); !strings.Contains(f.Error(), "is an interval or a number of seconds") {
		t.Error(f)
	}
}

func TestKindsThatColumnsDoNotTell(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(`CREATE TABLE work (id text PRIMARY KEY, st text, at timestamptz); INSERT INTO work VALUES ('a', 'P', now() - interval '1 hour'), ('b', 'D', now() - interval '1 hour');
 CREATE TABLE locks (name text PRIMARY KEY, until timestamptz NOT NULL, by text); INSERT INTO locks VALUES ('held', now() + interval '1 hour', 'w'), ('past', now() - interval '1 hour', 'w')`)
	s := open(t, db.DSN())

	table := mapped(t, s, "work", "kind=K5,key=id,state=st,processing=P,done=D,claimed_at=at")
	c := snapshot(t, s, table, inspect.Query{}).Claims[0]
	if e := evidenceOf(c, inspect.RungRowLock); table.Mapping.Kind != inspect.KindPlaceholder || !strings.Contains(e.Text, "which its worker would hold; a second look counts") {
		t.Errorf("K5: %s", e.Text)
	}

	table = mapped(t, s, "work", "kind=K6,key=id,completed_at=at")
	_, tx := holding(t, db, "worker-1", "1")
	if _, err := tx.Exec(t.Context(), "INSERT INTO work VALUES ('c')"); err != nil {
		t.Fatal(err)
	}
	snap := snapshot(t, s, table, inspect.Query{All: true})
	if len(snap.Claims) != 0 || len(snap.Open) != 1 || snap.Summary.ByState[inspect.StateDone].Rows != 2 || strings.Contains(strings.Join(snap.Notes, "\n"), "--map 'processing=VALUE'") {
		t.Errorf("K6: claims %v, open %+v, states %v, notes %q", snap.Claims, snap.Open, snap.Summary.ByState, snap.Notes)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := s.Plan(t.Context(), table, inspect.PlanRequest{Keys: keyList(t, table, "a"), Mode: inspect.ReleaseDelete})
	wantFault(t, err, inspect.FaultMapping)

	table = mapped(t, s, "work", "kind=K7,key=id,claimed_at=at")
	snap = snapshot(t, s, table, inspect.Query{})
	equal(t, "K7", byCondition(snap), []string{"a no-lease", "b no-lease"})
	if e := evidenceOf(snap.Claims[0], inspect.RungAge); snap.Summary.Stuck != 0 || !strings.Contains(e.Text, "look alike in this table") {
		t.Errorf("K7: %s", e.Text)
	}
	if _, err := s.Plan(t.Context(), table, inspect.PlanRequest{AllLikelyDead: true, Mode: inspect.ReleaseDelete}); err == nil {
		t.Error("K7: rows of which nothing tells that they are stuck are released all at once")
	}

	table = mapped(t, s, "locks", "kind=K8,key=name,lease=until,owner=by")
	snap = snapshot(t, s, table, inspect.Query{All: true})
	equal(t, "K8", byCondition(snap), []string{"held held"})
	if snap.Summary.ByState[inspect.StateFree].Rows != 1 {
		t.Errorf("K8: states %v", snap.Summary.ByState)
	}
	if p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "held", "past")}); len(p.Rows) != 0 || len(p.Refused) != 2 {
		t.Errorf("K8: plan %v, refused %+v", p.Rows, p.Refused)
	}
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "held"), OverrideLease: true})
	if r := release(t, s, table, p, &memoryAuditor{}); len(r.Released) != 1 || db.Text("SELECT (until <= now())::text FROM locks WHERE name = 'held'") != "true" {
		t.Errorf("K8: released %v, skipped %+v", r.Released, r.Skipped)
	}
}
