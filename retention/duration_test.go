package retention

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0":                               0,
		"0s":                              0,
		"90s":                             90 * time.Second,
		"15m":                             15 * time.Minute,
		"36h":                             36 * time.Hour,
		"7d":                              7 * Day,
		"2w":                              2 * Week,
		"1d12h":                           36 * time.Hour,
		" 1d12h ":                         36 * time.Hour,
		"1w2d3h4m5s6ms7us8ns":             Week + 2*Day + 3*time.Hour + 4*time.Minute + 5*time.Second + 6*time.Millisecond + 7*time.Microsecond + 8,
		"1.5h":                            90 * time.Minute,
		"7µs":                             7 * time.Microsecond,
		"P7D":                             7 * Day,
		"p7d":                             7 * Day,
		"P2W":                             2 * Week,
		"PT36H":                           36 * time.Hour,
		"P1DT12H":                         36 * time.Hour,
		"PT15M":                           15 * time.Minute,
		"PT0.5S":                          500 * time.Millisecond,
		"P1W1DT1H1M1.000000001S":          Week + Day + time.Hour + time.Minute + time.Second + 1,
		"106751d23h47m16s854ms775us807ns": 1<<63 - 1,
	} {
		got, err := ParseDuration(text)
		if err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestParseDurationErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "empty"},
		{"  ", "empty"},
		{"-5m", "negative"},
		{"P-7D", "negative"},
		{"90", "has no unit: write 90s,"},
		{"1d12", "has no unit: write 12s,"},
		{"P7", "has no unit: write 7D,"},
		{"d", "number is missing"},
		{"+5m", "number is missing"},
		{"5 m", "unknown unit"},
		{"5x", "unknown unit"},
		{"12h1d", "out of place"},
		{"1h1h", "out of place"},
		{"1M", "month or a year"},
		{"1y", "month or a year"},
		{"6months", "month or a year"},
		{"P1M", "month or a year"},
		{"P1Y", "month or a year"},
		{"P1H", "out of place"},
		{"PT1D", "out of place"},
		{"P", "needs a value"},
		{"PT", "needs a value"},
		{"P1DT", "needs a value"},
		{"1ns5", "nothing can follow"},
		{"0.5ns", "whole number of nanoseconds"},
		{"1..5h", "not a number"},
		{".5h", "not a number"},
		{"5.h", "not a number"},
		{"106752d", "longer than"},
		{"9223372036854775808ns", "longer than"},
		{"99999999999999999999999999w", "longer than"},
		{"P10675199DT2H48M5.4775807S", "longer than"},
		{strings.Repeat("9", 100) + "d", "too long"},
	} {
		got, err := ParseDuration(c.text)
		if err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error with %q", c.text, got, c.want)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\n") {
			t.Errorf("ParseDuration(%q): error %q, want one line with %q", c.text, err, c.want)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s":                               0,
		"1m30s":                            90 * time.Second,
		"1d12h":                            36 * time.Hour,
		"14d":                              2 * Week,
		"1ms500us":                         1500 * time.Microsecond,
		"-1h":                              -time.Hour,
		"-106751d23h47m16s854ms775us808ns": -1 << 63,
	} {
		if got := FormatDuration(d); got != want {
			t.Errorf("FormatDuration(%d) = %q, want %q", int64(d), got, want)
		}
	}
}

func TestFormatSeconds(t *testing.T) {
	for want, seconds := range map[string]int64{
		"0s": 0, "1d12h": 129600, "16d1h30m15s": 1387815,
		"106751991167300d15h30m7s": 1<<63 - 1, "106751991167300d": 106751991167300 * 86400,
	} {
		if got := FormatSeconds(seconds); got != want {
			t.Errorf("FormatSeconds(%d) = %q, want %q", seconds, got, want)
		}
	}
}

func TestDurationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, 1<<63-1).Draw(t, "d"))
		text := FormatDuration(d)
		got, err := ParseDuration(text)
		if err != nil || got != d {
			t.Fatalf("ParseDuration(FormatDuration(%d) = %q) = %d, %v", int64(d), text, int64(got), err)
		}
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, seed := range []string{"90s", "1d12h", "P1DT12H", "PT0.5S", "1.5h", "-1s", "P1M", "9223372036854775808ns", "µ", "1µs"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDuration(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Fatalf("ParseDuration(%q): error %q carries a control character", text, err)
			}
			return
		}
		if d < 0 {
			t.Fatalf("ParseDuration(%q) = %d, negative", text, int64(d))
		}
		again, err := ParseDuration(FormatDuration(d))
		if err != nil || again != d {
			t.Fatalf("%q parsed to %d, formatted and parsed again to %d, %v", text, int64(d), int64(again), err)
		}
	})
}
