package inspect

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// touchedAgo is a stuck claim of an owner whose row was last written so long ago.
func touchedAgo(owner string, ago time.Duration) Claim {
	return Claim{
		Key: TextKey("id", fmt.Sprint(owner, ago)), State: StateProcessing, Owner: Some(owner), Condition: ConditionStuck, Verdict: VerdictCannotTell,
		ClaimedAt: At(noon.Add(-ago - time.Hour)), UpdatedAt: At(noon.Add(-ago)), LeaseUntil: At(noon.Add(-time.Minute)),
	}
}

func TestR31_ClaimsLastWrittenInOneMinuteAreOneEvent(t *testing.T) {
	event := []Claim{touchedAgo("a", 30*time.Minute), touchedAgo("b", 30*time.Minute+20*time.Second), touchedAgo("c", 31*time.Minute)}
	running := touchedAgo("z", time.Hour)
	running.LeaseUntil, running.Condition = At(noon.Add(time.Hour)), ConditionHeld
	elsewhere := Mapping{Heartbeat: HeartbeatBinding{Every: 10 * time.Second, Join: &HeartbeatJoin{}}}
	beats := make([]Claim, 3)
	for i := range beats {
		beats[i] = event[i]
		beats[i].HeartbeatAt, beats[i].LeaseUntil, beats[i].Condition, beats[i].Verdict = At(noon), Stamp{}, ConditionHeld, VerdictAlive
	}
	alike := Mapping{ClaimedAt: "at", Kind: KindInsertOnlyCommit}
	for name, c := range map[string]struct {
		claims []Claim
		m      Mapping
		want   string
	}{
		"one event":           {event, leased(), "3 claims last touched 11:29:00 to 11:30:00 by 3 owners: one event, the end of a host or a failover of the database, is likelier than many deaths"},
		"two are none":        {event[:2], leased(), ""},
		"finished, perhaps":   {event, alike, ""},
		"one owner":           {[]Claim{touchedAgo("a", time.Hour), touchedAgo("a", time.Hour+time.Second), touchedAgo("a", time.Hour+2*time.Second)}, leased(), ""},
		"spread":              {[]Claim{touchedAgo("a", time.Hour), touchedAgo("b", 2*time.Hour), touchedAgo("c", 3*time.Hour)}, leased(), ""},
		"half of them":        {append([]Claim{touchedAgo("d", 2*time.Hour), touchedAgo("e", 3*time.Hour), touchedAgo("f", 4*time.Hour)}, event...), leased(), ""},
		"running leases":      {append([]Claim{running, running, running, running}, event...), leased(), "3 claims last touched 11:29:00 to 11:30:00 by 3 owners: one event, the end of a host or a failover of the database, is likelier than many deaths"},
		"heartbeat elsewhere": {beats, elsewhere, "3 claims last touched 11:29:00 to 11:30:00 by 3 owners: one event, the end of a host or a failover of the database, is likelier than many deaths; 3 of them belong to live workers"},
	} {
		got := ""
		if touched := TouchedTogether(c.claims, Facts{Now: noon, Mapping: c.m}); touched.OK {
			got = touched.V.Text(noon)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := (Touched{Claims: 6, Owners: 2, Alive: 1, From: noon, To: noon}).Text(noon); !strings.HasSuffix(got, "; 1 of them belongs to a live worker") {
		t.Errorf("of one live worker: %q", got)
	}
}
