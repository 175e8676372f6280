package retention

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawPath draws a bounded path.
func drawPath(t *rapid.T) Path {
	length := func(name string) Given {
		return Given{Length: Millis(rapid.Int64Range(0, 5_000_000).Draw(t, name)), Known: true}
	}
	p := Path{
		Life:     Life{Parts: []Part{{"life", length("life").Length}}},
		Replay:   Replay(rapid.IntRange(0, 2).Draw(t, "replay")),
		Reach:    length("reach"),
		Downtime: length("downtime"),
		Hold:     length("hold"),
	}
	if rapid.Bool().Draw(t, "retries") {
		p.Retries = []Retry{{First: 1e9, Multiplier: 2 * million, Attempts: rapid.Int64Range(1, 6).Draw(t, "attempts")}}
	}
	return p
}

func TestLawsOfTheVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := Policy{
			Paths:  []Path{drawPath(t), drawPath(t)},
			Table:  Table{Retention: Given{Length: Millis(rapid.Int64Range(0, 40_000_000).Draw(t, "have")), Known: true}},
			Margin: Margin{Length: Millis(rapid.Int64Range(0, 9999).Draw(t, "margin"))},
		}
		r, err := Evaluate(policy)
		if err != nil {
			t.Fatal(err)
		}
		have, required, reachable := *r.HaveSeconds, *r.RequiredSeconds, *r.ReachableSeconds
		if reachable > required || required%Second != 0 || reachable%Second != 0 {
			t.Fatalf("reachable %s, required %s", reachable.Seconds(), required.Seconds())
		}
		want := Tight
		switch {
		case have > required:
			want = Safe
		case have <= reachable:
			want = Unsafe
		}
		if r.Verdict != want || *r.ShortBySeconds != max(0, required-have) || *r.SafeBySeconds != max(0, have-required) {
			t.Fatalf("have %d, required %d, reachable %d: %s", have, required, reachable, r.Verdict)
		}
		// The largest source decides, and the terms are its own.
		for _, path := range policy.Paths {
			alone, err := Evaluate(Policy{Paths: []Path{path}, Table: policy.Table, Margin: policy.Margin})
			if err != nil || *alone.RequiredSeconds > required || *alone.ReachableSeconds > reachable {
				t.Fatalf("a source alone requires more: %v", err)
			}
		}
		// A longer downtime never requires less.
		policy.Paths[0].Downtime.Length += 1000
		longer, err := Evaluate(policy)
		if err != nil || *longer.RequiredSeconds < required {
			t.Fatalf("a longer downtime requires less: %v", err)
		}
	})
}

func TestKept(t *testing.T) {
	day := 86400 * Second
	ptr := func(m Millis) *Millis { return &m }
	for name, c := range map[string]struct {
		table Table
		want  Millis
		known bool
		code  Code
	}{
		"delete":                {Table{Retention: seconds(86400)}, day, true, ""},
		"partitions":            {Table{Purge: PurgePartitions, Keep: 7, Width: day}, 6 * day, true, ""},
		"one partition":         {Table{Purge: PurgePartitions, Keep: 1, Width: day}, 0, true, ""},
		"event time":            {Table{Retention: seconds(2 * 86400), EventTime: true}, 2*day - 3600*Second, true, CodePurgeByEventTime},
		"event time, given lag": {Table{Retention: seconds(2 * 86400), EventTime: true, Lag: ptr(3 * day)}, 0, true, CodePurgeByEventTime},
		"eviction":              {Table{Retention: seconds(86400), MayEvict: true}, day, false, CodeEvictionPossible},
		"nothing":               {Table{}, 0, false, ""},
		"observed alone":        {Table{OldestRow: ptr(day)}, day, true, ""},
		"purged ahead":          {Table{Retention: seconds(7 * 86400), OldestRow: ptr(day), Age: ptr(30 * day), Sweep: 3600 * Second}, day, true, CodePurgeAheadOfPolicy},
		"stalled":               {Table{Retention: seconds(86400), OldestRow: ptr(5 * day), Age: ptr(30 * day), Sweep: 3600 * Second}, day, true, CodePurgeStalled},
		"young":                 {Table{Retention: seconds(7 * 86400), OldestRow: ptr(day), Age: ptr(2 * day)}, 7 * day, true, CodeNotYetProven},
		"as the rule says":      {Table{Retention: seconds(7 * 86400), OldestRow: ptr(7 * day), Age: ptr(30 * day), Sweep: 3600 * Second}, 7 * day, true, ""},
	} {
		k, err := c.table.kept(3600 * Second)
		code := Code("")
		if len(k.warnings) > 0 {
			code = k.warnings[0].Code
		}
		if err != nil || k.length != c.want || k.known != c.known || code != c.code {
			t.Errorf("%s: %s, known %v, %q, %v; want %s, %v, %q", name, k.length, k.known, code, err, c.want, c.known, c.code)
		}
	}
}

func TestWarningsOfAPath(t *testing.T) {
	limit := 300 * Second
	path := Path{
		Life: life(3600), Downtime: seconds(7200), Hold: seconds(0),
		Retries: mustRetry(t, "fixed:10m,attempts=2"), SleepLimit: &limit,
	}
	example{
		path: path, table: Table{Retention: seconds(20000)}, required: 11400, reachable: 11400, verdict: Safe, safe: 8600,
		codes: []Code{CodeDowntimeExceedsLife, CodeDelayExceedsPoll},
	}.check(t)
}

func TestGrowth(t *testing.T) {
	rate, size := int64(4_320_000), int64(203)
	r, err := Evaluate(Policy{
		Paths: []Path{{Life: life(1387815), Downtime: seconds(0)}},
		Table: Table{Retention: seconds(1), RowsPerDay: &rate, RowBytes: &size},
	})
	if err != nil || *r.Table.RowsAtRequired != 69_390_750 || *r.Table.BytesAtRequired != 14_086_322_250 {
		t.Errorf("rows %d, bytes %d, %v", *r.Table.RowsAtRequired, *r.Table.BytesAtRequired, err)
	}
}

func TestTooLong(t *testing.T) {
	endless := Millis(math.MaxInt64)
	for name, p := range map[string]Path{
		"life":     {Life: Life{Parts: []Part{{"a", endless}, {"b", 1}}}},
		"rounding": {Life: Life{Parts: []Part{{"a", endless}}}},
		"downtime": {Life: life(1), Downtime: Given{Length: endless, Known: true}},
		"hold":     {Life: life(1), Hold: Given{Length: endless}, Retries: []Retry{{Multiplier: million, Attempts: 2}}},
		"redrives": {Life: life(1), Redrives: Redrives{Count: 2, Cycle: endless}},
		"reach":    {Life: life(1), Replay: ReplayCommitted, Reach: Given{Length: endless}, Downtime: Given{Length: 1}},
	} {
		if _, err := Evaluate(Policy{Paths: []Path{p}}); !errors.Is(err, ErrTooLong) {
			t.Errorf("%s: %v, want ErrTooLong", name, err)
		}
	}
	if _, err := Evaluate(Policy{}); err == nil {
		t.Error("a policy without a source is accepted")
	}
}

func TestReportJSON(t *testing.T) {
	r, err := Evaluate(Policy{
		Paths: []Path{{Name: "flags", Life: life(10), Hold: Given{Length: 1500, Source: "flag --hold"}, Downtime: seconds(0)}},
		Table: Table{Retention: seconds(12)},
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"schema":"idemtui.retention/v1","required_seconds":12,"reachable_seconds":12,"assumed_seconds":null,"terms":[{"name":"source-life","seconds":10,`,
		`{"name":"hold","seconds":1.5,"unbounded":false,"source":"flag --hold","arithmetic":"1.5"}`,
		`"verdict":"unsafe","have_seconds":12,"short_by_seconds":0,"safe_by_seconds":0,"warnings":[{"code":"must-be-strictly-longer"`,
		`"missing":[]`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("JSON lacks %s:\n%s", want, data)
		}
	}
}

func TestMillisText(t *testing.T) {
	for m, want := range map[Millis][2]string{
		0: {"0", "0s"}, 1500: {"1.5", "1s500ms"}, -500: {"-0.5", "-500ms"}, -1500: {"-1.5", "-1s500ms"}, 1: {"0.001", "1ms"},
		86400000: {"86400", "1d"}, math.MaxInt64: {"9223372036854775.807", "9223372036854775.807s"},
	} {
		if m.Seconds() != want[0] || m.String() != want[1] {
			t.Errorf("%d: %q and %q, want %q", int64(m), m.Seconds(), m.String(), want)
		}
	}
}
