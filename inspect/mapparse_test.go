package inspect

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParseMap(t *testing.T) {
	m, err := ParseMap("key=consumer+msg_id,state=st,processing=P,done=D|OK,failed=F,lease=lock_exp,heartbeat=hb,heartbeat_every=10s,unit.hb=ms,zone.lock_exp=Europe/Berlin,runs_next=broker,token=tok")
	if err != nil {
		t.Fatal(err)
	}
	if m.Kind != KindStateLease || !reflect.DeepEqual(m.KeyNames(), []string{"consumer", "msg_id"}) || m.Key[0].Role != RoleScope || m.Key[1].Role != RoleMessage {
		t.Errorf("kind %s, key %+v", m.Kind, m.Key)
	}
	if m.State.Of(Some("OK")) != StateDone || m.State.Of(Some("?")) != StateUnmapped || m.State.Of(Null[string]{}) != StateUnmapped {
		t.Error("states are not mapped")
	}
	if m.HeartbeatLimit() != 30*time.Second || m.Times["hb"].Unit != UnitMillis || m.Times["lock_exp"].Zone != "Europe/Berlin" || m.RunsNext != RunsNextBroker {
		t.Errorf("mapping %+v", m)
	}
	for text, want := range map[string]LeaseBinding{
		"at+4h":    {Column: "at", Plus: 4 * time.Hour},
		"at+1d12h": {Column: "at", Plus: 36 * time.Hour},
		"at+secs":  {Column: "at", PlusColumn: "secs"},
		`a\+b`:     {Column: "a+b"},
	} {
		m, err := ParseMap("key=k,state=s,processing=P,lease=" + text)
		if err != nil || m.Lease != want {
			t.Errorf("lease %s is %+v (%v)", text, m.Lease, err)
		}
	}
	m, err = ParseMap("key=id,processing=locked_at!null,done=processed_at!null,free=locked_at=null,claimed_at=locked_at")
	if err != nil {
		t.Fatal(err)
	}
	if m.Kind != KindLockedAt || m.State.Rules[StateFree][0].String() != "locked_at=null" || m.State.Rules[StateDone][0].String() != "processed_at!null" {
		t.Errorf("mapping %+v", m)
	}
	m, err = ParseMap(`key=k,state=s,processing=a\,b|c\|d`)
	if err != nil || !reflect.DeepEqual(m.State.Values[StateProcessing], []string{"a,b", "c|d"}) {
		t.Errorf("values %q (%v)", m.State.Values[StateProcessing], err)
	}
}

func TestParseMapNamesTheBadPart(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "want NAME=VALUE",
		"key":                                `"key"`,
		"key=":                               "nothing after",
		"key=a,key=b":                        "given twice",
		"kye=a":                              `unknown name "kye"`,
		"state=s,processing=P":               "no key",
		"key=k":                              "no state",
		"key=k,processing=P":                 "without state=COL",
		"key=k,state=s,processing=a!null":    "exclude each other",
		"key=k,done=a!null":                  "no processing",
		"key=a+b+c+d+e,state=s":              "at most 4",
		"key=a+,state=s":                     "empty column",
		"key=k,state=s,processing=|":         "empty value",
		"key=k,state=s,lease=a+b+c":          "COL+COL",
		"key=k,state=s,lease=a+4x":           "4x",
		"key=k,state=s,unit.a=minutes":       "s, ms, us or ns",
		"key=k,state=s,runs_next=me":         "poller, broker, client or nobody",
		"key=k,state=s,done=X,failed=X":      `"X" stands for both done and failed`,
		"key=k,state=s,heartbeat_every=soon": "soon",
		"key=k,processing=!null":             "no column",
		"kind=K9,key=k":                      "want K1 to K8",
		"kind=K1,key=k,state=s":              "kind=K1: a state with a lease",
		"kind=K2,key=k,state=s":              "claimed_at=COL",
		"kind=K3,key=k,state=s":              "processing=COL!null",
		"kind=K4,key=k,state=s":              "heartbeat=COL",
		"kind=K5,key=k":                      "no state",
		"kind=K6,key=k,lease=l":              "neither lease nor heartbeat",
		"kind=K7,key=k,completed_at=c":       "nothing in such a row tells",
		"kind=K8,key=k":                      "no state",
		"kind=K8,key=k,lease=l+1h,done=a!null,processing=l!null": "has its end in a column",
		"kind=K8,key=k,lease=l,state=s,done=D":                   "never means that work is done",
		"key=k,state=s,advisory=crc32(k)":                        "HASH is hashtext",
	} {
		_, err := ParseMap(text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "--map: ") {
			t.Errorf("%q: error %v, want it to say %q", text, err, want)
		}
	}
}

func FuzzParseMap(f *testing.F) {
	f.Add("key=consumer+msg_id,state=st,processing=P,done=D,failed=F,lease=lock_exp")
	f.Add(`key=k,processing=a!null,lease=a+4h,unit.x=ms,\`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMap(text)
		if err == nil && (len(m.Key) == 0 || len(m.Key) > MaxKeyParts || m.Kind == "") {
			t.Errorf("%q gave %+v", text, m)
		}
	})
}
