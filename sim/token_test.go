package sim

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTokenRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScenario(t)
		s.Visibility, s.Window = rapid.Int64Range(0, MaxTime).Draw(t, "visibility"), rapid.Int64Range(0, MaxTime).Draw(t, "window")
		got, err := ParseToken(s.Token())
		if s.Validate() != nil {
			if err == nil {
				t.Fatalf("%s opens a scenario that is out of range", s.Token())
			}
			return
		}
		if err != nil || got != s {
			t.Fatalf("%s opens %+v, %v, want %+v", s.Token(), got, err, s)
		}
	})
}

// What is shared once must open the same run for good.
func TestTokensAreForGood(t *testing.T) {
	many := DefaultScenario()
	many.Handler, many.Seed, many.Fail, many.Distance = HandlerRelease, MaxSeed, One/50, 8
	for want, s := range map[string]Scenario{
		"s1.check.1":                       DefaultScenario(),
		"s1.claim.1.n1-w2-dgjdgxs-a6fhc":   DemoScenario(HandlerClaim),
		"s1.release.2gosa7pa2gv.k8-fbwo3k": many,
	} {
		if got := s.Token(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A parameter without a letter would be lost in a token.
func TestEveryParameterIsInTheToken(t *testing.T) {
	letters := map[byte]bool{}
	for _, f := range tokenFields {
		if letters[f.letter] {
			t.Errorf("%c stands for two parameters", f.letter)
		}
		letters[f.letter] = true
	}
	if got, want := len(tokenFields)+2, reflect.TypeFor[Scenario]().NumField(); got != want {
		t.Errorf("a token has %d of %d parameters", got, want)
	}
}

func TestBrokenTokens(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "version s1",
		"s2.check.1":               `version is "s2"`,
		"x1.check.2.0-0-0-0-0.01":  "version s1",
		"s1":                       "s1.HANDLER.SEED",
		"s1.check":                 "s1.HANDLER.SEED",
		"s1.lock.1":                "no handler",
		"s1.check.!":               "not a seed",
		"s1.check.01":              "not in the form",
		"s1.check.zzzzzzzzzzzz":    "seed is",
		"s1.check.1.":              "parameter is missing",
		"s1.check.1.n":             "not a parameter",
		"s1.check.1.#5":            "not a parameter",
		"s1.check.1.n0":            "payments is 0",
		"s1.check.1.n1jk":          "not in the form",
		"s1.check.1.w9-n5":         "not in the form",
		"s1.check.1.n-5":           "parameter",
		"s1.check.1.w1000":         "workers is",
		strings.Repeat("s1.", 999): "too long",
	} {
		if _, err := ParseToken(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: got %v, want an error with %q", text, err, want)
		}
	}
	var outside *RangeError
	if _, err := ParseToken("s1.check.1.w1000"); !errors.As(err, &outside) {
		t.Errorf("%v is no range error", err)
	}
}

func FuzzParseToken(f *testing.F) {
	for _, seed := range []string{"s1.check.1", "s1.claim.1.n1-w2", "s2.x", "s1...", "s1.check.1.d-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseToken(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Fatalf("the error is no line: %q", err)
			}
			return
		}
		if s.Token() != text || s.Validate() != nil {
			t.Fatalf("%q opens %+v", text, s)
		}
	})
}
