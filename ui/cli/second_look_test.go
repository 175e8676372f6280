package cli

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"idemtui/inspect"
)

// leftoversFirst is a table whose longest lapsed claim is that of a worker who is
// connected, and the claim after it that of one who may be gone.
type leftoversFirst struct {
	inspect.Store
	begun    time.Time
	compared time.Duration // between the two looks
}

func (s *leftoversFirst) Snapshot(_ context.Context, _ inspect.Table, query inspect.Query) (inspect.Snapshot, error) {
	connected, gone := judged("old", 9*24*time.Hour, -time.Hour), judged("pay_1", time.Hour, -time.Minute)
	gone.GoneSince = inspect.At(s.begun)
	claims := []inspect.Claim{connected, gone}[:min(2, query.Limit)]
	if query.Before != nil {
		s.compared = time.Since(query.Before.At)
	}
	seen := inspect.Remember(time.Now(), claims)
	seen.Partial = query.Single
	return inspect.Snapshot{Claims: claims, Seen: seen}, nil
}

// The look that is only taken to be compared with lists one claim: whether a second
// look is needed is for the claims that were asked for to say.
func TestSecondLookIsTakenWhenOnlyALaterClaimNeedsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := newTestApp(t, nil)
		store := &leftoversFirst{begun: time.Now()}
		if _, err := a.lookTwice(t.Context(), opened{store: store}, inspect.Query{Limit: 10}); err != nil {
			t.Fatal(err)
		}
		if store.compared < inspect.SecondLookAfter {
			t.Errorf("the looks were %s apart, want %s or more", store.compared, inspect.SecondLookAfter)
		}
	})
}

// goneStore has one claim, whose worker is dead for whoever looks twice.
type goneStore struct {
	inspect.Store
	begun time.Time
	gone  bool
	asked time.Duration // after the beginning, of the last plan
}

func (s *goneStore) Lookup(_ context.Context, _ inspect.Table, keys inspect.KeyList, _ *inspect.Look) (inspect.Lookup, error) {
	c := judged("pay_1", time.Hour, -time.Minute)
	if s.gone {
		c.GoneSince = inspect.At(time.Now())
	}
	return inspect.Lookup{At: time.Now(), Keys: []inspect.LookedUp{{Key: keys.Keys[0], Class: inspect.ClassStuck, Claim: c}}}, nil
}

func (s *goneStore) Plan(_ context.Context, _ inspect.Table, request inspect.PlanRequest) (inspect.Plan, error) {
	s.asked = time.Since(s.begun)
	row := inspect.PlannedRow{Key: inspect.TextKey("message_id", "pay_1"), Verdict: inspect.VerdictCannotTell}
	if request.Before != nil && request.Before.Claims[row.Key].GoneSince.Valid() {
		row.Verdict = inspect.VerdictLikelyDead
	}
	return inspect.Plan{Rows: []inspect.PlannedRow{row}}, nil
}

// A plan that is printed says of a claim what the list says; one that is carried out
// at once, and one that a second look makes no firmer, need not wait.
func TestPlanByKeyTakesTheSecondLook(t *testing.T) {
	for name, c := range map[string]struct {
		gone, yes bool
		want      inspect.Verdict
	}{
		"printed":         {true, false, inspect.VerdictLikelyDead},
		"carried out":     {true, true, inspect.VerdictCannotTell},
		"nothing is gone": {false, false, inspect.VerdictCannotTell},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, _ := newTestApp(t, nil)
				store := &goneStore{begun: time.Now(), gone: c.gone}
				table := inspect.Table{Mapping: inspect.Mapping{Key: []inspect.KeyColumn{{Column: "message_id"}}}}
				plan, _, err := a.releasePlan(t.Context(), opened{store: store, table: table}, nil, &releaseFlags{yes: c.yes}, []string{"pay_1"})
				if err != nil {
					t.Fatal(err)
				}
				if plan.Rows[0].Verdict != c.want || (store.asked > 0) != (c.want == inspect.VerdictLikelyDead) {
					t.Errorf("%s, planned last after %s", plan.Rows[0].Verdict, store.asked)
				}
			})
		})
	}
}
