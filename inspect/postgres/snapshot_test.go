package postgres

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"idemtui/inspect"
)

// about checks a duration, give or take the time that the test itself takes.
func about(t testing.TB, what string, got inspect.Null[time.Duration], want time.Duration) {
	t.Helper()
	if !got.OK || math.Abs(float64(got.V-want)) > float64(10*time.Second) {
		t.Errorf("%s = %v, want about %s", what, got, want)
	}
}

func claimNamed(t testing.TB, snap inspect.Snapshot, name string) inspect.Claim {
	t.Helper()
	for _, c := range snap.Claims {
		if c.Key.String() == name {
			return c
		}
	}
	t.Fatalf("%s is not among %v", name, keysOf(snap.Claims))
	return inspect.Claim{}
}

func TestR1_RecordStuckAfterAFunctionTimeout(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE records (id text PRIMARY KEY, st text, own text, at timestamptz, lease timestamptz, expires timestamptz, done timestamptz);
 INSERT INTO records VALUES ('pay#17', 'PROCESSING', 'fn-3f', now() - interval '47 minutes 30 seconds', NULL, now() + interval '23 hours 12 minutes 30 seconds', NULL),
 ('pay#18', 'PROCESSING', 'fn-4a', now() - interval '10 seconds', now() + interval '20 seconds', NULL, NULL),
 ('pay#19', 'DONE', 'fn-4b', now() - interval '20 minutes', NULL, NULL, now() - interval '19 minutes')`)
	table := mapped(t, s, "records", "key=id,state=st,processing=PROCESSING,done=DONE,owner=own,claimed_at=at,lease=lease,expires_at=expires,completed_at=done")
	snap := snapshot(t, s, table, inspect.Query{})
	equal(t, "list", keysOf(snap.Claims), []string{"pay#17"})
	a := snap.Claims[0]
	about(t, "age", a.Age, 47*time.Minute+30*time.Second)
	if notes := strings.Join(a.Notes, "\n"); !strings.Contains(notes, "nothing frees this before the record expires, in 23h12m") || !strings.Contains(notes, "until then duplicates are refused") {
		t.Errorf("notes: %s", notes)
	}
	all := snapshot(t, s, table, inspect.Query{All: true})
	equal(t, "all", keysOf(all.Claims), []string{"pay#17", "pay#18"})
	if b := claimNamed(t, all, "pay#18"); b.Condition != inspect.ConditionHeld {
		t.Errorf("pay#18 is %s, want held", b.Condition)
	}
	if !strings.Contains(fmt.Sprint(a.Evidence), "the longest of 1 finished took 1m") {
		t.Errorf("no comparison with finished work: %v", a.Evidence)
	}
}

func TestR3_OtherWordsForClaimed(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE SCHEMA cap; CREATE TABLE cap.received ("Id" bigint PRIMARY KEY, "StatusName" varchar(50), "Added" timestamp);
 INSERT INTO cap.received SELECT n, CASE WHEN n <= 3 THEN 'Processing' WHEN n <= 8 THEN 'Scheduled' WHEN n <= 28 THEN 'Succeeded' WHEN n <= 30 THEN 'Failed' ELSE 'Delayed' END,
 (now() AT TIME ZONE 'UTC') - interval '20 minutes' FROM generate_series(1, 31) n`)
	table := mapped(t, s, "cap.received", "key=Id,state=StatusName,processing=Processing,free=Scheduled,done=Succeeded|Failed,claimed_at=Added")
	snap := snapshot(t, s, table, inspect.Query{})
	equal(t, "list", keysOf(snap.Claims), []string{"1", "2", "3"})
	var total int64
	for _, n := range snap.Summary.ByState {
		if !n.Exact {
			t.Error("a count of a small table is an estimate")
		}
		total += n.Rows
	}
	if total != 31 || snap.Summary.Unmapped["Delayed"].Rows != 1 {
		t.Errorf("states add up to %d, unmapped %v", total, snap.Summary.Unmapped)
	}
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "2")})
	if !strings.Contains(p.SQL, `SET "StatusName" = 'Scheduled'`) || !strings.Contains(p.SQL, `t."StatusName" = 'Processing'`) {
		t.Errorf("planned write:\n%s", p.SQL)
	}
	release(t, s, table, p, &memoryAuditor{})
	if got := db.Text(`SELECT string_agg("StatusName", ',' ORDER BY "Id") FROM cap.received WHERE "Id" <= 3`); got != "Processing,Scheduled,Processing" {
		t.Errorf("states = %s", got)
	}
	// Without a mapped state: states and counts, and no release.
	bare := mapped(t, s, "cap.received", "key=Id,state=StatusName")
	snap = snapshot(t, s, bare, inspect.Query{})
	if snap.Summary.Unmapped["Scheduled"].Rows != 6 || len(snap.Notes) == 0 {
		t.Errorf("unmapped states %v, notes %v", snap.Summary.Unmapped, snap.Notes)
	}
	_, err := s.Plan(t.Context(), bare, inspect.PlanRequest{Keys: keyList(t, bare, "1"), Mode: inspect.ReleaseDelete})
	wantFault(t, err, inspect.FaultMapping)
}

func TestR4_AgeCountsFromTheAttemptAndAHeartbeatBeatsIt(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (k text PRIMARY KEY, st text, created timestamptz, at timestamptz, hb timestamptz, lease timestamptz);
 INSERT INTO jobs VALUES ('A', 'P', now() - interval '10 days', now() - interval '2 minutes', NULL, now() + interval '3 minutes'),
 ('B', 'P', now() - interval '3 hours', now() - interval '3 hours', now() - interval '8 seconds', NULL),
 ('C', 'P', now() - interval '10 minutes', now() - interval '10 minutes', now() - interval '9 minutes 50 seconds', NULL)`)
	table := mapped(t, s, "jobs", "key=k,state=st,processing=P,free=F,claimed_at=at,heartbeat=hb,heartbeat_every=10s,lease=lease")
	snap := snapshot(t, s, table, inspect.Query{All: true})
	a, b, c := claimNamed(t, snap, "A"), claimNamed(t, snap, "B"), claimNamed(t, snap, "C")
	about(t, "age of A", a.Age, 2*time.Minute)
	if a.Condition != inspect.ConditionHeld || b.Verdict != inspect.VerdictAlive || c.Verdict != inspect.VerdictLikelyDead {
		t.Errorf("A %s, B %s, C %s", a.Condition, b.Verdict, c.Verdict)
	}
	if text := fmt.Sprint(c.Evidence); !strings.Contains(text, "59 intervals missed") {
		t.Errorf("evidence of C: %s", text)
	}
	equal(t, "list", keysOf(snapshot(t, s, table, inspect.Query{}).Claims), []string{"C"})
}

func TestR5_SummaryOverAllClaimedRows(t *testing.T) {
	db, s, table := recommended(t, "")
	for i, age := range []string{"2m", "10m", "59m", "61m", "3h", "5h59m", "6h01m", "24h", "48h", "2184h"} {
		db.Exec(fmt.Sprintf("INSERT INTO processed_messages (message_id, state, owner, claimed_at) VALUES ('k%d', 'PROCESSING', 'w%d', now() - interval '%s')", i, i%3, age))
	}
	sum := snapshot(t, s, table, inspect.Query{Limit: 3}).Summary
	if sum.Claimed.Rows != 10 || !sum.Claimed.Exact || sum.Over1h != 7 || sum.Over6h != 4 || len(sum.ByOwner) != 3 || !sum.Truncated {
		t.Errorf("summary %+v", sum)
	}
	about(t, "oldest", sum.Oldest, 91*24*time.Hour)
	about(t, "median", sum.Median, 4*time.Hour+29*time.Minute+30*time.Second)
}

func TestR8_OrphanedHalfClearedRowIsListed(t *testing.T) {
	_, s, table := recommended(t, "('half', 'PROCESSING', NULL, now() - interval '2 hours', NULL, NULL)")
	snap := snapshot(t, s, table, inspect.Query{})
	equal(t, "list", keysOf(snap.Claims), []string{"half"})
	c := snap.Claims[0]
	about(t, "age", c.Age, 2*time.Hour)
	if c.Condition != inspect.ConditionStuck || !strings.Contains(strings.Join(c.Notes, "\n"), "no owner, no lease") {
		t.Errorf("%s, notes %v", c.Condition, c.Notes)
	}
}

func TestR15_UnknownOutcome(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (k text PRIMARY KEY, st text, at timestamptz, lease timestamptz, down text);
 INSERT INTO jobs VALUES ('A', 'P', now() - interval '10 minutes', now() - interval '5 minutes', NULL),
 ('B', 'P', now() - interval '2 hours', now() - interval '5 minutes', 'wd-881'), ('C', 'P', now() - interval '30 hours', now() - interval '5 minutes', 'wd-881')`)
	m, err := inspect.ParseMap("key=k,state=st,processing=P,free=F,claimed_at=at,lease=lease")
	if err != nil {
		t.Fatal(err)
	}
	table := resolve(t, s, inspect.Target{Table: "jobs", Map: &m, ProviderKey: "down", ProviderMemory: 24 * time.Hour})
	for k, want := range map[string]string{
		"A": "outcome unknown: the external step may have happened; check before release",
		"B": "retry is safe only if it reuses wd-881 (remembered 22h more)",
		"C": "provider has forgotten wd-881 (6h",
	} {
		d, err := s.Show(t.Context(), table, key(t, table, k), inspect.ShowOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(d.IfReleased, "\n"); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", k, got)
		}
	}
}

func TestR26_ZonelessColumnsAreReadAsUTCWhateverTheHost(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (k text PRIMARY KEY, st text, at timestamp); INSERT INTO jobs VALUES ('k', 'P', (now() AT TIME ZONE 'UTC') - interval '20 minutes')`)
	table := mapped(t, s, "jobs", "key=k,state=st,processing=P,claimed_at=at")
	if len(table.Warnings) == 0 || !strings.Contains(table.Warnings[0], "at has no zone, read as UTC") {
		t.Errorf("warnings %v", table.Warnings)
	}
	var first string
	old := time.Local
	defer func() { time.Local = old }()
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("Chicago", -6*3600), time.FixedZone("Kolkata", 5*3600+1800)} {
		time.Local = zone
		c := snapshot(t, s, table, inspect.Query{}).Claims[0]
		about(t, "age in "+zone.String(), c.Age, 20*time.Minute)
		if first == "" {
			first = c.ClaimedAt.String()
		} else if c.ClaimedAt.String() != first {
			t.Errorf("%s in %s, %s before", c.ClaimedAt, zone, first)
		}
	}
	other := mapped(t, s, "jobs", "key=k,state=st,processing=P,claimed_at=at,zone.at=America/Chicago")
	if c := snapshot(t, s, other, inspect.Query{}).Claims[0]; c.Condition != inspect.ConditionFuture {
		t.Errorf("read as Chicago time the claim is %s, want future", c.Condition)
	}
	m, _ := inspect.ParseMap("key=k,state=st,processing=P,claimed_at=at,zone.at=Mars/Olympus")
	_, err := s.Resolve(t.Context(), inspect.Target{Table: "jobs", Map: &m})
	wantFault(t, err, inspect.FaultMapping)
}

func TestR42_KeysWithControlBytes(t *testing.T) {
	exact := []string{"ok\x1b]0;PWNED\x07.txt", "\x1b]52;c;Zm9v\x07", "\x1b[2J", "a\rb", "a\nb", "a\tb", "\x7f", "\u009b2J", `back\slash`, "it's", `text:\x1b`, "\u202eabc"}
	db, s, table := recommended(t, "")
	for _, k := range exact {
		db.Exec("INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at) VALUES ($1, 'PROCESSING', $1, now() - interval '1 hour', now() - interval '50 minutes')", k)
	}
	snap := snapshot(t, s, table, inspect.Query{})
	var out bytes.Buffer
	if err := inspect.EncodeClaims(&out, inspect.ModeReadOnly, []inspect.Snapshot{snap}); err != nil {
		t.Fatal(err)
	}
	for _, r := range out.String() {
		if r != '\n' && (r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u202e') {
			t.Errorf("control character %U in the JSON", r)
		}
	}
	var doc struct {
		Claims []struct {
			Key   string            `json:"key"`
			Parts map[string]string `json:"key_parts"`
		} `json:"claims"`
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, c := range doc.Claims {
		seen[c.Parts["message_id"]] = c.Key
	}
	for _, k := range exact {
		text, ok := seen[k]
		if !ok {
			t.Errorf("key %q is not in the JSON exactly", k)
			continue
		}
		if back := key(t, table, text); back != inspect.TextKey("message_id", k) {
			t.Errorf("%q reads back as %q", text, back.Parts()[0].Value)
		}
		// Not by the byte order of the list: each by its own key, the others stay.
		p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, text)})
		r := release(t, s, table, p, &memoryAuditor{})
		if len(r.Released) != 1 || db.Int("SELECT count(*) FROM processed_messages WHERE state = 'FAILED' AND message_id = $1", k) != 1 {
			t.Errorf("release of %q: %+v", k, r)
		}
	}
}

func TestRowsThatLie(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE liars (k text, st text, own text, at timestamptz, lease timestamptz, tries int, hb timestamp, secs numeric);
 INSERT INTO liars VALUES (NULL, 'P', 'w', now() - interval '1 hour', now() - interval '1 hour', 1, NULL, NULL),
 ('inf', 'P', 'w', 'infinity', 'infinity', 1, NULL, NULL), ('-inf', 'P', 'w', '-infinity', '-infinity', 1, NULL, NULL),
 ('0001', 'P', 'w', '0001-01-01 00:00:00+00', NULL, 1, NULL, NULL), ('bc', 'P', 'w', '4713-01-01 00:00:00+00 BC', '294276-01-01 00:00:00+00', 1, NULL, NULL),
 ('9999', 'P', 'w', now() - interval '1 hour', '9999-12-31 23:59:59+00', 1, NULL, NULL), ('negative', 'P', 'w', now() - interval '1 hour', now() - interval '1 hour', -3, NULL, NULL),
 ('twice', 'P', 'w1', now() - interval '1 hour', now() - interval '1 hour', 1, NULL, NULL), ('twice', 'P', 'w2', now() - interval '1 hour', now() - interval '1 hour', 1, NULL, NULL),
 ('future', 'P', 'w', now() + interval '1 day', NULL, 1, NULL, NULL), ('none', 'P', 'w', NULL, NULL, 1, NULL, NULL),
 ('hb', 'P', 'w', now(), NULL, 1, '294270-01-01', 1e300), (repeat('x', 1000000), 'P', 'w', now() - interval '1 hour', now() - interval '1 hour', 1, NULL, NULL)`)
	table := mapped(t, s, "liars", "key=k,state=st,processing=P,free=F,owner=own,claimed_at=at,lease=lease,attempts=tries,heartbeat=hb,expires_at=secs,unit.secs=s")
	if table.UniqueKey || !strings.Contains(strings.Join(table.Warnings, "\n"), "no unique constraint") {
		t.Errorf("warnings %v", table.Warnings)
	}
	snap := snapshot(t, s, table, inspect.Query{All: true})
	if len(snap.Claims) != 13 {
		t.Errorf("%d rows listed, want 13", len(snap.Claims))
	}
	for k, want := range map[string]inspect.Condition{
		"inf": inspect.ConditionInvalidTime, "-inf": inspect.ConditionInvalidTime, "0001": inspect.ConditionInvalidTime, "bc": inspect.ConditionInvalidTime,
		"9999": inspect.ConditionHeld, "negative": inspect.ConditionStuck, "future": inspect.ConditionFuture, "none": inspect.ConditionNoLease, "hb": inspect.ConditionInvalidTime, "null:": inspect.ConditionStuck,
	} {
		if c := claimNamed(t, snap, k); c.Condition != want {
			t.Errorf("%s is %s, want %s", k, c.Condition, want)
		}
	}
	if c := claimNamed(t, snap, "inf"); c.LeaseUntil.Raw != "infinity" || c.Age.OK {
		t.Errorf("infinity is stored as %q, age %v", c.LeaseUntil.Raw, c.Age)
	}
	var out bytes.Buffer
	if err := inspect.EncodeClaims(&out, inspect.ModeReadOnly, []inspect.Snapshot{snap}); err != nil {
		t.Fatal(err)
	}
	// In bulk only those that are plain stuck; the others by their own key.
	p := plan(t, s, table, inspect.PlanRequest{Owner: inspect.Some("w")})
	var bulk []string
	for _, r := range p.Rows {
		bulk = append(bulk, r.Key.String()[:min(8, len(r.Key.String()))])
	}
	equal(t, "bulk", bulk, []string{"negative", "xxxxxxxx", "none"})
	p = plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "twice", "null:", "-inf", "0001", "future", "inf", "hb")})
	if got := reasons(p.Refused); got["twice"] != inspect.ReasonChanged || got["inf"] != inspect.ReasonLeaseRunning {
		t.Errorf("refused %+v", p.Refused)
	}
	r := release(t, s, table, p, &memoryAuditor{})
	if len(r.Released) != 5 {
		t.Errorf("released %v, skipped %+v, failed %+v", names(r.Released), r.Skipped, r.Failed)
	}
	if n := db.Int("SELECT count(*) FROM liars WHERE st = 'F'"); n != 5 {
		t.Errorf("%d rows written, want 5", n)
	}
}

func TestKeysOfAllTypes(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE multi (scope varchar(20), id uuid, n bigint, raw bytea, st smallint, locked timestamp, secs int, PRIMARY KEY (scope, id, n, raw));
 INSERT INTO multi VALUES ('a/b\c', '8B3F0C6E-0F9E-4c39-9d1e-000000000001', 9223372036854775807, '\xfe00ff', 1, (now() AT TIME ZONE 'UTC') - interval '1 hour', 60),
 ('plain', '8b3f0c6e-0f9e-4c39-9d1e-000000000002', -1, '', 1, (now() AT TIME ZONE 'UTC') - interval '1 hour', 7200)`)
	table := mapped(t, s, "multi", "key=scope+id+n+raw,state=st,processing=1,done=2,free=0,lease=locked+secs")
	snap := snapshot(t, s, table, inspect.Query{})
	want := `a\/b\\c/8b3f0c6e-0f9e-4c39-9d1e-000000000001/9223372036854775807/hex:fe00ff`
	equal(t, "stuck", keysOf(snap.Claims), []string{want})
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, want)})
	r := release(t, s, table, p, &memoryAuditor{})
	equal(t, "released", names(r.Released), []string{want})
	if got := db.Text("SELECT string_agg(st::text, ',' ORDER BY n DESC) FROM multi"); got != "0,1" {
		t.Errorf("states = %s", got)
	}
}

func TestEpochColumns(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (k text PRIMARY KEY, st text, ms bigint, us bigint);
 INSERT INTO jobs VALUES ('k', 'P', floor(extract(epoch FROM now() - interval '1 hour') * 1000), floor(extract(epoch FROM now() - interval '2 hours') * 1000000)), ('liar', 'P', 9223372036854775807, -9223372036854775808)`)
	table := mapped(t, s, "jobs", "key=k,state=st,processing=P,free=F,lease=ms,unit.ms=ms,claimed_at=us,unit.us=us")
	snap := snapshot(t, s, table, inspect.Query{})
	c := claimNamed(t, snap, "k")
	about(t, "lapsed", c.Lapsed, time.Hour)
	about(t, "age", c.Age, 2*time.Hour)
	if c := claimNamed(t, snap, "liar"); c.Condition != inspect.ConditionInvalidTime || c.LeaseUntil.Raw != "9223372036854775807" {
		t.Errorf("liar is %s, raw %q", c.Condition, c.LeaseUntil.Raw)
	}
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "k")})
	r := release(t, s, table, p, &memoryAuditor{})
	equal(t, "released", names(r.Released), []string{"k"})
}

func TestFiltersAndLimit(t *testing.T) {
	db, s, table := recommended(t, "")
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at)
 SELECT 'm' || lpad(n::text, 3, '0'), CASE WHEN n > 90 THEN 'FAILED' ELSE 'PROCESSING' END, 'w' || n % 2, now() - n * interval '1 hour', now() - n * interval '30 minutes' FROM generate_series(1, 100) n`)
	snap := snapshot(t, s, table, inspect.Query{Limit: 2, Owner: inspect.Some("w1")})
	equal(t, "list", keysOf(snap.Claims), []string{"m089", "m087"})
	if snap.Matching != (inspect.Count{Rows: 45, Exact: true}) || !snap.Summary.Truncated || snap.Summary.Claimed.Rows != 90 {
		t.Errorf("matching %+v, summary %+v", snap.Matching, snap.Summary)
	}
	snap = snapshot(t, s, table, inspect.Query{Since: snap.At.Add(-3*time.Hour - time.Minute), Until: snap.At.Add(-time.Hour - time.Minute)})
	equal(t, "between", keysOf(snap.Claims), []string{"m003", "m002"})
	snap = snapshot(t, s, table, inspect.Query{State: inspect.StateFailed, Limit: 1})
	equal(t, "failed", keysOf(snap.Claims), []string{"m091"})
	if snap.Claims[0].Verdict != inspect.VerdictNone {
		t.Errorf("verdict of a failed row: %s", snap.Claims[0].Verdict)
	}
	snap = snapshot(t, s, table, inspect.Query{Key: inspect.Some(key(t, table, "m095"))})
	if len(snap.Claims) != 0 && snap.Claims[0].State != inspect.StateFailed {
		t.Errorf("by key: %v", snap.Claims)
	}
}

func TestRenewedSinceTheLastLook(t *testing.T) {
	db, s, table := recommended(t, "('k', 'PROCESSING', 'w1', "+lapsed+"), ('q', 'PROCESSING', 'w2', "+lapsed+")")
	first := snapshot(t, s, table, inspect.Query{})
	db.Exec("UPDATE processed_messages SET lease_expires_at = now() - interval '1 second' WHERE message_id = 'k'")
	second := snapshot(t, s, table, inspect.Query{Before: first.Seen})
	if k, q := claimNamed(t, second, "k"), claimNamed(t, second, "q"); k.Verdict != inspect.VerdictAlive || q.Verdict != inspect.VerdictCannotTell {
		t.Errorf("k %s %v, q %s", k.Verdict, k.Evidence, q.Verdict)
	}
}

func TestR31_ClaimsOfOneFailoverBelongTogether(t *testing.T) {
	db, s, _ := recommended(t, "")
	db.Exec(`CREATE TABLE jobs (k text PRIMARY KEY, st text, own text, hb timestamptz);
 INSERT INTO jobs SELECT 'k' || n, 'P', 'w' || n % 4, now() - interval '29 minutes' + n * interval '100 milliseconds' FROM generate_series(1, 12) n;
 INSERT INTO jobs VALUES ('beats', 'P', 'w9', now())`)
	table := mapped(t, s, "jobs", "key=k,state=st,processing=P,owner=own,heartbeat=hb,heartbeat_every=10s")
	snap := snapshot(t, s, table, inspect.Query{All: true})
	if notes := strings.Join(snap.Notes, "\n"); !strings.Contains(notes, "12 claims belong together: 4 of 5 owners fell silent within 5s") {
		t.Errorf("notes %s", notes)
	}
	for _, c := range snap.Claims {
		want := inspect.VerdictCannotTell
		if c.Key.String() == "beats" {
			want = inspect.VerdictAlive
		}
		if c.Verdict != want {
			t.Errorf("%s is %s", c.Key, c.Verdict)
		}
	}
}

// The rows of a failover: each was last written in the minute in which the
// database went away, wherever its lease stands; what the workers do shows
// elsewhere.
func TestR31_WhatAFailoverStoppedIsOneGroup(t *testing.T) {
	const fill = `SELECT 'k' || n, 'PROCESSING', 'w' || n %% 4, now() - interval '40 minutes' - n * interval '3 minutes', %s, now() - interval '29 minutes' + n * interval '4 seconds' FROM generate_series(1, 12) n`
	const columns = "(message_id, state, owner, claimed_at, lease_expires_at, updated_at)"
	db, s, table := recommended(t, "")
	db.Exec("INSERT INTO processed_messages " + columns + " " + fmt.Sprintf(fill, "now() - n * interval '1 minute'"))
	db.Exec("INSERT INTO processed_messages " + columns + " VALUES ('old', 'PROCESSING', 'w9', now() - interval '3 days', now() - interval '3 days', now() - interval '3 days'), ('at work', 'PROCESSING', 'w8', now(), now() + interval '1 hour', now())")
	for _, single := range []bool{false, true} {
		snap := snapshot(t, s, table, inspect.Query{All: true, Single: single, Limit: 5})
		if touched := snap.Touched.V; touched.Claims != 12 || touched.Owners != 4 || touched.Alive != 0 || touched.To.Sub(touched.From) != 44*time.Second {
			t.Errorf("single %t: %+v", single, snap.Touched)
		}
		if notes := strings.Join(snap.Notes, "\n"); !regexp.MustCompile(`12 claims last touched \S+( \S+)? to \S+( \S+)? by 4 owners: one event, the end of a host or a failover of the database`).MatchString(notes) {
			t.Errorf("notes %s", notes)
		}
	}
	db.Exec(`CREATE TABLE jobs (id text PRIMARY KEY, st text, own text, at timestamptz); CREATE TABLE workers (name text PRIMARY KEY, beat timestamptz);
 INSERT INTO jobs SELECT 'k' || n, 'P', 'w' || n % 4, now() - interval '29 minutes' + n * interval '4 seconds' FROM generate_series(1, 12) n;
 INSERT INTO workers SELECT 'w' || n, now() FROM generate_series(0, 3) n`)
	jobs := mapped(t, s, "jobs", "key=id,state=st,processing=P,owner=own,claimed_at=at")
	jobs.Mapping.Heartbeat = inspect.HeartbeatBinding{Every: 10 * time.Second, Join: &inspect.HeartbeatJoin{Schema: "public", Table: "workers", Key: "name", Column: "beat"}}
	workers := mapped(t, s, "workers", "key=name,processing=beat!null")
	jobs.Joined = &workers
	snap := snapshot(t, s, jobs, inspect.Query{All: true})
	if touched := snap.Touched.V; touched.Claims != 12 || touched.Alive != 12 || snap.Summary.LikelyDead != 0 {
		t.Errorf("with heartbeats elsewhere: %+v, %d likely dead", snap.Touched, snap.Summary.LikelyDead)
	}
	if notes := strings.Join(snap.Notes, "\n"); !strings.Contains(notes, "12 of them belong to live workers") {
		t.Errorf("notes %s", notes)
	}
}

func TestAnEmptyListSaysWhy(t *testing.T) {
	db, s, table := recommended(t, "")
	why := func() string { return strings.Join(snapshot(t, s, table, inspect.Query{}).Notes, "\n") }
	if got := why(); got != "nothing is claimed" {
		t.Errorf("empty table: %s", got)
	}
	db.Exec("INSERT INTO processed_messages (message_id, state, lease_expires_at) VALUES ('a', 'PROCESSING', now() + interval '90 seconds'), ('f', 'FAILED', NULL)")
	if got := why(); !strings.HasPrefix(got, "1 claim, all held; the first lease ends in 1m") || !strings.HasSuffix(got, "; 1 row FAILED that nobody has claimed again") {
		t.Errorf("all held: %s", got)
	}
}

// Leftovers are the longest lapsed: where they alone would fill a list, the incident
// keeps its place in it, in the same order.
func TestLimitLeavesLeftoversOutFirst(t *testing.T) {
	_, s, table := recommended(t, "('old1', 'PROCESSING', 'w1', now() - interval '9 days', now() - interval '9 days' + interval '1 minute', NULL), "+
		"('old2', 'PROCESSING', 'w1', now() - interval '8 days', now() - interval '8 days' + interval '1 minute', NULL), "+
		"('pay1', 'PROCESSING', 'w2', now() - interval '1 hour', now() - interval '50 minutes', NULL), ('pay2', 'PROCESSING', 'w2', now() - interval '59 minutes', now() - interval '49 minutes', NULL)")
	for _, c := range []struct {
		last  bool
		limit int
		want  string
	}{{false, 2, "[old1 old2]"}, {true, 1, "[pay1]"}, {true, 2, "[pay1 pay2]"}, {true, 3, "[old2 pay1 pay2]"}, {true, 4, "[old1 old2 pay1 pay2]"}} {
		snap := snapshot(t, s, table, inspect.Query{Limit: c.limit, LeftoversLast: c.last})
		var keys []string
		for _, claim := range snap.Claims {
			keys = append(keys, claim.Key.String())
		}
		if got := fmt.Sprint(keys); got != c.want || snap.Matching.Rows != 4 || snap.Incident.Older.Claims != 2 {
			t.Errorf("limit %d, leftovers last %v: %s of %d, want %s", c.limit, c.last, got, snap.Matching.Rows, c.want)
		}
	}
}
