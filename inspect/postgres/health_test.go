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
	h, err := s.Health(t.Context(), table, inspect.HealthPolicy{Retention: inspect.Null[time.Duration]{V: retention, OK: retention > 0}})
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

func TestHealthOfUpkeep(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE kept (k text PRIMARY KEY, st text, lease timestamptz, at timestamptz, done timestamptz, until timestamptz, request_hash bytea);
 INSERT INTO kept SELECT 'k' || n, 'D', NULL, now(), now() - n * interval '1 minute', now() - interval '2 days', NULL FROM generate_series(1, 20000) n;
 INSERT INTO kept VALUES ('open', 'P', 'infinity', now(), NULL, NULL, 'x'), ('bare', 'P', NULL, now(), NULL, NULL, 'x')`)
	table := mapped(t, s, "kept", "key=k,state=st,processing=P,done=D,lease=lease,claimed_at=at,completed_at=done,expires_at=until")
	h, err := s.Health(t.Context(), table, inspect.HealthPolicy{Retention: inspect.Some(24 * time.Hour), Purge: inspect.Some(inspect.PurgeRate{Batch: 10, Every: time.Hour})})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]inspect.Finding{}
	for _, f := range h.Findings {
		found[f.Code] = f
	}
	for code, want := range map[string]string{
		"purge-behind":         "18,561 rows past it, which is 19 batches of 1,000",
		"purge-cannot-keep-up": "run 6 batches every 1h",
		"expired-rows":         "20,000 finished rows past until for over a day",
		"hash-lost":            "20,000 finished rows have no request_hash",
		"invalid-time":         "1 claimed row with a time that is none",
		"claims-without-lease": "1 claimed row without a lease",
	} {
		if f, ok := found[code]; !ok || !strings.Contains(f.Text, want) || f.FixSQL == "" {
			t.Errorf("%s: %+v", code, f)
		}
	}
	// Every remedy is accepted, and one batch of the purge takes finished rows only.
	for _, f := range h.Findings {
		if f.FixSQL != "" {
			db.Exec(strings.Replace(f.FixSQL, "CONCURRENTLY ", "", 1))
		}
	}
	if n := db.Int("SELECT count(*) FROM kept WHERE st = 'P'"); n != 2 {
		t.Errorf("%d claimed rows are left", n)
	}
	if _, ok := found["never-analyzed"]; !ok {
		t.Errorf("findings %+v", h.Findings)
	}
}

// An index serves if its predicate follows from what is asked, not by its columns
// alone.
func TestHealthOfPartialIndexes(t *testing.T) {
	db, s, _ := recommended(t, "")
	for ddl, want := range map[string]string{
		"":                             "no-purge-index no-stuck-index",
		"CREATE INDEX ON jobs (lease)": "no-purge-index",
		"CREATE INDEX ON jobs (lease, id) WHERE st = 'P'":                                             "no-purge-index",
		"CREATE INDEX ON jobs (id) WHERE st = 'P'":                                                    "no-purge-index",
		"CREATE INDEX ON jobs (lease) WHERE st <> 'D'":                                                "no-purge-index",
		"CREATE INDEX ON jobs (lease) WHERE st IN ('P', 'F')":                                         "no-purge-index",
		"CREATE INDEX ON jobs (lease) WHERE st = 'D'":                                                 "no-purge-index no-stuck-index",
		"CREATE INDEX ON jobs (lease) WHERE owner IS NULL":                                            "no-purge-index no-stuck-index",
		"CREATE INDEX ON jobs (done) WHERE st = 'F'":                                                  "no-purge-index no-stuck-index",
		"CREATE INDEX ON jobs (done) WHERE st = 'D'; CREATE INDEX ON jobs (lease) WHERE st = 'P'":     "",
		`CREATE INDEX "Odd ""one" ON jobs (lease) WHERE st = 'P'; CREATE INDEX "Done" ON jobs (done)`: "",
	} {
		db.Exec(`DROP TABLE IF EXISTS jobs; CREATE TABLE jobs (id text PRIMARY KEY, st text, owner text, lease timestamptz, done timestamptz, tok bigint);
 INSERT INTO jobs SELECT 'k' || n, 'D', NULL, NULL, now() FROM generate_series(1, 100) n; ANALYZE jobs; ` + ddl)
		_, found := health(t, s, mapped(t, s, "jobs", "key=id,state=st,processing=P,done=D,failed=F,lease=lease,completed_at=done,token=tok,owner=owner"), 0)
		var got []string
		for _, code := range []string{"no-purge-index", "no-stuck-index"} {
			if _, ok := found[code]; ok {
				got = append(got, code)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", ddl, got, want)
		}
	}
}

func TestHealthOfWhatIsSeldom(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (id text PRIMARY KEY, st text, lease timestamp, tok bigint, twin int) WITH (autovacuum_enabled = off);
 INSERT INTO jobs SELECT 'k' || n, 'D', NULL, n, 1 FROM generate_series(1, 12000) n;
 CREATE TABLE bare (id text PRIMARY KEY, st text); INSERT INTO bare VALUES ('a', 'IN_PROGRESS')`)
	db.Exec("UPDATE jobs SET tok = tok + 1")
	if _, err := db.Conn().Exec(t.Context(), "CREATE UNIQUE INDEX CONCURRENTLY half ON jobs (twin)"); err == nil {
		t.Fatal("an index on twins is unique")
	}
	table := mapped(t, s, "jobs", "key=id,state=st,processing=P,done=D,lease=lease,token=tok")
	var found map[string]inspect.Finding
	eventually(t, "the server counts the dead rows", func() bool {
		_, found = health(t, s, table, 0)
		return found["dead-rows"].Code != ""
	})
	// In this order: to mend the zone rewrites the table with its indexes, and one
	// that cannot be built must be gone by then.
	for _, c := range []struct{ code, want string }{
		{"dead-rows", "~12,000 dead rows beside ~12,000 live ones, last vacuum never"},
		{"invalid-index", `index "public"."half" is not valid`},
		{"time-without-zone", "lease has no zone: workers in two zones"},
	} {
		if f := found[c.code]; !strings.Contains(f.Text, c.want) || f.FixSQL == "" {
			t.Errorf("%s: %+v", c.code, f)
		} else {
			db.Exec(strings.Replace(f.FixSQL, "CONCURRENTLY ", "", 1))
		}
	}
	_, found = health(t, s, mapped(t, s, "jobs", "key=id,state=st,processing=P,done=D,lease=lease,token=tok"), 0)
	for _, code := range []string{"invalid-index", "time-without-zone"} {
		if f, still := found[code]; still {
			t.Errorf("mended, and found again: %+v", f)
		}
	}
	_, found = health(t, s, mapped(t, s, "bare", "key=id,state=st,processing=IN_PROGRESS"), 0)
	if f := found["no-time-of-claim"]; f.Severity != inspect.SeverityCritical || !strings.Contains(f.Text, "neither lease nor heartbeat nor claim time") {
		t.Errorf("%+v", found)
	}
}

func TestHealthComparesWorkWithTheLease(t *testing.T) {
	db, s, table := recommended(t, "('p', 'PROCESSING', 'w', now() - interval '1 hour', now() - interval '1 hour' + interval '30 seconds', NULL)")
	if h, _ := health(t, s, table, 0); h.Facts.Work.OK || h.Facts.Lease != inspect.Some(30*time.Second) || !strings.HasPrefix(h.Work().Text, "not known") {
		t.Errorf("nothing is finished: %+v, %s", h.Facts, h.Work().Text)
	}
	db.Exec(`INSERT INTO processed_messages (message_id, state, claimed_at, completed_at)
 SELECT 'd' || n, 'DONE', now() - interval '1 hour', now() - interval '1 hour' + n * interval '40 milliseconds' FROM generate_series(1, 1000) n;
 INSERT INTO processed_messages (message_id, state, claimed_at, completed_at) VALUES ('lies', 'DONE', 'infinity', now()), ('backwards', 'DONE', now(), now() - interval '1 hour'), ('bare', 'DONE', now(), NULL)`)
	h, found := health(t, s, table, 0)
	if want := (inspect.WorkTimes{Rows: 1000, P50: 20 * time.Second, P99: 39600 * time.Millisecond, Longest: 40 * time.Second}); h.Facts.Work != inspect.Some(want) {
		t.Errorf("work %+v, want %+v", h.Facts.Work, want)
	}
	if f := found["lease-too-short"]; f.Severity != inspect.SeverityWarning || !strings.Contains(f.Text, "1 in 100 took 40s or longer and the longest 40s, and a lease lasts 30s") {
		t.Errorf("findings %+v", h.Findings)
	}
	var out bytes.Buffer
	if err := inspect.EncodeHealth(&out, h); err != nil || !strings.Contains(out.String(), `"p99_seconds": 39.6`) || !strings.Contains(out.String(), `"lease_seconds": 30`) {
		t.Errorf("document (%v): %s", err, out.String())
	}
	// A large table is asked only through an index that finds the latest.
	s.large = 0
	db.Exec("ANALYZE processed_messages")
	if h, _ := health(t, s, resolve(t, s, inspect.Target{}), 0); h.Facts.Work.V.Longest != 40*time.Second {
		t.Errorf("an index serves: %+v", h.Facts.Work)
	}
	for _, ddl := range []string{"DROP INDEX " + db.Text("SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = 'processed_messages'::regclass AND pg_get_indexdef(indexrelid) LIKE '%(completed_at)%'"), "CREATE INDEX ON processed_messages (completed_at) WHERE state = 'FAILED'"} {
		db.Exec(ddl)
		if h, _ := health(t, s, resolve(t, s, inspect.Target{}), 0); h.Facts.Work.OK {
			t.Errorf("%s: a large table was searched: %+v", ddl, h.Facts.Work)
		}
	}
}
