package triage_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"idemtui/inspect"
	"idemtui/ui/triage"
)

func unwell(_ *triage.Config, m *memoryStore) {
	m.findings = []inspect.Finding{
		{Code: "no-unique-key", Severity: inspect.SeverityCritical, Text: "no unique constraint on message_id: two workers can both insert the same message and both charge", FixSQL: `CREATE UNIQUE INDEX CONCURRENTLY ON "public"."processed_messages" ("message_id")`},
		{Code: "no-token", Severity: inspect.SeverityWarning, Text: "no fencing token is mapped\x1b[2J"},
		{Code: "never-analyzed", Severity: inspect.SeverityInfo, Text: "the table was never analyzed: estimates are missing, and plans may be poor", FixSQL: `ANALYZE "public"."processed_messages"`},
	}
}

// remembering is a table that has kept its rows for 13 days.
func remembering(_ *triage.Config, m *memoryStore) {
	m.facts = inspect.TableFacts{
		OldestFinished: inspect.At(serverTime.Add(-13*24*time.Hour - 21*time.Hour)), Sampled: true,
		RowsPerDay: inspect.Some[int64](84000), RowBytes: inspect.Some[int64](212),
	}
}

func TestHealthShowsFindingsAndCopiesTheirSQL(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.press("4")
		d.expect("4 Health 3", "> ✗ CRITICAL  no-unique-key", "both charge", "never run by idemtui", "CREATE UNIQUE INDEX", "! WARNING  no-token", "as of 12:00:00Z")
		d.said = nil
		d.press("y")
		if got := fmt.Sprint(d.said); !strings.Contains(got, "CREATE UNIQUE INDEX CONCURRENTLY ON") {
			t.Errorf("copied %s", got)
		}
		d.press("down", "down")
		d.expect("> · INFO  never-analyzed")
		d.press("R")
		d.expect("> · INFO  never-analyzed")
		d.said = nil
		d.press("Y")
		if got := fmt.Sprint(d.said); !strings.Contains(got, "estimates are missing") || !strings.Contains(got, "ANALYZE") {
			t.Errorf("copied %s", got)
		}
		for _, k := range []string{"r", "D", "W", "c", "U", "m"} {
			d.press(k)
			if d.dialogs.Open() || len(d.store.planned) > 0 {
				t.Fatalf("%s acts where no claim is in sight", k)
			}
		}
		d.press("1")
		d.expect("pay_88412", "4 Health 3")
	}, armed, unwell)
}

func TestHealthSaysHowLongWorkTakes(t *testing.T) {
	took := func(_ *triage.Config, m *memoryStore) {
		m.table.Mapping.ClaimedAt, m.table.Mapping.CompletedAt = "claimed_at", "completed_at"
		m.facts.Work = inspect.Some(inspect.WorkTimes{Rows: 2000, P50: time.Second, P99: 3 * time.Second, Longest: 4100 * time.Millisecond})
		m.facts.Lease = inspect.Some(30 * time.Second)
	}
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.press("4")
		d.expect("how long work takes", "p50 1s, p99 3s, longest 4.1s, of the last 2,000 finished; a lease lasts")
	}, func(c *triage.Config, m *memoryStore) { took(c, m); c.Table = m.table })
	bubble(t, 60, 15, incident(), func(d *desk) { // below many findings it is scrolled to
		d.press("4", "end")
		d.expect("never-analyzed", "p50 1s")
	}, func(c *triage.Config, m *memoryStore) { unwell(c, m); took(c, m); c.Table = m.table })
}

func TestTheTabsGoRound(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.press("tab")
		d.expect("pay_90001") // all claims
		d.press("tab")
		d.expect("what this table remembers")
		d.press("tab")
		d.expect("nothing is wrong")
		d.press("tab")
		d.expect("longest lapsed first")
		d.press("shift+tab")
		d.expect("nothing is wrong")
		d.press("shift+tab")
		d.expect("what this table remembers")
		d.press("shift+tab")
		d.expect("pay_90001")
	})
}

func TestRetentionShowsWhatTheTableRemembersAndCopiesTheCommand(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.press("3")
		d.expect("3 Retention", "oldest finished row", "rows a day", "unknown here", "--broker-retention SOURCE_LIFE")
		d.said = nil
		d.press("y")
		if got := fmt.Sprint(d.said); !strings.Contains(got, "idemtui retention --broker-retention") {
			t.Errorf("copied %s", got)
		}
		for _, k := range []string{"r", "D", "W", "c", "U", "m"} {
			d.press(k)
			if d.dialogs.Open() || len(d.store.planned) > 0 {
				t.Fatalf("%s acts where no claim is in sight", k)
			}
		}
		d.press("4")
		d.expect("no-unique-key")
		d.press("3", "esc")
		d.expect("pay_88412")
	}, armed, unwell)
}

func TestADiagnosisThatFailsIsSaidAndTriedAgain(t *testing.T) {
	bubble(t, 80, 24, incident(), func(d *desk) {
		d.store.err = errors.New("connection refused")
		d.press("4")
		d.expect("not diagnosed: connection refused")
		d.store.err = nil
		d.press("R")
		d.expect("nothing is wrong")
	})
}
