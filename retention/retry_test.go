package retention

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseRetry(t *testing.T) {
	for _, c := range []struct {
		text       string
		hops       int64
		total      string // seconds
		arithmetic string
	}{
		{"fixed:10m,attempts=5", 4, "2400", "600 x 4"},
		{"fixed:1s,attempts=1", 0, "0", ""},
		{"fixed:0s,attempts=3", 2, "0", "0 x 2"},
		{"exponential:1s,x2,max=1h,attempts=8,jitter=0.1", 7, "139.7", "(1 + 2 + 4 + 8 + 16 + 32 + 64) x 1.1"},
		{"exponential:1s,x5,max=30s,attempts=6", 5, "91", "1 + 5 + 25 + 30 x 2"},
		{"exponential:1s,x5,attempts=6", 5, "781", "1 + 5 + 25 + 125 + 625"},
		{"exponential:1s,x1.5,attempts=4", 3, "4.75", "1 + 1.5 + 2.25"},
		{"exponential:1ms,x1.5,attempts=3", 2, "0.003", "0.001 + 0.002"},
		{"exponential:2s,x1,attempts=4", 3, "6", "2 x 3"},
		{"fixed:1s,attempts=4;exponential:1m,x2,attempts=3", 5, "183", "1 x 3 + 60 + 120"},
		{"exponential:1ns,x1,attempts=2", 1, "0.001", "0.001"},
		{"exponential:1s,attempts=3,jitter=0,x2", 2, "3", "1 + 2"},
	} {
		r, err := ParseRetry(c.text)
		if err != nil {
			t.Errorf("ParseRetry(%q): %v", c.text, err)
			continue
		}
		got, err := newChain(r)
		if err != nil || got.hops != c.hops || got.total.Seconds() != c.total || got.arithmetic != c.arithmetic {
			t.Errorf("%q: %d hops, %s s, %q, %v; want %d, %s, %q", c.text, got.hops, got.total.Seconds(), got.arithmetic, err, c.hops, c.total, c.arithmetic)
		}
	}
}

func TestParseRetryErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "fixed:10m"},
		{"linear:1s", "fixed:10m"},
		{"fixed:", "empty"},
		{"fixed:1M,attempts=3", "month"},
		{"fixed:10m", "attempts are missing"},
		{"fixed:10m,attempts=0", "from 1 to"},
		{"fixed:10m,attempts=many", "from 1 to"},
		{"fixed:10m,attempts=10001", "from 1 to"},
		{"fixed:10m,x2,attempts=3", "no multiplier"},
		{"fixed:10m,max=1h,attempts=3", "no max"},
		{"fixed:10m,attempts=3,attempts=4", "given twice"},
		{"exponential:1s,attempts=3", "multiplier is missing"},
		{"exponential:1s,x0.5,attempts=3", "at least 1"},
		{"exponential:1s,x2.0001,attempts=3", "at least 1"},
		{"exponential:1s,x2,attempts=3,max=0", "longer than 0"},
		{"exponential:1s,x2,attempts=3,jitter=-1", "fraction"},
		{"exponential:1s,x2,attempts=3,color=red", "unknown part"},
		{"fixed:1s,attempts=2;", "fixed:10m"},
	} {
		_, err := ParseRetry(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("ParseRetry(%q): %v, want an error with %q", c.text, err, c.want)
		}
	}
	endless := mustRetry(t, "exponential:1s,x2,attempts=500")
	if _, err := newChain(endless); err == nil || !strings.Contains(err.Error(), "add max=1h") {
		t.Errorf("an exponential chain without a cap: %v, want the advice to add one", err)
	}
}

func TestUnlimitedRetriesAreUnbounded(t *testing.T) {
	path := Path{Life: life(10), Downtime: seconds(0), Retries: mustRetry(t, "fixed:1m,attempts=unlimited")}
	r, err := Evaluate(Policy{Paths: []Path{path}, Table: Table{Retention: seconds(1000)}})
	if err != nil || r.Verdict != Unbounded || r.RequiredSeconds != nil || !strings.Contains(r.Headline(), "attempts") {
		t.Errorf("%s, %v: %s", r.Verdict, err, r.Headline())
	}
}

// Without a cap and with a whole multiplier, the sum has a closed form.
func TestRetryClosedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.Int64Range(1, 1000).Draw(t, "first")
		multiplier := rapid.Int64Range(1, 5).Draw(t, "multiplier")
		hops := rapid.Int64Range(0, 12).Draw(t, "hops")
		r := Retry{First: time.Duration(first) * time.Second, Multiplier: multiplier * million, Attempts: hops + 1}
		c, err := newChain([]Retry{r})
		if err != nil {
			t.Fatal(err)
		}
		want := first * hops
		if multiplier > 1 {
			power := int64(1)
			for range hops {
				power *= multiplier
			}
			want = first * (power - 1) / (multiplier - 1)
		}
		if c.total != Millis(want)*Second {
			t.Fatalf("%d hops from %d s by %d: %s s, want %d", hops, first, multiplier, c.total.Seconds(), want)
		}
	})
}

func FuzzParseRetry(f *testing.F) {
	f.Add("exponential:1s,x2,max=1h,attempts=8,jitter=0.1")
	f.Add("fixed:10m,attempts=5;fixed:1s,attempts=unlimited")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRetry(text)
		if err != nil {
			return
		}
		if c, err := newChain(r); err == nil && (c.total < 0 || c.hops < 0) {
			t.Fatalf("%q: total %d, hops %d", text, c.total, c.hops)
		}
	})
}
