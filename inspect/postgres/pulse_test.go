package postgres

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"idemtui/inspect"
)

func TestPulseAndTheLastClaim(t *testing.T) {
	db, s, table := recommended(t, "('done', 'DONE', 'w', now() - interval '42 minutes', NULL, now())")
	db.Exec("ANALYZE processed_messages")
	eventually(t, "the counters are written", func() bool {
		db.Exec("SELECT pg_stat_force_next_flush()")
		return db.Int("SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'processed_messages'") == 1
	})
	first := snapshot(t, s, table, inspect.Query{})
	if first.Pulse.OK || !first.Seen.Counters.OK || !first.LastClaimed.Valid() {
		t.Errorf("first look: %+v, %+v", first.Pulse, first.LastClaimed)
	}
	if notes := strings.Join(first.Notes, "\n"); !strings.Contains(notes, "nothing is claimed now, nor was anything since") || !strings.Contains(notes, "42m") {
		t.Errorf("notes %s", notes)
	}
	quiet := snapshot(t, s, table, inspect.Query{Before: first.Seen})
	if !quiet.Pulse.OK || quiet.Pulse.V.Inserted != 0 || quiet.Pulse.V.Updated != 0 {
		t.Errorf("quiet: %+v", quiet.Pulse)
	}
	db.Exec("INSERT INTO processed_messages (message_id, state) VALUES ('a', 'DONE'), ('b', 'DONE'); UPDATE processed_messages SET attempts = 2 WHERE message_id = 'a'")
	eventually(t, "the counters moved", func() bool {
		db.Exec("SELECT pg_stat_force_next_flush()")
		p := snapshot(t, s, table, inspect.Query{Before: first.Seen}).Pulse
		return p.OK && p.V.Inserted == 2 && p.V.Updated == 1
	})
	var out bytes.Buffer
	if err := inspect.EncodeClaims(&out, inspect.ModeReadOnly, []inspect.Snapshot{quiet}); err != nil || !strings.Contains(out.String(), `"pulse": {`) {
		t.Errorf("document (%v): %s", err, out.String())
	}
}

func TestTheLastClaimOfALargeTableIsOfTheStatistics(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`INSERT INTO processed_messages (message_id, state, claimed_at) SELECT 'k' || n, 'DONE', now() - n * interval '1 minute' FROM generate_series(1, 5000) n; ANALYZE processed_messages`)
	s.large = 1
	snap := snapshot(t, s, resolve(t, s, inspect.Target{}), inspect.Query{})
	if !snap.LastClaimedAbout || !snap.LastClaimed.Valid() || snap.At.Sub(snap.LastClaimed.Time) > time.Hour {
		t.Errorf("%+v", snap.LastClaimed)
	}
}

func TestAnIncidentIsOfTheClaimsAskedFor(t *testing.T) {
	_, s, table := recommended(t, `('a', 'PROCESSING', 'w1', now() - interval '2 hours', now() - interval '1 hour', NULL),
 ('b', 'PROCESSING', 'w1', now() - interval '2 hours', now() - interval '1 hour', NULL), ('c', 'PROCESSING', 'w2', now() - interval '3 hours', now() - interval '1 hour', NULL)`)
	if n := snapshot(t, s, table, inspect.Query{}).Incident; n.Claims != 3 || len(n.Owners) != 2 {
		t.Errorf("%+v", n)
	}
	if n := snapshot(t, s, table, inspect.Query{Owner: inspect.Some("w1")}).Incident; n.Claims != 2 || len(n.Owners) != 1 {
		t.Errorf("%+v", n)
	}
}
