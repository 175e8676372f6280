package inspect

import (
	"strings"
	"testing"
	"time"
)

func TestWorkIsComparedWithWhatAClaimIsGiven(t *testing.T) {
	leased := Mapping{ClaimedAt: "at", CompletedAt: "done", Lease: LeaseBinding{Column: "lease"}}
	aged := Mapping{ClaimedAt: "at", CompletedAt: "done", StaleAfter: time.Hour}
	beaten := leased
	beaten.Heartbeat = HeartbeatBinding{Column: "hb"}
	work := WorkTimes{Rows: 2000, P50: time.Second, P99: 3 * time.Second, Longest: 41 * time.Second}
	for name, c := range map[string]struct {
		mapping  Mapping
		lease    time.Duration
		rows     int64
		code     string
		contains string
	}{
		"it fits":             {leased, time.Minute, 2000, "", ""},
		"the slowest do not":  {leased, 30 * time.Second, 2000, "lease-tight", "let workers renew the lease, or make it 2m00s"},
		"1 in 100 do not":     {leased, 3 * time.Second, 2000, "lease-too-short", "1 in 100 took 3s or longer and the longest 41s, and a lease lasts 3s"},
		"far too long":        {leased, time.Hour, 2000, "lease-too-long", "a lease of 2m00s would cover the work"},
		"long, yet no wait":   {leased, 5 * time.Minute, 2000, "", ""},
		"too few to tell":     {leased, time.Second, 99, "", ""},
		"no lease is seen":    {leased, 0, 2000, "", ""},
		"a heartbeat decides": {beaten, time.Second, 2000, "", ""},
		"an age decides":      {aged, 0, 2000, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			facts := HealthFacts{Snapshot: Snapshot{Table: Table{Mapping: c.mapping}}}
			facts.Finished.Work, facts.Finished.Lease = Some(work), Null[time.Duration]{V: c.lease, OK: c.lease > 0}
			facts.Finished.Work.V.Rows = c.rows
			var code, text string
			for _, f := range diagnoseWork(facts) {
				code, text = f.Code, f.Text
			}
			if code != c.code || !strings.Contains(text, c.contains) {
				t.Errorf("%q: %s", code, text)
			}
		})
	}
	short := aged
	short.StaleAfter = 2 * time.Second
	found := diagnoseWork(HealthFacts{Snapshot: Snapshot{Table: Table{Mapping: short}}, Finished: TableFacts{Work: Some(work)}})
	if len(found) != 1 || !strings.Contains(found[0].Text, "a claim counts as stuck from 2s: ") || !strings.Contains(found[0].Text, "--stale-after 2m00s would cover it") {
		t.Errorf("%+v", found)
	}
}

func TestHowLongALeaseLasts(t *testing.T) {
	claim := func(lasts time.Duration) Claim {
		return claimed("k", func(c *Claim) { c.ClaimedAt, c.LeaseUntil = ago(time.Hour), ago(time.Hour-lasts) })
	}
	m := Mapping{ClaimedAt: "at", Lease: LeaseBinding{Column: "lease"}}
	// One lease set too short by hand, or renewed for long, does not move the median.
	claims := []Claim{claim(30 * time.Second), claim(time.Millisecond), claim(30 * time.Second), claim(3 * time.Hour), claimed("k", nil), claim(-time.Hour)}
	if got := LeaseLength(m, claims); got != Some(30*time.Second) {
		t.Errorf("%+v", got)
	}
	if got := LeaseLength(m, nil); got.OK {
		t.Errorf("of no claim: %+v", got)
	}
	m.Lease = LeaseBinding{Column: "at", Plus: 4 * time.Hour}
	if got := LeaseLength(m, claims); got != Some(4*time.Hour) {
		t.Errorf("%+v", got)
	}
}
