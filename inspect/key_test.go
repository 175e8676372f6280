package inspect

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func textColumns(n int) []KeyColumn {
	out := make([]KeyColumn, n)
	for i := range out {
		out[i] = KeyColumn{Column: string(rune('a' + i)), Kind: PartText}
	}
	return out
}

func textKeyOf(values ...string) Key {
	parts := make([]KeyPart, len(values))
	for i, v := range values {
		parts[i] = KeyPart{Column: string(rune('a' + i)), Kind: PartText, Value: v}
	}
	return NewKey(parts...)
}

func TestKeysAreWrittenAsTheContractSays(t *testing.T) {
	for _, c := range []struct {
		key  Key
		want string
	}{
		{textKeyOf("pay_88412"), "pay_88412"},
		{textKeyOf("a/b\\c"), `a/b\c`}, // one part stands as stored
		{textKeyOf("注文-42"), "注文-42"},
		{textKeyOf("hex:00"), "text:hex:00"},
		{textKeyOf("text:x"), "text:text:x"},
		{textKeyOf("\x1b[2J"), `text:\x1b[2J`},
		{textKeyOf("\u009b"), `text:\u{9b}`},
		{textKeyOf("a\u202eb\\"), `text:a\u{202e}b\\`},
		{textKeyOf("bad\xff"), `text:bad\xff`},
		{textKeyOf("\x00"), `text:\x00`},
		{textKeyOf("null:"), "text:null:"},
		{textKeyOf(""), ""},
		{textKeyOf("c1", "m1"), "c1/m1"},
		{textKeyOf("a/b", `c\d`), `a\/b/c\\d`},
		{textKeyOf("a/\n", "m"), `text:a\/\x0a/m`},
		{textKeyOf("", ""), "/"},
		{NewKey(KeyPart{Column: "k", Kind: PartBytes, Value: "\x00\xff\x10"}), "hex:00ff10"},
		{NewKey(KeyPart{Column: "a", Kind: PartInteger, Value: "-7"}, KeyPart{Column: "b", Kind: PartText, IsNull: true}), "-7/null:"},
	} {
		if got := c.key.String(); got != c.want {
			t.Errorf("%v is written %q, want %q", c.key.Parts(), got, c.want)
		}
	}
}

func TestKeysThatCannotBeRead(t *testing.T) {
	number, uuid, bytes := KeyColumn{"n", PartInteger, RoleMessage}, KeyColumn{"u", PartUUID, RoleMessage}, KeyColumn{"b", PartBytes, RoleMessage}
	for _, c := range []struct {
		text    string
		columns []KeyColumn
	}{
		{"a/b", textColumns(1)[:0]},
		{"a", textColumns(2)},
		{"a/b/c", textColumns(2)},
		{"hex:00", textColumns(1)},
		{`text:\q`, textColumns(1)},
		{`text:\x0`, textColumns(1)},
		{`text:\u{d800}`, textColumns(1)},
		{`text:\u{12`, textColumns(1)},
		{`a\q/b`, textColumns(2)},
		{"1.5", []KeyColumn{number}},
		{"", []KeyColumn{number}},
		{"--1", []KeyColumn{number}},
		{"nope", []KeyColumn{uuid}},
		{"00ff", []KeyColumn{bytes}},
		{"hex:0", []KeyColumn{bytes}},
	} {
		if k, err := ParseKey(c.text, c.columns); err == nil {
			t.Errorf("%q was read as %v", c.text, k.Parts())
		}
	}
	for text, want := range map[string]string{"007": "7", "-0": "0", "-012": "-12"} {
		if k, err := ParseKey(text, []KeyColumn{number}); err != nil || k.Parts()[0].Value != want {
			t.Errorf("%q is %v (%v), want %s", text, k.Parts(), err, want)
		}
	}
	if k, err := ParseKey("8B3F0C6E0F9E4C399D1E000000000001", []KeyColumn{uuid}); err != nil || k.String() != "8b3f0c6e-0f9e-4c39-9d1e-000000000001" {
		t.Errorf("uuid is %v (%v)", k, err)
	}
}

// drawKey draws a key of any shape.
func drawKey(t *rapid.T) (Key, []KeyColumn) {
	n := rapid.IntRange(1, MaxKeyParts).Draw(t, "parts")
	parts := make([]KeyPart, n)
	columns := make([]KeyColumn, n)
	hostile := rapid.OneOf(
		rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune(`/\:xute{}\x1b0n`)), 0, 8, -1),
		rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 6).Draw(t, "bytes")) }),
		rapid.SampledFrom([]string{"", "hex:", "text:", "null:", "hex:00", `text:\x`, "\x00", "\u009b", "/", `\`, `\/`}),
	)
	for i := range parts {
		p := KeyPart{Column: string(rune('a' + i)), Kind: rapid.SampledFrom([]PartKind{PartText, PartUUID, PartInteger, PartBytes}).Draw(t, "kind")}
		switch p.Kind {
		case PartText, PartBytes:
			p.Value = hostile.Draw(t, "value")
		case PartInteger:
			p.Value = rapid.StringMatching(`0|-?[1-9][0-9]{0,18}`).Draw(t, "integer")
		case PartUUID:
			p.Value = rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`).Draw(t, "uuid")
		}
		if rapid.IntRange(0, 9).Draw(t, "null") == 0 {
			p.Value, p.IsNull = "", true
		}
		parts[i], columns[i] = p, KeyColumn{Column: p.Column, Kind: p.Kind}
	}
	return NewKey(parts...), columns
}

func checkRoundTrip(t interface{ Fatalf(string, ...any) }, k Key, columns []KeyColumn) {
	text := k.String()
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); !unicode.IsPrint(r) || r == utf8.RuneError && size == 1 {
			t.Fatalf("%q of %v is not printable", text, k.Parts())
		}
	}
	back, err := ParseKey(text, columns)
	if err != nil || back != k {
		t.Fatalf("%q of %v reads back as %v (%v)", text, k.Parts(), back.Parts(), err)
	}
	data, err := json.Marshal(k)
	var stored Key
	if err == nil {
		err = json.Unmarshal(data, &stored)
	}
	if err != nil || stored != k {
		t.Fatalf("%s does not read back as %v (%v)", data, k.Parts(), err)
	}
}

func TestKeysReadBackAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, columns := drawKey(t)
		checkRoundTrip(t, k, columns)
	})
}

func TestDifferentKeysAreWrittenDifferently(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, columns := drawKey(t)
		parts := a.Parts()
		i := rapid.IntRange(0, len(parts)-1).Draw(t, "changed")
		if parts[i].Kind != PartText {
			return
		}
		parts[i].IsNull = false
		parts[i].Value = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{a.String(), strings.ToUpper(parts[i].Value), "null:"})).Draw(t, "other")
		b := NewKey(parts...)
		if (a == b) != (a.String() == b.String()) {
			t.Fatalf("%v and %v are both written %q (%d columns)", a.Parts(), b.Parts(), a, len(columns))
		}
	})
}

func FuzzKeysReadBack(f *testing.F) {
	for _, s := range []string{"a", "a/b", `text:\x1b`, "hex:00", "\x00", "null:", `\`, "\u202e"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		checkRoundTrip(t, textKeyOf(a), textColumns(1))
		checkRoundTrip(t, textKeyOf(a, b), textColumns(2))
		// Whatever a person types is read or refused, and what is read is a key.
		for n := 1; n <= 2; n++ {
			if k, err := ParseKey(a, textColumns(n)); err == nil {
				checkRoundTrip(t, k, textColumns(n))
			}
		}
	})
}

// A person sees where a key begins and ends, and what is seen is read as that
// key.
func TestKeysAreVisibleAndReadBack(t *testing.T) {
	for want, k := range map[string]Key{
		"pay 1": textKeyOf("pay 1"), "text:": textKeyOf(""), `text:\x20a`: textKeyOf(" a"), `text:a\x20\x20`: textKeyOf("a  "), `text:\x20\x20`: textKeyOf("  "),
		`text: a\x1b`: textKeyOf(" a\x1b"), "/": textKeyOf("", ""), `a/text:b\/c\x20`: textKeyOf("a", "b/c "), "text:\\x20\u00e9\\\\": textKeyOf(" \u00e9\\"),
	} {
		if got := k.Visible(); got != want {
			t.Errorf("%q is seen as %s, want %s", k.String(), got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		k, columns := drawKey(t)
		if parts := k.Parts(); parts[0].Kind == PartText && !parts[0].IsNull && rapid.Bool().Draw(t, "edges") {
			parts[0].Value = rapid.SampledFrom([]string{"", " ", "  "}).Draw(t, "before") + parts[0].Value + rapid.SampledFrom([]string{"", " ", "  "}).Draw(t, "after")
			k = NewKey(parts...)
		}
		seen := k.Visible()
		if again, err := ParseKey(seen, columns); err != nil || again != k {
			t.Fatalf("%q is seen as %s and read as %q (%v)", k, seen, again, err)
		}
		if seen == "" || strings.TrimSpace(seen) != seen {
			t.Fatalf("%q is seen as %q", k, seen)
		}
	})
}
