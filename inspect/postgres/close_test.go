package postgres

import (
	"context"
	"strings"
	"testing"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
)

func TestOpenAndQuitLeavesNoSession(t *testing.T) {
	db, _, _ := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+")")
	d, err := dsn.Parse(db.DSN())
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		s, err := Open(d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		// Quit in the midst of a look as well as after it.
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = s.Identity(t.Context()) // may be cut short by Close
		}()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		<-done
	}
	// The one that is left belongs to the fixture.
	eventually(t, "only the fixture's session is left", func() bool {
		return db.Int("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'idemtui%'") <= 1
	})
}

func TestACancelledReleaseSaysOfEachClaimWhatBecameOfIt(t *testing.T) {
	db, s, table := recommended(t, "")
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at)
 SELECT 'm' || n, 'PROCESSING', 'w', now() - interval '1 hour', now() - interval '50 minutes' FROM generate_series(1, 1500) n`)
	p := plan(t, s, table, inspect.PlanRequest{Owner: inspect.Some("w")})
	ctx, cancel := context.WithCancel(t.Context())
	// Cancelled after the record of the first batch: that batch is still
	// committed whole, the second is not begun.
	a := &memoryAuditor{onIntent: cancel}
	r, err := s.Release(ctx, table, p, inspect.ReleaseOptions{Auditor: a})
	if err == nil {
		t.Error("a cancelled release gave no error")
	}
	if len(r.Released) != 1000 || len(r.Failed) != 500 || !strings.HasPrefix(r.Failed[0].Error, "not released: ") {
		t.Errorf("%d released, %d skipped, %d failed (%v)", len(r.Released), len(r.Skipped), len(r.Failed), err)
	}
	if n := db.Int("SELECT count(*) FROM processed_messages WHERE state = 'FAILED'"); n != 1000 {
		t.Errorf("%d rows written, want 1,000", n)
	}
	if len(a.outcomes) != 1 || a.outcomes[0].Status != inspect.OutcomeCommitted {
		t.Errorf("%d outcomes", len(a.outcomes))
	}
}
