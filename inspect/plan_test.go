package inspect

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func text(s string) *string { return &s }

func planned() (PlannedRow, Claim) {
	as := []ColumnValue{{"k", text("k")}, {"st", text("P")}, {"owner", text("w1")}, {"token", text("1")}, {"lease", text("L")}, {"hb", nil}, {"at", text("A")}}
	c := claimed("k", func(c *Claim) {
		c.ClaimedAt, c.LeaseUntil, c.AsRead, c.RowVersion = ago(time.Hour), ago(50*time.Minute), as, Some("7")
	})
	return PlannedFrom(c), c
}

// change returns the claim with one column as read replaced.
func change(c Claim, column, value string) Claim {
	c.AsRead = append([]ColumnValue(nil), c.AsRead...)
	for i := range c.AsRead {
		if c.AsRead[i].Column == column {
			c.AsRead[i].Value = &value
		}
	}
	return c
}

func TestReasonsInTheirOrder(t *testing.T) {
	row, c := planned()
	m := leased()
	running := change(c, "lease", "M")
	running.LeaseUntil = ago(-time.Minute)
	again := change(running, "owner", "w2")
	beating := change(c, "hb", "H")
	beating.HeartbeatAt = ago(time.Second)
	done, failed, free := c, c, change(c, "st", "F")
	done.State, failed.State, free.State = StateDone, StateFailed, StateFree
	done.Owner = Some("w2")
	done = change(done, "owner", "w2") // claimed again and finished: finished counts
	held := c
	held.Evidence = []Evidence{{Rung: RungRowLock, For: ForAlive, Text: "row locked by pid 1"}}
	for _, x := range []struct {
		name string
		now  *Claim
		want Reason
	}{
		{"gone", nil, ReasonGone},
		{"done", &done, ReasonDone},
		{"failed", &failed, ReasonFailed},
		{"claimed again", &again, ReasonClaimedAgain},
		{"locked", &held, ReasonLocked},
		{"lease runs", &running, ReasonLeaseRunning},
		{"heartbeat", &beating, ReasonRenewed},
		{"as it was", &c, ReasonLocked},
		{"free", &free, ReasonChanged},
	} {
		if got := SkippedBecause(row, x.now, m, false, noon); got.Reason != x.want || got.Text == "" {
			t.Errorf("%s: %+v, want %s", x.name, got, x.want)
		}
	}
	m.Token = ""
	later := change(c, "at", "B")
	if got := SkippedBecause(row, &later, m, false, noon); got.Reason != ReasonClaimedAgain {
		t.Errorf("without a token another claim time is %s, want claimed-again", got.Reason)
	}
}

func TestRefusals(t *testing.T) {
	m := leased()
	f := Facts{Now: noon, Mapping: m}
	for _, x := range []struct {
		name           string
		set            func(*Claim)
		override, bulk bool
		want           Reason
	}{
		{"stuck", func(c *Claim) { c.LeaseUntil = ago(time.Minute) }, false, true, ""},
		{"lease runs", func(c *Claim) { c.LeaseUntil = ago(-time.Minute) }, false, false, ReasonLeaseRunning},
		{"lease runs, overridden", func(c *Claim) { c.LeaseUntil = ago(-time.Minute) }, true, false, ""},
		{"heartbeat fresh, overridden", func(c *Claim) { c.LeaseUntil, c.HeartbeatAt = ago(-time.Minute), ago(0) }, true, false, ReasonAlive},
		{"done, overridden", func(c *Claim) { c.State = StateDone }, true, false, ReasonDone},
		{"young, overridden", func(c *Claim) { c.ClaimedAt = ago(time.Minute) }, true, false, ReasonLeaseRunning},
		{"infinite lease", func(c *Claim) { c.LeaseUntil = NoTime("infinity") }, false, false, ReasonLeaseRunning},
		{"lease before all times", func(c *Claim) { c.LeaseUntil = NoTime("-infinity") }, false, false, ""},
		{"lease a negative number", func(c *Claim) { c.LeaseUntil = NoTime("-9223372036854775808") }, false, false, ReasonLeaseRunning},
		{"future, by key", func(c *Claim) { c.ClaimedAt = ago(-time.Hour) }, false, false, ""},
		{"future, in bulk", func(c *Claim) { c.ClaimedAt = ago(-time.Hour) }, false, true, ReasonChanged},
		{"NULL key, in bulk", func(c *Claim) { c.Key = NewKey(KeyPart{Column: "k", IsNull: true}); c.LeaseUntil = ago(time.Minute) }, false, true, ReasonChanged},
		{"repeated key", func(c *Claim) { c.Repeated, c.LeaseUntil = true, ago(time.Minute) }, false, false, ReasonChanged},
		{"free", func(c *Claim) { c.State = StateFree }, false, false, ReasonChanged},
	} {
		c := Judge(claimed("k", x.set), f)
		got, refused := Refuse(c, m, x.override, x.bulk, noon)
		if refused != (x.want != "") || got.Reason != x.want {
			t.Errorf("%s: refused %v as %q, want %q", x.name, refused, got.Reason, x.want)
		}
	}
}

func TestPlansSurviveAFileAndTheirIDFollowsEveryValue(t *testing.T) {
	row, _ := planned()
	p := Plan{Database: "d", Table: "s.t", Mode: ReleaseFail, SQL: "UPDATE", Consequence: []string{"x"}, RunsNext: RunsNextBroker, ReadAt: noon, Rows: []PlannedRow{row}, Refused: []Skip{{Key: row.Key, Reason: ReasonDone, Text: "done"}}}
	p.ID = PlanID(p)
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back Plan
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, p) || PlanID(back) != p.ID {
		t.Errorf("read back (%v):\n%+v\n%+v", err, back, p)
	}
	for name, alter := range map[string]func(*Plan){
		"mode":     func(p *Plan) { p.Mode = ReleaseDelete },
		"override": func(p *Plan) { p.OverrideLease = true },
		"value":    func(p *Plan) { p.Rows[0].AsRead[5].Value = text("") },
		"key":      func(p *Plan) { p.Rows[0].Key = TextKey("k", "other") },
		"version":  func(p *Plan) { p.Rows[0].RowVersion = text("8") },
		"less":     func(p *Plan) { p.Rows = nil },
	} {
		var other Plan
		if err := json.Unmarshal(data, &other); err != nil {
			t.Fatal(err)
		}
		alter(&other)
		if PlanID(other) == p.ID {
			t.Errorf("another %s, the same id", name)
		}
	}
}

func TestReleaseModeFor(t *testing.T) {
	for mapping, want := range map[string]ReleaseMode{
		"key=k,state=s,processing=P,free=F,failed=X,lease=l":     ReleaseRequeue,
		"key=k,state=s,processing=P,failed=X,lease=l":            ReleaseFail,
		"key=k,processing=locked!null,done=at!null,lease=locked": ReleaseClear,
		"key=k,state=s,processing=P,lease=l":                     ReleaseExpire,
		// Only a deletion fits, and nobody deletes unasked.
		"key=k,state=s,processing=P,lease=l+4h": "",
	} {
		m, err := ParseMap(mapping)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ResolveReleaseMode(m, ReleaseAuto); got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %s (%v), want %s", mapping, got, err, want)
		}
		if _, err := ResolveReleaseMode(m, ReleaseMove); err == nil || !strings.Contains(err.Error(), "--mode") {
			t.Errorf("move: %v", err)
		}
	}
}

func TestR3_WithoutAStateThatMeansClaimedNothingIsReleased(t *testing.T) {
	m, err := ParseMap("key=Id,state=StatusName")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ResolveReleaseMode(m, ReleaseAuto); err == nil || !strings.Contains(err.Error(), "no state is mapped to processing") {
		t.Errorf("error: %v", err)
	}
}

func TestConsequencesNeverSayWhetherTheChargeHappened(t *testing.T) {
	for _, mode := range []ReleaseMode{ReleaseDelete, ReleaseExpire, ReleaseFail, ReleaseRequeue, ReleaseClear} {
		all := strings.Join(Consequences(Table{Mapping: leased(), HasTriggers: true, RowSecurity: true}, mode, true), "\n")
		for _, want := range []string{"may have happened", "runs next:", "token is bumped", "triggers", "row-level security", "may be alive"} {
			if !strings.Contains(all, want) {
				t.Errorf("%s lacks %q:\n%s", mode, want, all)
			}
		}
	}
	if all := strings.Join(Consequences(Table{}, ReleaseFail, false), "\n"); !strings.Contains(all, "may run twice") {
		t.Errorf("no token, and it does not say that the job may run twice:\n%s", all)
	}
}
