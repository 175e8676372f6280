package retention

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// seconds is a known length for tests.
func seconds(n int64) Given {
	return Given{Length: Millis(n) * Second, Known: true, Source: "test"}
}

// life is a bounded source life made from seconds.
func life(parts ...int64) Life {
	l := Life{Source: "test"}
	for i, n := range parts {
		l.Parts = append(l.Parts, Part{Name: fmt.Sprint("part ", i), Length: Millis(n) * Second})
	}
	return l
}

// example is one worked example: a path, the table, and what must come out.
type example struct {
	path      Path
	table     Table
	margin    Margin
	required  int64 // seconds; -1 for unbounded
	reachable int64
	verdict   Verdict
	short     int64
	safe      int64
	codes     []Code
}

func (e example) check(t *testing.T) Report {
	t.Helper()
	if !e.path.Downtime.Known {
		e.path.Downtime = seconds(0)
	}
	r, err := Evaluate(Policy{Paths: []Path{e.path}, Table: e.table, Margin: e.margin})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != e.verdict {
		t.Errorf("verdict %s, want %s", r.Verdict, e.verdict)
	}
	checkSeconds(t, "required", r.RequiredSeconds, e.required)
	checkSeconds(t, "reachable", r.ReachableSeconds, e.reachable)
	if e.required >= 0 {
		checkSeconds(t, "short by", r.ShortBySeconds, e.short)
		checkSeconds(t, "safe by", r.SafeBySeconds, e.safe)
		checkTerms(t, r)
	}
	var codes []Code
	for _, w := range r.Warnings {
		codes = append(codes, w.Code)
	}
	if !slices.Equal(codes, e.codes) {
		t.Errorf("warnings %v, want %v", codes, e.codes)
	}
	return r
}

func checkSeconds(t *testing.T, name string, got *Millis, want int64) {
	t.Helper()
	switch {
	case want < 0 && got != nil:
		t.Errorf("%s is %s, want null", name, got.Seconds())
	case want >= 0 && got == nil:
		t.Errorf("%s is null, want %d", name, want)
	case want >= 0 && *got != Millis(want)*Second:
		t.Errorf("%s is %s, want %d", name, got.Seconds(), want)
	}
}

// checkTerms says that the terms add up to what is required.
func checkTerms(t *testing.T, r Report) {
	t.Helper()
	sum := Millis(0)
	for _, term := range r.Terms {
		sum += *term.Seconds
	}
	if up, _ := sum.upToSecond(); up != *r.RequiredSeconds {
		t.Errorf("the terms add up to %s, and %s is required", sum.Seconds(), r.RequiredSeconds.Seconds())
	}
}

func mustRetry(t *testing.T, text string) []Retry {
	t.Helper()
	r, err := ParseRetry(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The worked examples give the source's life directly: each broker's formula is
// the business of that broker's package.

func TestG1_StockKafka39(t *testing.T) {
	example{
		path:  Path{Life: life(604800, 604800, 0, 300), Hold: seconds(300)},
		table: Table{Retention: seconds(604800)}, required: 1210200, reachable: 1210200, verdict: Unsafe, short: 605400,
	}.check(t)
}

func TestG2_StockKafka4WithSpringRetries(t *testing.T) {
	r := example{
		path: Path{
			Life: life(604800, 604800, 3600, 300), Hold: seconds(300), Downtime: seconds(2 * 86400),
			Retries: mustRetry(t, "exponential:1s,x2,attempts=5"),
		},
		table: Table{Retention: seconds(1209600)}, required: 1387815, reachable: 1387815, verdict: Unsafe, short: 178215,
	}.check(t)
	for i, want := range []string{"604800 + 604800 + 3600 + 300 = 1213500", "5 x 300 = 1500", "1 + 2 + 4 + 8 = 15", "172800", "0"} {
		if got := r.Terms[i].Arithmetic; got != want {
			t.Errorf("arithmetic of %s is %q, want %q", r.Terms[i].Name, got, want)
		}
	}
}

func g3() Path {
	return Path{Life: life(259200, 3600, 300), Hold: seconds(300), Downtime: seconds(86400)}
}

func TestG3_SafeByTheRule(t *testing.T) {
	example{path: g3(), table: Table{Retention: seconds(432000)}, required: 349800, reachable: 263400, verdict: Safe, safe: 82200}.check(t)
}

func TestG4_TightBecauseTheDowntimeLiesInsideTheLog(t *testing.T) {
	r := example{path: g3(), table: Table{Retention: seconds(302400)}, required: 349800, reachable: 263400, verdict: Tight, short: 47400}.check(t)
	if over := *r.HaveSeconds - *r.ReachableSeconds; over != 39000*Second {
		t.Errorf("%s over the reachable bound, want 39000", over.Seconds())
	}
}

// Equal to the rule is not safe either.
func TestEqualToTheRuleIsTight(t *testing.T) {
	r := example{
		path: g3(), table: Table{Retention: seconds(349800)}, required: 349800, reachable: 263400, verdict: Tight,
		codes: []Code{CodeMustBeStrictlyLonger},
	}.check(t)
	if !strings.Contains(r.Headline(), "exactly the 4d1h10m that the rule asks") {
		t.Errorf("headline %q", r.Headline())
	}
}

func TestG5_UnboundedWithAnEstimate(t *testing.T) {
	r := example{
		path: Path{Hold: seconds(300), Life: Life{
			Unbounded: true, Cure: "retention.ms would bound it",
			Assumed: &Assumption{Length: 236224 * Second, Text: "50000 bytes a second and partition"},
		}},
		table: Table{Retention: seconds(604800)}, required: -1, reachable: -1, verdict: Unbounded,
	}.check(t)
	checkSeconds(t, "assumed", r.AssumedSeconds, 236224)
	if !strings.Contains(r.Headline(), "retention.ms would bound it") {
		t.Errorf("the headline does not say what would bound it: %s", r.Headline())
	}
}

func TestG6_Compacted(t *testing.T) {
	r := example{
		path: Path{Life: Life{Unbounded: true}}, table: Table{Retention: seconds(2592000)},
		required: -1, reachable: -1, verdict: Unbounded,
	}.check(t)
	checkSeconds(t, "assumed", r.AssumedSeconds, -1)
}

func TestG7_CompactAndDelete(t *testing.T) {
	example{
		path:  Path{Life: life(86400, 604800, 3600, 300), Hold: seconds(300)},
		table: Table{Retention: seconds(604800)}, required: 695400, reachable: 695400, verdict: Unsafe, short: 90600,
	}.check(t)
}

func TestG8_Tiered(t *testing.T) {
	example{
		path:  Path{Life: life(2592000, 86400, 300), Hold: seconds(300)},
		table: Table{Retention: seconds(2678400)}, required: 2679000, reachable: 2679000, verdict: Unsafe, short: 600,
	}.check(t)
}

func TestG9_QueueWithoutDeadLetters(t *testing.T) {
	example{
		path:  Path{Life: life(345600), Hold: seconds(30), Downtime: seconds(86400)},
		table: Table{Retention: seconds(345600)}, required: 432030, reachable: 345630, verdict: Unsafe, short: 86430,
	}.check(t)
}

func TestG10_OneRedriveOfAStandardQueue(t *testing.T) {
	r := example{
		path:  Path{Life: life(345600), Redrives: Redrives{Count: 1, Cycle: 1209600 * Second}, Hold: seconds(30)},
		table: Table{Retention: seconds(1209600)}, required: 1555230, reachable: 1555230, verdict: Unsafe, short: 345630,
		codes: []Code{CodeRedriveResetsClock},
	}.check(t)
	if want := "1 x 1209600 + 345600 = 1555200"; r.Terms[0].Arithmetic != want {
		t.Errorf("arithmetic %q, want %q", r.Terms[0].Arithmetic, want)
	}
}

func TestG11_OneRedriveOfAFIFOQueue(t *testing.T) {
	example{
		path:  Path{Life: life(345600), Redrives: Redrives{Count: 1, Cycle: (345600 + 345600) * Second}, Hold: seconds(30)},
		table: Table{Retention: seconds(1036800)}, required: 1036830, reachable: 1036830, verdict: Unsafe, short: 30,
		codes: []Code{CodeRedriveResetsClock},
	}.check(t)
}

func TestG12_StreamWithMaxAge(t *testing.T) {
	example{
		path:  Path{Life: life(259200), Hold: seconds(30), Downtime: seconds(21600)},
		table: Table{Retention: seconds(345600)}, required: 280830, reachable: 259230, verdict: Safe, safe: 64770,
	}.check(t)
}

func TestG13_StreamWithoutMaxAge(t *testing.T) {
	example{path: Path{Life: Life{Unbounded: true}}, table: Table{Retention: seconds(2592000)}, required: -1, reachable: -1, verdict: Unbounded}.check(t)
}

func TestG14_RetryLoopAsLife(t *testing.T) {
	l := life(12840)
	l.Arithmetic = "6 x (30 + 1800 + 5) + (30 + 1800)"
	r := example{
		path: Path{Life: l, Downtime: seconds(3600)}, table: Table{Retention: seconds(21600)},
		required: 16440, reachable: 12840, verdict: Safe, safe: 5160,
	}.check(t)
	if want := "6 x (30 + 1800 + 5) + (30 + 1800)"; r.Terms[0].Arithmetic != want {
		t.Errorf("arithmetic %q, want %q", r.Terms[0].Arithmetic, want)
	}
}

func TestG15_NoTTLWithADeliveryLimit(t *testing.T) {
	r := example{
		path: Path{Downtime: seconds(2 * 86400), Life: Life{
			Unbounded: true, Assumed: &Assumption{Length: 211860 * Second, Text: "(20+1) x (1800+60) + 172800"},
		}},
		table: Table{Retention: seconds(604800)}, required: -1, reachable: -1, verdict: Unbounded,
	}.check(t)
	checkSeconds(t, "assumed", r.AssumedSeconds, 211860)
}

func TestG16_EqualIsNotSafe(t *testing.T) {
	example{
		path: Path{Life: life(259200)}, table: Table{Retention: seconds(259200)},
		required: 259200, reachable: 259200, verdict: Unsafe, codes: []Code{CodeMustBeStrictlyLonger},
	}.check(t)
}

func TestG17_CommittedReplay(t *testing.T) {
	r := example{
		path: Path{
			Life: life(1209900), Replay: ReplayCommitted, Reach: seconds(5), Hold: seconds(300), Downtime: seconds(36 * 3600),
			Offsets: &Offsets{Retention: 10080 * 60 * Second},
		},
		table: Table{Retention: seconds(172800)}, required: 129905, reachable: 129905, verdict: Safe, safe: 42895,
	}.check(t)
	if want := "min(1209900, 5 + 129600) = 129605"; r.Terms[0].Arithmetic != want {
		t.Errorf("arithmetic %q, want %q", r.Terms[0].Arithmetic, want)
	}
}

func TestG18_PartitionsKeptIncludingTheCurrentOne(t *testing.T) {
	example{
		path: Path{Life: life(518400), Hold: seconds(30)}, table: Table{Purge: PurgePartitions, Keep: 7, Width: 86400 * Second},
		required: 518430, reachable: 518430, verdict: Unsafe, short: 30,
	}.check(t)
}

func TestG19_DeadLettersShorterThanTheSource(t *testing.T) {
	example{
		path:  Path{Life: life(1209600), Redrives: Redrives{Count: 1, Cycle: 345600 * Second}, Hold: seconds(30)},
		table: Table{Retention: seconds(1555200)}, required: 1555230, reachable: 1555230, verdict: Unsafe, short: 30,
		codes: []Code{CodeRedriveResetsClock},
	}.check(t)
}

func TestG20_RetryTopicsShorterThanTheirDelay(t *testing.T) {
	retries := mustRetry(t, "exponential:60s,x2,max=3600s,attempts=10,jitter=0.5")
	kept := 3600 * Second
	retries[0].HopRetention = &kept
	r := example{
		path:  Path{Life: life(86400, 3600, 300), Hold: seconds(300), Downtime: seconds(43200), Retries: retries},
		table: Table{Retention: seconds(172800)}, required: 158370, reachable: 158370, verdict: Safe, safe: 14430,
		codes: []Code{CodeHopExpiresBeforeDelay, CodeHopShorterThanDowntime},
	}.check(t)
	if want := "(60 + 120 + 240 + 480 + 960 + 1920 + 3600 x 3) x 1.5 = 21870"; r.Terms[2].Arithmetic != want {
		t.Errorf("arithmetic %q, want %q", r.Terms[2].Arithmetic, want)
	}
}

func TestR20_OffsetsForgottenOverAWeekend(t *testing.T) {
	path := Path{
		Life: life(168 * 3600), Replay: ReplayCommitted, Reach: seconds(0), Downtime: seconds(62 * 3600),
		Offsets: &Offsets{Retention: 24 * 3600 * Second, Earliest: true},
	}
	example{
		path: path, table: Table{Retention: seconds(48 * 3600)}, required: 230 * 3600, reachable: 168 * 3600,
		verdict: Unsafe, short: 182 * 3600, codes: []Code{CodeOffsetsExpire},
	}.check(t)
	// More than the log's 168 h is needed; the downtime lies inside the log.
	example{
		path: path, table: Table{Retention: seconds(168 * 3600)}, required: 230 * 3600, reachable: 168 * 3600,
		verdict: Unsafe, short: 62 * 3600, codes: []Code{CodeOffsetsExpire},
	}.check(t)
	example{
		path: path, table: Table{Retention: seconds(168*3600 + 1)}, required: 230 * 3600, reachable: 168 * 3600,
		verdict: Tight, short: 62*3600 - 1, codes: []Code{CodeOffsetsExpire},
	}.check(t)
	// Offsets that outlive the weekend: nothing is replayed but the last work.
	path.Offsets = &Offsets{Retention: 168 * 3600 * Second, Earliest: true}
	example{
		path: path, table: Table{Retention: seconds(63 * 3600)}, required: 62 * 3600, reachable: 62 * 3600, verdict: Safe, safe: 3600,
	}.check(t)
	// With reset to the latest message the same gap loses messages and replays none.
	path.Offsets = &Offsets{Retention: 24 * 3600 * Second}
	example{
		path: path, table: Table{Retention: seconds(63 * 3600)}, required: 62 * 3600, reachable: 62 * 3600, verdict: Safe, safe: 3600,
		codes: []Code{CodeOffsetsExpire},
	}.check(t)
}

func TestStripePair(t *testing.T) {
	automatic := Path{Name: "automatic", Life: life(259200), Downtime: seconds(0)}
	resend := Path{Name: "manual resend", Life: life(2592000), Downtime: seconds(0)}
	table := Table{Retention: seconds(7 * 86400)}
	r, err := Evaluate(Policy{Paths: []Path{automatic, resend}, Table: table})
	if err != nil {
		t.Fatal(err)
	}
	checkSeconds(t, "required", r.RequiredSeconds, 2592000)
	checkSeconds(t, "short by", r.ShortBySeconds, 1987200)
	if r.Verdict != Unsafe || len(r.Sources) != 2 {
		t.Errorf("with resend: %s, %d sources, want unsafe and 2", r.Verdict, len(r.Sources))
	}
	example{path: automatic, table: table, required: 259200, reachable: 259200, verdict: Safe, safe: 345600}.check(t)
}

func TestMissingDowntimeIsNeverSafeNorTight(t *testing.T) {
	for _, c := range []struct {
		have int64
		want Verdict
	}{{1000, Unsafe}, {1001, Unknown}, {1_000_000, Unknown}} {
		r, err := Evaluate(Policy{Paths: []Path{{Life: life(1000)}}, Table: Table{Retention: seconds(c.have)}})
		if err != nil || r.Verdict != c.want || !slices.Equal(r.Missing, []string{MissingDowntime}) {
			t.Errorf("have %d: %s, missing %v, %v; want %s, missing the downtime", c.have, r.Verdict, r.Missing, err, c.want)
		}
		checkSeconds(t, "required", r.RequiredSeconds, 1000)
	}
	r, err := Evaluate(Policy{Paths: []Path{{Life: Life{Unbounded: true}}}, Table: Table{Retention: seconds(1)}})
	if err != nil || r.Verdict != Unbounded {
		t.Errorf("unbounded without a downtime: %s, %v", r.Verdict, err)
	}
}

func TestMissingRetentionIsUnknown(t *testing.T) {
	r, err := Evaluate(Policy{Paths: []Path{{Life: life(1000), Downtime: seconds(0)}}})
	if err != nil || r.Verdict != Unknown || !slices.Equal(r.Missing, []string{MissingRetention}) || r.HaveSeconds != nil {
		t.Errorf("%s, missing %v, %v", r.Verdict, r.Missing, err)
	}
	if want := "UNKNOWN: dedup-retention not given; ids must be kept longer than 16m40s."; r.Headline() != want {
		t.Errorf("headline %q, want %q", r.Headline(), want)
	}
	r, err = Evaluate(Policy{Paths: []Path{{Life: life(1000), Downtime: seconds(0)}}, Table: Table{Retention: seconds(9000), MayEvict: true}})
	if err != nil || r.Verdict != Unknown || !slices.Equal(r.Missing, []string{MissingGuarantee}) {
		t.Errorf("a store that may evict: %s, missing %v, %v", r.Verdict, r.Missing, err)
	}
}

func TestMargin(t *testing.T) {
	percent, err := ParseMargin("12.5%")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		margin Margin
		want   int64
	}{{Margin{Length: MillisOf(2 * time.Hour)}, 1001 + 7200}, {percent, 1127}, {Margin{}, 1001}} {
		// 1001 x 1.125 = 1126.125, rounded up.
		example{
			path: Path{Life: life(1001)}, margin: c.margin, table: Table{Retention: seconds(1)},
			required: c.want, reachable: 1001, verdict: Unsafe, short: c.want - 1,
		}.checkRequired(t)
	}
	for _, bad := range []string{"", "10", "x%", "-5%", "1.00001%", "2000%", "%"} {
		if m, err := ParseMargin(bad); err == nil {
			t.Errorf("ParseMargin(%q) = %v, want an error", bad, m)
		}
	}
}

// checkRequired compares the two bounds only.
func (e example) checkRequired(t *testing.T) {
	t.Helper()
	e.path.Downtime = seconds(0)
	r, err := Evaluate(Policy{Paths: []Path{e.path}, Table: e.table, Margin: e.margin})
	if err != nil {
		t.Fatal(err)
	}
	checkSeconds(t, "required", r.RequiredSeconds, e.required)
	checkSeconds(t, "reachable", r.ReachableSeconds, e.reachable)
}
