package text

import (
	"math"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

func TestR42_BytesFromTheTable(t *testing.T) {
	cases := map[string]string{
		"ok\x1b]0;PWNED\x07.txt":                `ok\x1b]0;PWNED\x07.txt`,
		"\x1b]52;c;Zm9v\x07":                    `\x1b]52;c;Zm9v\x07`,
		"\x1b[2J":                               `\x1b[2J`,
		"a\rb":                                  `a\rb`,
		"a\nb":                                  `a\nb`,
		"a\tb":                                  `a\tb`,
		"\x00":                                  `\x00`,
		"\x7f":                                  `\x7f`,
		"\u009b31m":                             `\u{9b}31m`,
		"\xff\xfe":                              `\xff\xfe`,
		"a\u202eb":                              `a\u{202e}b`,
		"a\u00a0b":                              `a\u{a0}b`,
		"a\u200db":                              `a\u{200d}b`,
		"\u3164":                                `\u{3164}`,
		"pay_88412":                             "pay_88412",
		"注文-42":                                 "注文-42",
		"nai\u0308ve":                           "nai\u0308ve",
		"👩\u200d🚒-7":                            "👩\u200d🚒-7",
		"o\u0301\u0301\u0301\u0301\u0301\u0301": "o\u0301\u0301\u0301\u0301\\u{301}\\u{301}",
	}
	for in, want := range cases {
		if got := Sanitise(in); got != want {
			t.Errorf("Sanitise(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzSanitise(f *testing.F) {
	for _, s := range []string{"", "a\x1bP1\x1b\\", "👩\u200d🚒", "\u200d", "\xc2", "\u2066x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Sanitise(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Sanitise(%q) = %q is not UTF-8", s, got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) && r != zeroWidthJoiner {
				t.Fatalf("Sanitise(%q) = %q lets %U through", s, got, r)
			}
		}
		if again := Sanitise(got); again != got {
			t.Fatalf("sanitising twice changes %q to %q", got, again)
		}
	})
}

func TestR40_CellWidths(t *testing.T) {
	for in, want := range map[string]string{
		"abc":         "abc   ",
		"注文-42":       "注文-…",
		"nai\u0308ve": "nai\u0308ve ",
		"👩\u200d🚒-7":  "👩\u200d🚒-7  ",
		"🇩🇪":          "🇩🇪    ",
	} {
		got := Left(in, 6)
		if got != want || Width(got) != 6 {
			t.Errorf("Left(%q, 6) = %q (%d cells), want %q", in, got, Width(got), want)
		}
	}
}

func TestDurations(t *testing.T) {
	for _, c := range []struct {
		d         time.Duration
		full, age string
	}{
		{0, "0ms", "0ms"},
		{250 * time.Millisecond, "250ms", "250ms"},
		{8 * time.Second, "8s", "8s"},
		{2 * time.Minute, "2m00s", "2m"},
		{3*time.Minute + 4*time.Second, "3m04s", "3m04s"},
		{47*time.Minute + 30*time.Second, "47m30s", "47m"},
		{2 * time.Hour, "2h", "2h"},
		{3*time.Hour + 12*time.Minute, "3h12m", "3h12m"},
		{3*time.Hour + 5*time.Second, "3h00m05s", "3h"},
		{4*time.Hour + 29*time.Minute + 30*time.Second, "4h29m30s", "4h29m"},
		{91 * day, "91d", "91d"},
		{day + 12*time.Hour, "1d12h", "1d12h"},
		{10 * day, "10d", "10d"},
		{20 * time.Hour, "20h", "20h"},
		{-5 * time.Minute, "-5m00s", "-5m"},
		{math.MaxInt64, ">292y", ">292y"}, // what two instants far apart give
		{math.MinInt64, "->292y", "->292y"},
	} {
		if got := Duration(c.d); got != c.full {
			t.Errorf("Duration(%v) = %q, want %q", c.d, got, c.full)
		}
		if got := Age(c.d); got != c.age {
			t.Errorf("Age(%v) = %q, want %q", c.d, got, c.age)
		}
	}
}

func TestALowerBoundIsNoEstimate(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{MoreThan(501, false), "more than 500"},
		{MoreThan(12000, true), "12,000"},
		{AtLeast(1, false), "at least 1"},
		{AtLeast(1200, true), "1,200"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		n     int64
		exact bool
		want  string
	}{
		{0, true, "0"},
		{0, false, "unknown"},
		{-1, false, "unknown"},
		{999, true, "999"},
		{2100, true, "2,100"},
		{10334, false, "~10,334"},
		{1234567, true, "1,234,567"},
		{-1500, true, "-1,500"},
	} {
		if got := Count(c.n, c.exact); got != c.want {
			t.Errorf("Count(%d, %v) = %q, want %q", c.n, c.exact, got, c.want)
		}
	}
	if got := Millis(3_204_999); got != "3.20 ms" {
		t.Errorf("Millis = %q", got)
	}
	if got := Plural(2100, "delivery", "deliveries"); got != "2,100 deliveries" {
		t.Errorf("Plural = %q", got)
	}
}
