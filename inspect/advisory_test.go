package inspect

import (
	"reflect"
	"strings"
	"testing"
	"time"

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

func TestAdvisoryEvidence(t *testing.T) {
	id := TextKey("k", "a")
	lapsed := Claim{Key: id, State: StateProcessing, Owner: Some("w"), ClaimedAt: ago(2 * time.Hour), LeaseUntil: ago(time.Hour)}
	lock := Mapping{Lease: LeaseBinding{Column: "l"}, Owner: "w", Advisory: AdvisoryBinding{Hash: AdvisoryHashText, From: []AdvisoryPiece{{Column: "k"}}}}
	held := map[Key][]LockHolder{id: {{PID: 7, Application: "w", State: "idle", InState: time.Minute}}}
	owners := &Sessions{ByOwner: map[string][]Session{"w": {{PID: 7, AdvisoryLocks: 1, AdvisoryWords: "42"}, {PID: 8}}}}
	for name, x := range map[string]struct {
		facts   Facts
		text    string
		way     For
		verdict Verdict
	}{
		"held":             {Facts{Mapping: lock, Advisory: held}, "its advisory lock (hashtext(k)) is held by pid 7 (w), idle 1m00s", ForAlive, VerdictAlive},
		"free":             {Facts{Mapping: lock}, "no live session holds its advisory lock (hashtext(k))", ForNeither, VerdictCannotTell},
		"another is held":  {Facts{Mapping: lock, Sessions: owners}, "no live session holds its advisory lock (hashtext(k)); under the owner's name pid 7 holds 1 advisory lock (42); for which claim is not known", ForNeither, VerdictCannotTell},
		"hidden":           {Facts{Mapping: lock, Standby: true, AdvisoryHidden: "a standby knows no locks of the primary"}, "advisory locks not seen: a standby knows no locks of the primary", ForNeither, VerdictCannotTell},
		"not mapped":       {Facts{Mapping: Mapping{Lease: lock.Lease, Owner: "w"}, Sessions: owners}, "under the owner's name pid 7 holds 1 advisory lock (42); for which claim is not known", ForNeither, VerdictCannotTell},
		"no lock anywhere": {Facts{Mapping: Mapping{Lease: lock.Lease, Owner: "w"}}, "", "", VerdictCannotTell},
	} {
		x.facts.Now = noon
		c := Judge(lapsed, x.facts)
		var got Evidence
		for _, e := range c.Evidence {
			if e.Rung == RungAdvisoryLock {
				got = e
			}
		}
		if got.Text != x.text || got.For != x.way || c.Verdict != x.verdict {
			t.Errorf("%s: %s, %s %q; want %s, %s %q", name, c.Verdict, got.For, got.Text, x.verdict, x.way, x.text)
		}
		if skip, refused := Refuse(c, x.facts.Mapping, false, false, noon); refused != (name == "held") || refused && skip.Reason != ReasonLocked {
			t.Errorf("%s: refused %v, %+v", name, refused, skip)
		}
	}
	// Nobody's lock is missing while it is held, or cannot be seen.
	lock.Kind = KindPlaceholder
	for name, f := range map[string]Facts{"held": {Now: noon, Mapping: lock, Advisory: held}, "hidden": {Now: noon, Mapping: lock, AdvisoryHidden: "x"}} {
		if c := Assess(lapsed, f); c.UnlockedSince.Valid() {
			t.Errorf("%s: unlocked since %s", name, c.UnlockedSince)
		}
	}
}
