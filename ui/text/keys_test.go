package text

import (
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"idemtui/inspect"
)

// A key that a screen writes otherwise than the command line reads it names
// another row.
func TestKeysStandOnScreensAsTheyAreWritten(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if r >= 0xd800 && r <= 0xdfff {
			continue
		}
		if s := inspect.TextKey("id", "a"+string(r)+"b").String(); Sanitise(s) != s {
			t.Fatalf("U+%04X in a key is written %q and shown as %q", r, s, Sanitise(s))
		}
	}
	odd := rapid.SampledFrom([]rune{'a', '\\', '/', ' ', '\u0301', '\u20dd', '\u3164', '\u034f', '\U000e0100', '\ufe0f', '\u200d', '👩', '🚒', '\x1b', '\u202e'})
	rapid.Check(t, func(t *rapid.T) {
		stored := rapid.StringOfN(odd, 0, 12, -1).Draw(t, "stored")
		key := inspect.NewKey(inspect.KeyPart{Column: "id", Kind: inspect.PartText, Value: stored}, inspect.KeyPart{Column: "at", Kind: inspect.PartText, Value: stored})
		s := key.String()
		if Sanitise(s) != s {
			t.Fatalf("the key %q is shown as %q", s, Sanitise(s))
		}
		back, err := inspect.ParseKey(s, []inspect.KeyColumn{{Column: "id", Kind: inspect.PartText}, {Column: "at", Kind: inspect.PartText}})
		if err != nil || back != key {
			t.Fatalf("%q reads back as %+v (%v)", s, back, err)
		}
	})
}
