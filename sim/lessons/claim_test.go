package lessons_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"idemtui/sim/lessons"
)

func leaseLesson(t interface{ Fatal(...any) }, c lessons.Claim) lessons.Lesson {
	for _, l := range lessons.ForClaim(c) {
		if l.N == 4 {
			return l
		}
	}
	t.Fatal("there is no fourth lesson")
	return lessons.Lesson{}
}

func TestAClaimIsPlayedWithItsLeaseAgeAndToken(t *testing.T) {
	const minute = int64(60_000_000_000)
	c := lessons.Claim{Key: "pay_88412", Owner: "worker-7@h3", Token: "8841207", Lease: minute, Age: 192 * minute}
	l := leaseLesson(t, c)
	scene := l.Scenes[l.Pages[0].Scene]
	if scene.Scenario.Lease != minute {
		t.Errorf("the lease is %d", scene.Scenario.Lease)
	}
	trace, err := scene.Record()
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for i := range 4 {
		shown := l.Show(i, trace)
		if !shown.Found || !shown.Own {
			t.Errorf("page %d does not fit its run: %+v", i+1, shown)
		}
		if strings.ContainsAny(shown.Text, "{}") {
			t.Errorf("page %d has an open word: %s", i+1, shown.Text)
		}
		said = append(said, shown.Text)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"pay_88412", "worker-7@h3", "8841207", "3h12m ago", "ended 3h11m ago", "for 1m", "in this run", "Whether your payment was charged, only the provider knows"} {
		if !strings.Contains(all, want) {
			t.Errorf("the pages do not say %q:\n%s", want, all)
		}
	}
	own := lessons.All()[3]
	if l.Question.Before != own.Question.Before+4 || len(l.Pages) != len(own.Pages)+4 {
		t.Error("the lesson's own pages do not follow")
	}
}

func TestEveryPlayableClaimHasARun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := lessons.Claim{
			Key: "k", Lease: rapid.Int64Range(1, 1<<62).Draw(rt, "lease"), Age: rapid.Int64Range(1, 1<<62).Draw(rt, "age"),
			Token: rapid.SampledFrom([]string{"", "17"}).Draw(rt, "token"),
		}
		l := leaseLesson(rt, c)
		trace, err := l.Scenes[l.Pages[0].Scene].Record()
		if err != nil {
			rt.Fatal(err)
		}
		for i := range 4 {
			if shown := l.Show(i, trace); !shown.Found {
				rt.Fatalf("page %d has no moment", i+1)
			}
		}
	})
}

// A key is told as it is, whatever a page's own words are written with.
func TestAKeyWithBracesIsToldAsItIs(t *testing.T) {
	for _, key := range []string{"a{b", "{charged}", "{}", "}{", "{lease"} {
		l := leaseLesson(t, lessons.Claim{Key: key, Owner: key, Token: "7", Lease: 60_000_000_000, Age: 120_000_000_000})
		trace, err := l.Scenes[l.Pages[0].Scene].Record()
		if err != nil {
			t.Fatal(err)
		}
		if said := l.Show(0, trace).Text; !strings.HasPrefix(said, "Why "+key+" is stuck, played. "+key+" claimed it") {
			t.Errorf("%s: %s", key, said)
		}
	}
}
