package postgres

import (
	"strings"
	"testing"

	"idemtui/inspect"
)

// largeTable is a table that counts as large because the test says so.
func largeTable(t *testing.T, index string) (*Store, inspect.Table) {
	t.Helper()
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE big (k text PRIMARY KEY, st text, lease timestamptz, own text);
 INSERT INTO big SELECT 'k' || n, CASE WHEN n % 1000 = 0 THEN 'P' ELSE 'D' END, now() - n * interval '1 second', 'w' FROM generate_series(1, 20000) n;
 INSERT INTO big VALUES ('rare', 'X', NULL, NULL);` + index)
	db.Exec("ANALYZE big")
	s.large = 10
	return s, mapped(t, s, "big", "key=k,state=st,processing=P,done=D,failed=X,free=F,lease=lease,owner=own")
}

func TestALargeTableIsEstimatedAndNeverScannedTwiceUnasked(t *testing.T) {
	s, table := largeTable(t, "")
	first := snapshot(t, s, table, inspect.Query{})
	if len(first.Claims) != 20 || first.Summary.Claimed != (inspect.Count{Rows: 20, Exact: true}) {
		t.Errorf("%d claims, %+v", len(first.Claims), first.Summary.Claimed)
	}
	if done := first.Summary.ByState[inspect.StateDone]; done.Exact || done.Rows < 15000 || done.Rows > 25000 {
		t.Errorf("done: %+v, want an estimate", done)
	}
	// A state that the statistics do not know is absent, never 0.
	if failed, ok := first.Summary.ByState[inspect.StateFailed]; ok && failed.Rows == 0 {
		t.Error("a rare state is shown as 0")
	}
	if want := `CREATE INDEX CONCURRENTLY ON "public"."big" ("lease", "k") WHERE "st" = 'P'`; first.IndexHint != want {
		t.Errorf("hint: %s", first.IndexHint)
	}
	second := snapshot(t, s, table, inspect.Query{Before: first.Seen})
	if len(second.Claims) != 20 || !second.ScannedAt.Equal(first.At) || second.At.Equal(first.At) {
		t.Errorf("second look: %d claims, scanned at %s, at %s", len(second.Claims), second.ScannedAt, second.At)
	}
	third := snapshot(t, s, table, inspect.Query{Before: second.Seen, Rescan: true})
	if !third.ScannedAt.Equal(third.At) {
		t.Errorf("scanned at %s, want %s", third.ScannedAt, third.At)
	}
}

func TestAnIndexedLargeTableIsSearchedAtEachLook(t *testing.T) {
	s, table := largeTable(t, "CREATE INDEX ON big (lease, k) WHERE st = 'P';")
	first := snapshot(t, s, table, inspect.Query{})
	second := snapshot(t, s, table, inspect.Query{Before: first.Seen})
	if first.IndexHint != "" || !second.ScannedAt.Equal(second.At) || strings.Contains(strings.Join(first.Notes, ""), "index") {
		t.Errorf("hint %q, notes %v", first.IndexHint, first.Notes)
	}
}

func TestMoreClaimsThanALookReads(t *testing.T) {
	db, s, table := recommended(t, "")
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at)
 SELECT 'm' || n, 'PROCESSING', 'w' || n % 7, now() - interval '1 day', now() - n * interval '1 second' FROM generate_series(1, 12000) n;
 INSERT INTO processed_messages (message_id, state, owner, claimed_at) VALUES ('leaseless', 'PROCESSING', 'x', now() - interval '2 days')`)
	snap := snapshot(t, s, table, inspect.Query{Limit: 500})
	if len(snap.Claims) != 500 || snap.Claims[0].Key.String() != "leaseless" && snap.Claims[0].Key.String() != "m12000" {
		t.Errorf("%d claims, first %s", len(snap.Claims), snap.Claims[0].Key)
	}
	if sum := snap.Summary; !sum.LookCut || !sum.Truncated || sum.Claimed != (inspect.Count{Rows: 12001, Exact: true}) || snap.Matching.Exact {
		t.Errorf("claimed %+v, cut %v, matching %+v", sum.Claimed, sum.LookCut, snap.Matching)
	}
	// An owner's rows are found although the look was cut, and so is the row
	// without a lease, which sorts last.
	if snap := snapshot(t, s, table, inspect.Query{Owner: inspect.Some("x")}); len(snap.Claims) != 1 {
		t.Errorf("%d claims of x", len(snap.Claims))
	}
	_, err := s.Plan(t.Context(), table, inspect.PlanRequest{AllLikelyDead: true})
	wantFault(t, err, inspect.FaultRefused)
}

func TestALookThatMustNotScanIsRefusedOnlyWhereItWould(t *testing.T) {
	s, table := largeTable(t, "")
	_, err := s.Snapshot(t.Context(), table, inspect.CheckQuery(false))
	if f := wantFault(t, err, inspect.FaultScan); !strings.Contains(f.Next, "CREATE INDEX") {
		t.Errorf("error: %v", err)
	}
	if check := inspect.CheckSnapshot(snapshot(t, s, table, inspect.CheckQuery(true)), inspect.CheckRules{}); check.Conditions[inspect.ConditionStuck] != 20 {
		t.Errorf("%+v", check)
	}
	s, table = largeTable(t, "CREATE INDEX ON big (lease, k) WHERE st = 'P';")
	snapshot(t, s, table, inspect.CheckQuery(false))
}
