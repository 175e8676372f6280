package postgres

import (
	"testing"

	"idemtui/inspect"
)

// A date says less than a lease needs: a claim of today may be running.
func TestDatesAreReadAsLateAsTheyCanMean(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE leased (id text PRIMARY KEY, st text, until date);
INSERT INTO leased SELECT v.id, 'P', (now() AT TIME ZONE 'UTC')::date + v.days FROM (VALUES ('past', -1), ('today', 0), ('tomorrow', 1)) v(id, days);
CREATE TABLE aged (id text PRIMARY KEY, st text, at date);
INSERT INTO aged SELECT id, 'P', until FROM leased`)
	for name, mapping := range map[string]string{
		"leased": "key=id,state=st,processing=P,done=D,free=N,lease=until",
		"aged":   "key=id,state=st,processing=P,done=D,free=N,claimed_at=at",
	} {
		table := mapped(t, s, name, mapping)
		if name == "aged" { // tomorrow's claim is in the future, and goes by its own key alone
			db.Exec("DELETE FROM aged WHERE id = 'tomorrow'")
		}
		for _, c := range snapshot(t, s, table, inspect.Query{All: true}).Claims {
			want := inspect.ConditionHeld
			if c.Key.String() == "past" && name == "leased" {
				want = inspect.ConditionStuck
			}
			if c.Key.String() == "past" && name == "aged" { // from midnight on, younger than the threshold
				continue
			}
			if c.Condition != want {
				t.Errorf("%s of %s is %s, want %s", c.Key, name, c.Condition, want)
			}
		}
		p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "today")})
		if p.Count() != 0 {
			t.Errorf("a claim of today in %s may be released", name)
		}
		r := release(t, s, table, forged(t, s, table, inspect.ReleaseRequeue), &memoryAuditor{})
		for _, k := range r.Released {
			if k.String() == "today" {
				t.Errorf("the guard of %s let a claim of today through", name)
			}
		}
	}
	table := mapped(t, s, "leased", "key=id,state=st,processing=P,done=D,lease=until")
	db.Exec("UPDATE leased SET st = 'P', until = (now() AT TIME ZONE 'UTC')::date - 3 WHERE id = 'past'")
	release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "past"), Mode: inspect.ReleaseExpire}), &memoryAuditor{})
	if c := claimNamed(t, snapshot(t, s, table, inspect.Query{}), "past"); c.Condition != inspect.ConditionStuck {
		t.Errorf("an expired lease is %s", c.Condition)
	}
}

func TestANumberOfAnotherUnitIsNoTime(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE counted (id text PRIMARY KEY, st text, until bigint);
INSERT INTO counted VALUES ('seconds', 'P', extract(epoch FROM now() + interval '1 hour')), ('zero', 'P', 0)`)
	table := mapped(t, s, "counted", "key=id,state=st,processing=P,done=D,free=N,lease=until,unit.until=ms")
	for _, c := range snapshot(t, s, table, inspect.Query{All: true}).Claims {
		if c.Condition != inspect.ConditionInvalidTime {
			t.Errorf("%s is %s until %s", c.Key, c.Condition, c.LeaseUntil)
		}
	}
	if p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "seconds", "zero")}); p.Count() != 0 {
		t.Errorf("%d may be released", p.Count())
	}
}
