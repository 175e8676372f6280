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
