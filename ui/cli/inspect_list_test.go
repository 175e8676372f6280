package cli

import (
	"strings"
	"testing"
	"time"

	"idemtui/inspect"
	"idemtui/ui/triage"
)

// at is the database's clock of these tests.
var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// judged is a PROCESSING claim of the age and the lease given (0: no lease).
func judged(key string, age, leaseLeft time.Duration) inspect.Claim {
	c := inspect.Claim{
		Database: "payments@db-1:5432", Key: inspect.TextKey("message_id", key), State: inspect.StateProcessing, RawState: "PROCESSING",
		ClaimedAt: inspect.At(at.Add(-age)), Age: inspect.Some(age), Condition: inspect.ConditionStuck, Verdict: inspect.VerdictCannotTell,
		Evidence: []inspect.Evidence{{Rung: inspect.RungAge, For: inspect.ForNeither, Text: "nothing else is known"}},
	}
	switch {
	case leaseLeft > 0:
		c.LeaseUntil = inspect.At(at.Add(leaseLeft))
		c.Condition, c.Verdict = inspect.ConditionHeld, inspect.VerdictAlive
	case leaseLeft < 0:
		c.LeaseUntil, c.Lapsed = inspect.At(at.Add(leaseLeft)), inspect.Some(-leaseLeft)
	}
	return c
}

func listed(flags *listFlags, claims ...inspect.Claim) *listing {
	s := inspect.Snapshot{
		Database: inspect.Database{ID: "payments@db-1:5432", Engine: "postgres"}, At: at,
		Table:   inspect.Table{Schema: "public", Name: "inbox", Mapping: inspect.Mapping{Kind: inspect.KindStateLease, Verified: true}},
		Summary: inspect.Summarise(claims), Claims: claims, Matching: inspect.Count{Rows: int64(len(claims)), Exact: true},
	}
	return &listing{all: []inspect.Snapshot{s}, living: []inspect.Snapshot{s}, mode: inspect.ModeReadOnly, flags: flags}
}

// R5: the header that people write by hand first.
func TestR5_SummaryLine(t *testing.T) {
	day := 24 * time.Hour
	var claims []inspect.Claim
	for _, age := range []time.Duration{
		2 * time.Minute, 10 * time.Minute, 59 * time.Minute, 61 * time.Minute, 3 * time.Hour, 5*time.Hour + 59*time.Minute,
		6*time.Hour + time.Minute, day, 2 * day, 91 * day,
	} {
		claims = append(claims, judged("k", age, -time.Second))
	}
	got := summaryLine(inspect.Summarise(claims))
	want := "10 stuck of 10 claimed · oldest 91d · median 4h29m30s · over 1 h: 7 · over 6 h: 4 · likely dead 0 · alive 0 · cannot tell 10"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestListRowsSayAgeLeaseAndVerdict(t *testing.T) {
	a, _ := newTestApp(t, nil)
	noLease := judged("pay#17", 47*time.Minute+30*time.Second, 0)
	noLease.Notes = []string{"no lease: nothing frees this before the record expires, in 23h12m30s"}
	listed(&listFlags{all: true}, noLease, judged("pay#18", 10*time.Second, 20*time.Second), judged("pay#20", time.Hour, -time.Minute)).printTable(a)
	for _, want := range []string{
		"payments@db-1:5432   public.inbox   mapped by hand   READ-ONLY   as of 2026-03-01 12:00:00Z\n",
		"pay#17  -       47m30s  no lease    -  ? CANNOT TELL  nothing else is known; no lease: nothing frees this",
		"pay#18  -          10s    in 20s    -  ● ALIVE",
		"pay#20  -           1h     1m00s    -  ? CANNOT TELL",
	} {
		if !strings.Contains(a.out.String(), want) {
			t.Errorf("no %q in\n%s", want, &a.out)
		}
	}
}

func TestEmptyListSaysWhy(t *testing.T) {
	held := judged("a", time.Minute, time.Hour)
	for name, c := range map[string]struct {
		flags  listFlags
		claims []inspect.Claim
		hides  bool
		want   string
	}{
		"nothing claimed":    {listFlags{}, nil, false, "no claim is stuck: no row is PROCESSING"},
		"all held":           {listFlags{}, []inspect.Claim{held}, false, "no claim is stuck: of 1 claimed, 1 held; --all lists them"},
		"a filter":           {listFlags{owner: "w"}, []inspect.Claim{held}, false, "no claim matches the filters"},
		"row-level security": {listFlags{}, nil, true, "row-level security may hide"},
	} {
		l := listed(&c.flags, c.claims...)
		l.living[0].Table.RowSecurity = c.hides
		if got := l.emptyLine(l.living[0]); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestMarkdownIsShortAndIsNoMarkup(t *testing.T) {
	a, _ := newTestApp(t, nil)
	var claims []inspect.Claim
	for range 60 {
		claims = append(claims, judged("<b>*a|b`[x](y)\x1b[2J", time.Hour, 0))
	}
	listed(&listFlags{}, claims...).printMarkdown(a)
	got := a.out.String()
	if lines := strings.Count(got, "\n"); lines > markdownLines {
		t.Errorf("%d lines, more than %d:\n%s", lines, markdownLines, got)
	}
	if !strings.HasPrefix(got, "**60 stuck of 60 claimed") {
		t.Errorf("the verdict is not first:\n%s", got)
	}
	for _, want := range []string{"Assumed: stuck from an age of 15m00s", `&lt;b>\*a\|b`, "and 43 more"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\x1b") {
		t.Error("an escape byte got through")
	}
}

func TestCSVHasTheScalarFieldsInOrder(t *testing.T) {
	a, _ := newTestApp(t, nil)
	c := judged("a,b", time.Hour, -90*time.Second)
	c.Owner, c.Token, c.Attempts = inspect.Some("w\x1b[2J"), inspect.Some("9007199254740993"), inspect.Some(int64(3))
	if err := listed(&listFlags{}, c).print(a, formatCSV); err != nil {
		t.Fatal(err)
	}
	want := strings.Join(claimColumns, ",") + "\n" +
		`payments@db-1:5432,"a,b",processing,PROCESSING,w\x1b[2J,9007199254740993,3,2026-03-01T11:00:00.000000Z,` +
		"2026-03-01T11:58:30.000000Z,,,,,3600,90,stuck,cannot-tell,\n"
	if got := a.out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestReleaseFlags(t *testing.T) {
	root := newRootCommand(&app{getenv: func(string) string { return "" }})
	cmd, _, err := root.Find([]string{"inspect", "release"})
	if err != nil {
		t.Fatal(err)
	}
	table := inspect.Table{Mapping: inspect.Mapping{Verified: true}}
	rows := inspect.Plan{Rows: make([]inspect.PlannedRow, 3)}
	for name, c := range map[string]struct {
		flags releaseFlags
		keys  []string
		bulk  bool
		want  string
	}{
		"nothing named":          {releaseFlags{}, nil, false, "nothing is named"},
		"two selectors":          {releaseFlags{owner: "w"}, []string{"a"}, false, "exclude each other"},
		"yes without reason":     {releaseFlags{yes: true, reason: "  "}, []string{"a"}, false, "--yes needs --reason"},
		"bulk without plan":      {releaseFlags{yes: true, reason: "x", allLikelyDead: true}, nil, true, "needs a plan"},
		"override of two":        {releaseFlags{overrideLease: true}, []string{"a", "b"}, false, "one key at a time"},
		"bulk without max":       {releaseFlags{yes: true, reason: "x", plan: "p"}, nil, true, "--max 3"},
		"max below the count":    {releaseFlags{yes: true, reason: "x", plan: "p", most: 2}, nil, true, "allows 2"},
		"max of the count":       {releaseFlags{yes: true, reason: "x", plan: "p", most: 3}, nil, true, ""},
		"keys need no max":       {releaseFlags{yes: true, reason: "x"}, []string{"a", "b", "c"}, false, ""},
		"max bounds keys too":    {releaseFlags{yes: true, reason: "x", most: 1}, []string{"a", "b", "c"}, false, "allows 1"},
		"a bad rate":             {releaseFlags{rate: "fast"}, []string{"a"}, false, "--rate"},
		"a rate":                 {releaseFlags{rate: "20/s"}, []string{"a"}, false, ""},
		"a mode that is no mode": {releaseFlags{mode: "explode"}, []string{"a"}, false, "no release mode"},
	} {
		if c.flags.mode == "" {
			c.flags.mode = string(inspect.ReleaseAuto)
		}
		err := c.flags.check(cmd, c.keys)
		if err == nil {
			err = c.flags.permit(table, rows, c.bulk)
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	unverified := inspect.Table{Mapping: inspect.Mapping{Profile: "somebody's"}}
	if err := (&releaseFlags{}).permit(unverified, rows, false); err == nil {
		t.Error("an unverified profile is released without --allow-unverified")
	}
}

// A look that stopped early counted among some of the claimed rows.
func TestR34_CountsOfAShortLookAreNotExact(t *testing.T) {
	summary := inspect.Summary{Claimed: inspect.Count{Rows: 12500, Exact: true}, Stuck: 10000, CannotTell: 10000, LookCut: true}
	got := summaryLine(summary)
	for _, want := range []string{"~10,000 stuck of 12,500 claimed", "cannot tell ~10,000", "alive unknown"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	s := inspect.Snapshot{Summary: summary, Matching: inspect.Count{Rows: 10000}}
	if got := triage.MatchingText(s); got != "at least 10,000" {
		t.Errorf("matching %q", got)
	}
}
