package inspect

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// ago is noon minus a span; the future is negative.
func ago(d time.Duration) Stamp { return At(noon.Add(-d)) }

func claimed(k string, change func(*Claim)) Claim {
	c := Claim{Key: TextKey("k", k), State: StateProcessing, Owner: Some("w1"), Token: Some("1")}
	if change != nil {
		change(&c)
	}
	return c
}

func leased() Mapping {
	return Mapping{ClaimedAt: "at", Lease: LeaseBinding{Column: "lease"}, Owner: "owner", Token: "token", Heartbeat: HeartbeatBinding{Column: "hb", Every: 10 * time.Second}}
}

func TestCondition(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*Claim)
		want Condition
	}{
		{"lease is infinity", func(c *Claim) { c.LeaseUntil = NoTime("infinity") }, ConditionInvalidTime},
		{"zero date before a fresh heartbeat", func(c *Claim) { c.ClaimedAt, c.HeartbeatAt = NoTime("0000-00-00"), ago(0) }, ConditionInvalidTime},
		{"claimed in the future", func(c *Claim) { c.ClaimedAt, c.LeaseUntil = ago(-61*time.Second), ago(-time.Hour) }, ConditionFuture},
		{"claimed within the skew", func(c *Claim) { c.ClaimedAt, c.LeaseUntil = ago(-60*time.Second), ago(-time.Hour) }, ConditionHeld},
		{"beaten in the future", func(c *Claim) { c.HeartbeatAt = ago(-2 * time.Minute) }, ConditionFuture},
		{"fresh heartbeat beats a lapsed lease", func(c *Claim) { c.HeartbeatAt, c.LeaseUntil = ago(30*time.Second), ago(time.Hour) }, ConditionHeld},
		{"running lease beats a stale heartbeat", func(c *Claim) { c.HeartbeatAt, c.LeaseUntil = ago(time.Hour), ago(-time.Second) }, ConditionHeld},
		{"lease that ends now", func(c *Claim) { c.LeaseUntil = ago(0) }, ConditionHeld},
		{"lease that ended a microsecond ago", func(c *Claim) { c.LeaseUntil = ago(time.Microsecond) }, ConditionStuck},
		{"stale heartbeat beats a young claim", func(c *Claim) { c.HeartbeatAt, c.ClaimedAt = ago(31*time.Second), ago(time.Minute) }, ConditionStuck},
		{"young", func(c *Claim) { c.ClaimedAt = ago(15 * time.Minute) }, ConditionHeld},
		{"older than the threshold", func(c *Claim) { c.ClaimedAt = ago(15*time.Minute + time.Microsecond) }, ConditionStuck},
		{"nothing known", nil, ConditionNoLease},
		{"done", func(c *Claim) { c.State, c.LeaseUntil = StateDone, ago(time.Hour) }, ConditionNone},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Judge(claimed("k", c.set), Facts{Now: noon, Mapping: leased()}); got.Condition != c.want {
				t.Errorf("condition %q, want %q", got.Condition, c.want)
			}
		})
	}
}

func TestVerdict(t *testing.T) {
	lapsed := func(c *Claim) { c.ClaimedAt, c.LeaseUntil = ago(time.Hour), ago(50*time.Minute) }
	silent := func(c *Claim) { lapsed(c); c.HeartbeatAt = ago(time.Hour) }
	before := func(set func(*Claim)) *Look {
		return &Look{At: noon.Add(-5 * time.Second), Claims: Remember(noon, []Claim{claimed("k", set)}).Claims}
	}
	locked := map[Key][]LockHolder{TextKey("k", "k"): {{PID: 4711, Application: "worker-2", State: "idle in transaction", InState: 12 * time.Minute}}}
	for _, c := range []struct {
		name  string
		set   func(*Claim)
		facts Facts
		want  Verdict
		text  string
	}{
		{"row lock beats a stale heartbeat", silent, Facts{Locks: locked}, VerdictAlive, "row locked by pid 4711 (worker-2), idle in transaction 12m"},
		{"lease moved", lapsed, Facts{Before: before(func(c *Claim) { c.LeaseUntil = ago(time.Hour) })}, VerdictAlive, "lease renewed since the look 5s ago"},
		{"token moved", lapsed, Facts{Before: before(func(c *Claim) { lapsed(c); c.Token = Some("0") })}, VerdictAlive, "claimed again"},
		{"heartbeat moved", silent, Facts{Before: before(func(c *Claim) { lapsed(c); c.HeartbeatAt = ago(2 * time.Hour) })}, VerdictAlive, "heartbeat written"},
		{"lease moved back", lapsed, Facts{Before: before(func(c *Claim) { c.LeaseUntil = ago(time.Minute) })}, VerdictCannotTell, "unchanged"},
		{"fresh heartbeat", func(c *Claim) { lapsed(c); c.HeartbeatAt = ago(8 * time.Second) }, Facts{}, VerdictAlive, "last heartbeat 8s ago, limit 30s"},
		{"lease runs", func(c *Claim) { c.LeaseUntil = ago(-3 * time.Minute) }, Facts{}, VerdictAlive, "lease runs for another 3m"},
		{"lease runs, heartbeat stale", func(c *Claim) { c.LeaseUntil, c.HeartbeatAt = ago(-3*time.Minute), ago(70*time.Second) }, Facts{}, VerdictCannotTell, "silent for 1m10s, frees itself in 3m"},
		{"standby", silent, Facts{Standby: true, LocksHidden: "a standby knows no locks of the primary"}, VerdictCannotTell, "row locks not seen: a standby"},
		{"heartbeat a little ahead", func(c *Claim) { lapsed(c); c.HeartbeatAt = ago(-50 * time.Second) }, Facts{}, VerdictAlive, "last heartbeat 50s ahead of the database's clock, limit 30s"},
		{"nobody to compare with", lapsed, Facts{Sessions: &Sessions{}}, VerdictCannotTell, "no other owner to compare with"},
		{"heartbeat stale", silent, Facts{}, VerdictLikelyDead, "last heartbeat 1h ago, limit 30s, 360 intervals missed"},
		{"lease alone", lapsed, Facts{Finished: Some(Finished{Rows: 2000, Longest: 4100 * time.Millisecond})}, VerdictCannotTell, "claimed 1h ago; the longest of 2,000 finished took 4.1s"},
		{"nothing at all", nil, Facts{}, VerdictCannotTell, "no live session holds a lock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.facts.Now, c.facts.Mapping = noon, leased()
			got := Judge(claimed("k", c.set), c.facts)
			if got.Verdict != c.want {
				t.Errorf("verdict %q, want %q: %v", got.Verdict, c.want, got.Evidence)
			}
			if text := fmt.Sprint(got.Evidence); !strings.Contains(text, c.text) {
				t.Errorf("evidence %s lacks %q", text, c.text)
			}
			for _, rung := range []Rung{RungRowLock, RungRenewed, RungSession, RungLease} {
				if textOf(got, rung) == "" {
					t.Errorf("rung %s is not named", rung)
				}
			}
		})
	}
}

func TestManyOwnersSilentAtOnce(t *testing.T) {
	silentSince := func(owner string, d time.Duration) Claim {
		return claimed("k-"+owner, func(c *Claim) {
			c.Owner, c.ClaimedAt, c.LeaseUntil, c.HeartbeatAt = Some(owner), ago(time.Hour), ago(time.Minute), ago(d)
		})
	}
	for _, c := range []struct {
		name  string
		spans []time.Duration
		want  Verdict
	}{
		{"two of three within 5 s", []time.Duration{10 * time.Minute, 10*time.Minute + 5*time.Second, 8 * time.Second}, VerdictCannotTell},
		{"two of three within 6 s", []time.Duration{10 * time.Minute, 10*time.Minute + 6*time.Second, 8 * time.Second}, VerdictLikelyDead},
		{"two of four", []time.Duration{10 * time.Minute, 10 * time.Minute, 8 * time.Second, 9 * time.Second}, VerdictLikelyDead},
		{"two of two", []time.Duration{10 * time.Minute, 10 * time.Minute}, VerdictLikelyDead},
	} {
		t.Run(c.name, func(t *testing.T) {
			var claims []Claim
			for i, d := range c.spans {
				claims = append(claims, silentSince(fmt.Sprint("w", i), d))
			}
			if got := JudgeAll(claims, Facts{Now: noon, Mapping: leased()})[0]; got.Verdict != c.want {
				t.Errorf("verdict %s, want %s: %v", got.Verdict, c.want, got.Evidence)
			}
		})
	}
}

func TestFreesItselfAndNotes(t *testing.T) {
	f := Facts{Now: noon, Mapping: leased()}
	if c := Judge(claimed("k", func(c *Claim) { c.LeaseUntil = ago(-time.Minute) }), f); c.FreesItselfAt != c.LeaseUntil {
		t.Errorf("frees itself at %s", c.FreesItselfAt)
	}
	if c := Judge(claimed("k", func(c *Claim) { c.LeaseUntil = ago(time.Minute) }), f); !c.FreesItselfAt.None() {
		t.Errorf("frees itself at %s", c.FreesItselfAt)
	}
	for note, set := range map[string]func(*Claim){
		"nothing frees this before the record expires, in 23h12m30s": func(c *Claim) { c.ExpiresAt = ago(-(23*time.Hour + 12*time.Minute + 30*time.Second)) },
		"never frees itself":                     func(*Claim) {},
		"no owner, no lease":                     func(c *Claim) { c.Owner = Null[string]{} },
		"the lease runs until the year 9999":     func(c *Claim) { c.LeaseUntil = At(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)) },
		"attempts is negative: -3":               func(c *Claim) { c.Attempts = Some(int64(-3)) },
		"lease_until is no time: infinity":       func(c *Claim) { c.LeaseUntil = NoTime("infinity") },
		"the record expired 1h ago and is still": func(c *Claim) { c.ExpiresAt = ago(time.Hour) },
	} {
		if c := Judge(claimed("k", set), f); !strings.Contains(strings.Join(c.Notes, "\n"), note) {
			t.Errorf("notes %v lack %q", c.Notes, note)
		}
	}
}

func TestStamps(t *testing.T) {
	for _, s := range []Stamp{At(time.Time{}), At(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)), At(time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC))} {
		if !s.Invalid() {
			t.Errorf("%s is a time", s)
		}
	}
	a := At(time.Date(2026, 3, 1, 13, 0, 0, 123456789, time.FixedZone("", 3600)))
	if a.String() != "2026-03-01T12:00:00.123456Z" || a != At(a.Time) {
		t.Errorf("stamp %s", a)
	}
}

func TestFormatSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 4100 * time.Millisecond: "4.1s", 8 * time.Second: "8s", 9960 * time.Millisecond: "10s", 47*time.Minute + 30*time.Second: "47m30s", 3 * time.Hour: "3h",
		91 * 24 * time.Hour: "91d", 36 * time.Hour: "1d12h", -time.Minute: "-1m00s", 3*time.Minute + 4*time.Second: "3m04s", 3*time.Hour + 5*time.Second: "3h00m05s", 4*time.Hour + 29*time.Minute + 30*time.Second: "4h29m30s",
	} {
		if got := FormatSpan(d); got != want {
			t.Errorf("%s is written %s, want %s", d, got, want)
		}
	}
}
