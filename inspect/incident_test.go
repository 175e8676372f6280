package inspect

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// stuckAt is a stuck claim of an owner, claimed at an instant.
func stuckAt(owner string, at time.Time) Claim {
	return Claim{Key: TextKey("id", owner+at.String()), State: StateProcessing, Condition: ConditionStuck, Owner: Some(owner), ClaimedAt: At(at), Age: Some(noon.Sub(at))}
}

func TestIncidentSaysWhenItBeganAndWhose(t *testing.T) {
	began := time.Date(2026, 3, 1, 2, 10, 3, 0, time.UTC)
	var claims []Claim
	for i := range 41 {
		claims = append(claims, stuckAt("worker-3@h7", began.Add(time.Duration(i)*3*time.Second)))
	}
	n := IncidentOf(noon, claims, nil)
	if got, want := n.Story(noon), "it began at 02:10:03, the latest is from 02:12:03, all of worker-3@h7"; got != want {
		t.Errorf("story %q, want %q", got, want)
	}
	if got, want := n.Histogram(noon), "claimed  02:10:00 ▆▆▆█▆▆█▆▆█▆▆▄ 02:12:10  a bar is 10s, the highest 4"; got != want {
		t.Errorf("histogram %q, want %q", got, want)
	}
	claims = append(claims, stuckAt("other", began))
	if got, want := IncidentOf(noon, claims, nil).Story(noon), "it began at 02:10:03, the latest is from 02:12:03, 41 of 42 of worker-3@h7"; got != want {
		t.Errorf("story %q, want %q", got, want)
	}
	yesterday := IncidentOf(noon, []Claim{stuckAt("a", began.AddDate(0, 0, -1)), stuckAt("b", began.AddDate(0, 0, -1))}, nil)
	if got, want := yesterday.Story(noon), "it began at 2026-02-28 02:10:03, of 2 owners"; got != want {
		t.Errorf("story %q, want %q", got, want)
	}
	if got := IncidentOf(noon, claims[:1], nil).Story(noon) + IncidentOf(noon, nil, nil).Histogram(noon); got != "" {
		t.Errorf("one claim tells %q", got)
	}
}

func TestClaimsFromLongBeforeFold(t *testing.T) {
	claims := []Claim{
		stuckAt("w", noon.Add(-12*time.Minute)), stuckAt("w", noon.Add(-50*time.Minute)), stuckAt("w", noon.Add(-3*time.Hour)),
		stuckAt("w", noon.AddDate(0, 0, -20)), stuckAt("w", noon.AddDate(0, 0, -91)),
	}
	n := IncidentOf(noon, claims, nil)
	if n.Claims != 3 || n.Older.Claims != 2 {
		t.Fatalf("%+v", n)
	}
	if got, want := n.OlderStory(noon), "2 stuck claims from long before, claimed 91d to 20d ago, folded; --until 2026-02-09T12:00:01Z lists them"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var folded []bool
	for _, c := range claims {
		folded = append(folded, n.Folded(c))
	}
	if !slices.Equal(folded, []bool{false, false, false, true, true}) {
		t.Errorf("folded %v", folded)
	}
	// Seen alone they are not older than anything.
	if n := IncidentOf(noon, claims, func(c Claim) bool { return c.ClaimedAt.Before(noon.AddDate(0, 0, -1)) }); n.Older.Claims != 0 || n.Claims != 2 {
		t.Errorf("%+v", n)
	}
	// One leftover stays: a line is not made shorter by a line.
	if n := IncidentOf(noon, claims[:4], nil); n.Older.Claims != 0 {
		t.Errorf("%+v", n)
	}
}

// What is stuck for hours must not be folded away for the sake of a claim whose
// worker is at work.
func TestAClaimThatIsAliveFoldsNothingAway(t *testing.T) {
	alive := stuckAt("w-2", noon.Add(-12*time.Minute))
	alive.Verdict = VerdictAlive
	claims := []Claim{alive}
	for i := range 5 {
		claims = append(claims, stuckAt("w-7", noon.Add(-4*time.Hour+time.Duration(i)*time.Second)))
	}
	if n := IncidentOf(noon, claims, nil); n.Claims != 6 || n.Older.Claims != 0 {
		t.Errorf("%d claims, %d folded", n.Claims, n.Older.Claims)
	}
	claims[0].Verdict = VerdictCannotTell
	if n := IncidentOf(noon, claims, nil); n.Older.Claims != 5 {
		t.Errorf("%d folded", n.Older.Claims)
	}
}

func TestIncidentCountsEachClaimOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ages := rapid.SliceOfN(rapid.Int64Range(0, int64(200*365*24*time.Hour/time.Second)), 0, 60).Draw(t, "ages")
		var claims []Claim
		for _, a := range ages {
			claims = append(claims, stuckAt("w", noon.Add(-time.Duration(a)*time.Second)))
		}
		n := IncidentOf(noon, claims, nil)
		var binned, folded int64
		for _, b := range n.Bins {
			binned += b
		}
		for _, c := range claims {
			if n.Folded(c) {
				folded++
			}
		}
		if binned != n.Claims || n.Claims+n.Older.Claims != int64(len(claims)) || folded != n.Older.Claims || len(n.Bins) > maxBins {
			t.Fatalf("%d claims: %+v, folded %d", len(claims), n, folded)
		}
		if len(claims) > 0 && len([]rune(n.Bars())) != len(n.Bins) {
			t.Fatalf("bars %q", n.Bars())
		}
	})
}

func TestGroupsByOwnerKindAndAge(t *testing.T) {
	claims := []Claim{stuckAt("a", noon.Add(-time.Minute)), stuckAt("b", noon.Add(-2*time.Hour)), stuckAt("b", noon.Add(-30*24*time.Hour)), {State: StateDone}}
	claims[0].Condition = ConditionHeld
	claims[0].Key, claims[1].Key = TextKey("id", "pay_1"), TextKey("id", "9a")
	claims[2].Key = NewKey(KeyPart{Column: "consumer", Kind: PartText, Value: "billing"}, KeyPart{Column: "id", Kind: PartText, Value: "1"})
	for by, want := range map[Grouping][]string{
		GroupByOwner: {"b", "a"}, GroupByKind: {"billing", "no kind in the key", "pay"}, GroupByAge: {"under 15m", "1h to 6h", "over 7d"},
	} {
		var got []string
		for _, g := range GroupClaims(claims, by) {
			got = append(got, g.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("by %s: %v, want %v", by, got, want)
		}
	}
}

func TestPulse(t *testing.T) {
	before := &Look{At: noon.Add(-30 * time.Second), Counters: Some(Counters{10, 20, 3})}
	p := PulseBetween(before, noon, Some(Counters{10, 20, 3}))
	if !p.OK || p.V.Text(Mapping{State: StateBinding{Column: "st"}}) != "+0 claimed, +0 finished in 30s" {
		t.Errorf("%+v", p)
	}
	p = PulseBetween(before, noon, Some(Counters{12, 25, 3}))
	if got, want := p.V.Text(Mapping{State: StateBinding{Column: "st"}}), "+2 claimed, at most +5 finished in 30s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := p.V.Text(Mapping{}), "+2 arrived, at most +5 claimed or finished in 30s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// A reset of the statistics is no pulse, nor is one look.
	for _, p := range []Null[Pulse]{PulseBetween(before, noon, Some(Counters{1, 2, 0})), PulseBetween(nil, noon, Some(Counters{})), PulseBetween(&Look{}, noon, Some(Counters{}))} {
		if p.OK {
			t.Errorf("%+v", p)
		}
	}
}
