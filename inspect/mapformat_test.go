package inspect

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAMappingIsWrittenAsItIsRead(t *testing.T) {
	for _, text := range []string{
		"key=consumer+msg_id,state=st,processing=P,done=D,failed=F,lease=lock_exp",
		`key=a\,b,state=st,processing=x\|y|z\\,claimed_at=at,lease=at+4h,owner=o,token=t,attempts=n,completed_at=d,failed_at=f,expires_at=e,runs_next=broker,unit.at=ms,zone.d=Europe/Berlin`,
		"key=id,processing=locked_at!null,done=processed_at!null,free=locked_at=null,heartbeat=hb,heartbeat_every=10s",
		`key=id,state=st,processing=P,lease=a\+b+ttl`,
		`key=\ id+\ +msg\ ,state=st,processing=\ P,lease=at\ +\ ttl,zone.a\=b=UTC,unit.at\ =s`,
		"kind=K5,key=id,state=st,processing=P,done=D,claimed_at=at",
		"kind=K6,key=id,done=row,claimed_at=at",
		"kind=K7,key=consumer+id,processing=row,claimed_at=at",
		"kind=K8,key=name,processing=until>now,free=until<=now,lease=until",
		`key=id,state=st,processing=P,advisory=hashtext('pay\,1\:'||id),owner=o`,
	} {
		m, err := ParseMap(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, ok := FormatMap(m); !ok || got != text {
			t.Errorf("got  %s (%v)\nwant %s", got, ok, text)
		}
	}
	for name, m := range map[string]Mapping{
		"a joined table": {Kind: KindStateAge, Key: []KeyColumn{{Column: "id"}}, State: StateBinding{Column: "st"}, Heartbeat: HeartbeatBinding{Join: &HeartbeatJoin{Table: "x"}}},
		"a limit":        {Kind: KindHeartbeat, Key: []KeyColumn{{Column: "id"}}, State: StateBinding{Column: "st"}, Heartbeat: HeartbeatBinding{Column: "h", Limit: time.Second}},
		"a null's words": {Kind: KindStateAge, Key: []KeyColumn{{Column: "id"}}, State: StateBinding{Column: "st", Values: map[State][]string{StateProcessing: {"x!null"}}}},
		"two tests":      {Kind: KindLockedAt, Key: []KeyColumn{{Column: "id"}}, State: StateBinding{Rules: map[State][]StateRule{StateProcessing: {{{Column: "a", Op: TestNull}, {Column: "b", Op: TestNull}}}}}},
		"a sentinel":     {Kind: KindStateAge, Key: []KeyColumn{{Column: "id"}}, State: StateBinding{Column: "st"}, Times: map[string]TimeBinding{"at": {Unit: UnitSeconds, Sentinel: "0"}}},
	} {
		if text, ok := FormatMap(m); ok {
			t.Errorf("%s is written as %s", name, text)
		}
	}
}

// Whatever a column or a state is called, the mapping that is written is the
// mapping that was meant.
func TestAnyMappingIsWrittenAsItIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zé0-9 0-9=+|,\\\\().!<>:-]{1,7}`)
		maybe := func(what string) string {
			if rapid.Bool().Draw(t, "with "+what) {
				return word.Draw(t, what)
			}
			return ""
		}
		m := Mapping{Verified: true, Times: map[string]TimeBinding{}, State: StateBinding{Values: map[State][]string{}, Rules: map[State][]StateRule{}}}
		m.Key = []KeyColumn{{Column: word.Draw(t, "key"), Kind: PartText, Role: RoleMessage}}
		for _, c := range []*string{&m.ClaimedAt, &m.Lease.Column, &m.Heartbeat.Column, &m.Owner, &m.Token, &m.Attempts, &m.CompletedAt, &m.FailedAt, &m.ExpiresAt} {
			*c = maybe("column")
		}
		if m.Lease.Column != "" {
			m.Lease.PlusColumn = maybe("plus")
		}
		if rapid.Bool().Draw(t, "by rules") {
			op := rapid.SampledFrom(mapTests).Draw(t, "test")
			m.State.Rules[StateProcessing] = []StateRule{{{Column: word.Draw(t, "tested"), Op: op}}}
		} else {
			m.State.Column = word.Draw(t, "state")
			m.State.Values[StateProcessing] = []string{word.Draw(t, "value")}
		}
		if c := maybe("time"); c != "" {
			m.Times[c] = TimeBinding{Unit: UnitMillis}
		}
		m.Kind = rapid.SampledFrom(append([]Kind{kindOf(m)}, kinds...)).Draw(t, "kind")
		text, ok := FormatMap(m)
		if !ok {
			return // it cannot be said so, and is not
		}
		again, err := ParseMap(text)
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("%s\nis read as  %+v (%v)\nand meant   %+v", text, again, err, m)
		}
	})
}
