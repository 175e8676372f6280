package postgres

import (
	"testing"

	"idemtui/inspect"
)

// BenchmarkSnapshot looks at 10,000 claimed rows among 100,000, of which 200
// are listed.
func BenchmarkSnapshot(b *testing.B) {
	db, s, _ := recommended(b, "")
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at, completed_at)
 SELECT 'k' || n, CASE WHEN n % 10 = 0 THEN 'PROCESSING' ELSE 'DONE' END, 'w' || n % 50, now() - interval '1 hour',
  CASE WHEN n % 10 = 0 THEN now() - n * interval '1 millisecond' END, CASE n % 10 WHEN 0 THEN NULL ELSE now() END FROM generate_series(1, 100000) n; ANALYZE processed_messages`)
	s.large = 10 // as in a large table: the index serves, nothing is counted
	table := resolve(b, s, inspect.Target{})
	for b.Loop() {
		if snap := snapshot(b, s, table, inspect.Query{}); len(snap.Claims) != 200 || snap.Summary.Claimed.Rows != 10000 {
			b.Fatalf("%d of %+v claims", len(snap.Claims), snap.Summary.Claimed)
		}
	}
}
