package sim

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseFraction(t *testing.T) {
	for text, want := range map[string]Fraction{
		"0": 0, "1": One, "0.05": One / 20, "5%": One / 20, "0.000000001": 1, "100%": One, "1.000000000000": One, "0.0000001%": 1, "0.10": One / 10,
	} {
		if got, err := ParseFraction(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "write a number", "2": "0 to 1", "-0.1": "write a number", "0.0000000001": "at most 9 decimals", "1.1": "0 to 1", "101%": "0 to 1",
		"1e3": "write a number", ".5": "write a number", "1.": "write a number", "99999999999999999999": "0 to 1", "0,5": "write a number", "NaN": "write a number",
		strings.Repeat("9", 1000): "...",
	} {
		if got, err := ParseFraction(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, %v, want an error with %q", text, got, err, want)
		}
	}
}

func TestFractionRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Fraction(rapid.Int64Range(0, int64(One)).Draw(t, "fraction"))
		if got, err := ParseFraction(f.String()); err != nil || got != f {
			t.Fatalf("%q is read as %d, %v", f.String(), got, err)
		}
	})
}

func FuzzParseFraction(f *testing.F) {
	for _, seed := range []string{"0.05", "5%", "", "-", "1.0.0", "9%%", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseFraction(text)
		if err == nil && (got < 0 || got > One) {
			t.Fatalf("%q is %d", text, got)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Fatalf("%q: the error is no line: %q", text, err)
		}
	})
}

func TestStrataMeetAFractionExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(1, 500).Draw(t, "total")
		f := Fraction(rapid.Int64Range(0, int64(One)).Draw(t, "fraction"))
		streams := newStreams(rapid.Uint64().Draw(t, "seed"))
		s := newStrata(&streams, concernFail, total, f)
		perStratum := make([]int, s.count+1)
		hits := int64(0)
		for p := range total {
			if s.has(p) {
				hits++
				for stratum := range s.count {
					if p >= stratum*total/s.count && p < (stratum+1)*total/s.count {
						perStratum[stratum]++
					}
				}
			}
		}
		if hits != f.of(total) {
			t.Fatalf("%d of %d, want %d", hits, total, f.of(total))
		}
		for stratum := range s.count {
			if perStratum[stratum] != 1 {
				t.Fatalf("stratum %d has %d", stratum, perStratum[stratum])
			}
		}
	})
}
