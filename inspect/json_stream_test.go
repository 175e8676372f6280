package inspect

import (
	"bytes"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Claims that are written one by one make the same document, byte for byte.
func TestClaimsOneByOneMakeTheSameDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		odd := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\n  \"claims\": []", "\x1b[2J\u2028\u202e", "<&>", "\xff"}))
		claims := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Claim {
			return Judge(Claim{
				Database: "d@h:1", Key: TextKey("id", odd.Draw(t, "key")), State: StateProcessing, RawState: odd.Draw(t, "state"), Owner: Some(odd.Draw(t, "owner")),
				ClaimedAt: At(noon.Add(-time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "age")))), LeaseUntil: NoTime(odd.Draw(t, "lease")), Notes: []string{odd.Draw(t, "note")},
			}, Facts{Now: noon, Mapping: leased()})
		}), 1, 5).Draw(t, "claims")
		s := Snapshot{
			Database: Database{ID: "d@h:1", Name: odd.Draw(t, "database"), ServerTime: noon}, Table: Table{Schema: "s", Name: "\n  \"claims\": []", Mapping: leased()},
			At: noon, Claims: claims, Summary: Summarise(claims), Notes: []string{"\n  \"claims\": []"},
		}
		var whole, parts bytes.Buffer
		if err := EncodeClaims(&whole, ModeReadOnly, []Snapshot{s}); err != nil {
			t.Fatal(err)
		}
		s.Claims = nil
		err := EncodeClaimsAround(&parts, ModeReadOnly, []Snapshot{s}, func() error {
			for i, c := range claims {
				if err := EncodeListedClaim(&parts, c, i == 0); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || !bytes.Equal(whole.Bytes(), parts.Bytes()) {
			t.Fatalf("%v: whole\n%s\none by one\n%s", err, &whole, &parts)
		}
	})
}
