package inspect

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseAdvisory(t *testing.T) {
	for text, want := range map[string]AdvisoryBinding{
		"hashtext(id)":                       {Hash: AdvisoryHashText, From: []AdvisoryPiece{{Column: "id"}}},
		" hashtextextended( id ) ":           {Hash: AdvisoryHashTextExtended, From: []AdvisoryPiece{{Column: "id"}}},
		"7:int(id)":                          {Hash: AdvisoryInt, From: []AdvisoryPiece{{Column: "id"}}, Class: Some(AdvisoryClass{Number: 7})},
		"md5('good_jobs-'||id)":              {Hash: AdvisoryMD5, From: []AdvisoryPiece{{Text: "good_jobs-"}, {Column: "id"}}},
		"hashtext('a:b')  : hashtext(x||y)":  {Hash: AdvisoryHashText, From: []AdvisoryPiece{{Column: "x"}, {Column: "y"}}, Class: Some(AdvisoryClass{Text: "a:b"})},
		`hashtext(tenant || ':' || 'it''s')`: {Hash: AdvisoryHashText, From: []AdvisoryPiece{{Column: "tenant"}, {Text: ":"}, {Text: "it's"}}},
		`int(\ a\)\ )`:                       {Hash: AdvisoryInt, From: []AdvisoryPiece{{Column: " a) "}}},
	} {
		got, err := ParseAdvisory(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %+v (%v)", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":                       "want [CLASS:]HASH(COL)",
		"id":                     "want [CLASS:]HASH(COL)",
		"crc32(id)":              "HASH is hashtext, hashtextextended, md5 or int",
		"hashtext(id":            "want [CLASS:]HASH(COL)",
		"hashtext()":             "an empty piece",
		"hashtext('x')":          "names no column",
		"int(a||b)":              "int takes one column",
		"x:int(a)":               `class "x"`,
		"3000000000:int(a)":      "class",
		"1:hashtextextended(id)": "with a class the id has 32 bits",
	} {
		if _, err := ParseAdvisory(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want it to say %q", text, err, want)
		}
	}
}

// An advisory lock is written as it is read, alone and in a mapping, whatever
// its columns and texts are called.
func TestAdvisoryIsWrittenAsItIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z0-9'\\|,():+ =é]{1,6}`)
		b := AdvisoryBinding{Hash: rapid.SampledFrom([]AdvisoryHash{AdvisoryHashText, AdvisoryHashTextExtended, AdvisoryMD5}).Draw(t, "hash")}
		for range rapid.IntRange(0, 3).Draw(t, "pieces") {
			if rapid.Bool().Draw(t, "text") {
				b.From = append(b.From, AdvisoryPiece{Text: word.Draw(t, "text")})
			} else {
				b.From = append(b.From, AdvisoryPiece{Column: word.Draw(t, "column")})
			}
		}
		b.From = append(b.From, AdvisoryPiece{Column: word.Draw(t, "column")})
		if b.Hash == AdvisoryHashText && rapid.Bool().Draw(t, "class") {
			b.Class = Some(AdvisoryClass{Number: rapid.Int32().Draw(t, "number")})
			if rapid.Bool().Draw(t, "named") {
				b.Class = Some(AdvisoryClass{Text: word.Draw(t, "class text")})
			}
		}
		got, err := ParseAdvisory(b.String())
		if err != nil || !reflect.DeepEqual(got, b) {
			t.Fatalf("%s is read as %+v (%v), want %+v", b, got, err, b)
		}
		m, err := ParseMap("key=k,state=s,processing=P,advisory=" + b.String())
		if err != nil || !reflect.DeepEqual(m.Advisory, b) {
			t.Fatalf("%s in a mapping is read as %+v (%v)", b, m.Advisory, err)
		}
		if text, ok := FormatMap(m); !ok {
			t.Fatalf("%s cannot be written", text)
		}
	})
}
