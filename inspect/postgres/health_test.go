package postgres

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"idemtui/inspect"
)

func health(t *testing.T, s *Store, table inspect.Table, retention time.Duration) (inspect.Health, map[string]inspect.Finding) {
	t.Helper()
	h, err := s.Health(t.Context(), table, inspect.Null[time.Duration]{V: retention, OK: retention > 0})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]inspect.Finding{}
	for _, f := range h.Findings {
		out[f.Code] = f
	}
	return h, out
}

func TestHealthOfTheRecommendedTable(t *testing.T) {
	db, s, _ := recommended(t, "('a', 'DONE', 'w', now() - interval '9 days', NULL, now() - interval '9 days'), ('b', 'DONE', 'w', now(), NULL, now())")
	db.Exec("ANALYZE processed_messages")
	table := resolve(t, s, inspect.Target{}) // its estimates are known now
	if h, found := health(t, s, table, 10*24*time.Hour); len(found) != 0 {
		t.Errorf("findings %+v", h.Findings)
	}
	h, found := health(t, s, table, 7*24*time.Hour)
	if _, ok := found["purge-behind"]; !ok || !h.Facts.OldestFinished.Valid() || h.Facts.RowsPerDay.V != 1 || h.Facts.RowBytes.V == 0 {
		t.Errorf("findings %+v, facts %+v", h.Findings, h.Facts)
	}
}

func TestHealthNamesCauseAndRemedy(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE poor (msg text, st text, at timestamp, done timestamp, UNIQUE (msg, at));
 INSERT INTO poor VALUES ('a', 'P', (now() AT TIME ZONE 'UTC') + interval '1 hour', NULL), ('b', 'odd', NULL, NULL);
 CREATE TABLE poorer (msg text, st text, lease timestamptz); INSERT INTO poorer VALUES ('a', 'P', NULL)`)
	table := mapped(t, s, "poor", "key=msg,state=st,processing=P,done=D,claimed_at=at,completed_at=done")
	h, found := health(t, s, table, 0)
	for _, code := range []string{"unique-key-holds-time", "nullable-key", "no-token", "time-without-zone", "clock-skew", "unmapped-state", "no-lease", "no-stuck-index", "no-purge-index", "never-analyzed"} {
		if _, ok := found[code]; !ok {
			t.Errorf("no finding %s in %+v", code, h.Findings)
		}
	}
	if h.Findings[0].Severity != inspect.SeverityCritical {
		t.Errorf("first is %+v", h.Findings[0])
	}
	_, found = health(t, s, mapped(t, s, "poorer", "key=msg,state=st,processing=P,lease=lease"), 0)
	for _, code := range []string{"no-unique-key", "claims-without-lease"} {
		if _, ok := found[code]; !ok {
			t.Errorf("no finding %s in %+v", code, found)
		}
	}
	// Every remedy is a statement that the server accepts.
	for _, f := range append(h.Findings, found["no-unique-key"]) {
		if f.FixSQL != "" {
			db.Exec(strings.Replace(f.FixSQL, "CONCURRENTLY ", "", 1))
		}
	}
	var out bytes.Buffer
	if err := inspect.EncodeHealth(&out, h); err != nil || !strings.Contains(out.String(), `"code": "unique-key-holds-time"`) {
		t.Errorf("document (%v): %s", err, out.String())
	}
}

func TestHealthOfALargeTableReadsStatistics(t *testing.T) {
	s, table := largeTable(t, "")
	h, found := health(t, s, table, 0)
	if _, ok := found["no-stuck-index"]; !ok || h.Facts.RowBytes.V == 0 {
		t.Errorf("findings %+v", h.Findings)
	}
}
