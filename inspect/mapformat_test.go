package inspect

import (
	"testing"
	"time"
)

func TestAMappingIsWrittenAsItIsRead(t *testing.T) {
	for _, text := range []string{
		"key=consumer+msg_id,state=st,processing=P,done=D,failed=F,lease=lock_exp",
		`key=a\,b,state=st,processing=x\|y|z\\,claimed_at=at,lease=at+4h,owner=o,token=t,attempts=n,completed_at=d,failed_at=f,expires_at=e,runs_next=broker,unit.at=ms,zone.d=Europe/Berlin`,
		"key=id,processing=locked_at!null,done=processed_at!null,free=locked_at=null,heartbeat=hb,heartbeat_every=10s",
		`key=id,state=st,processing=P,lease=a\+b+ttl`,
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
		"a blank":        {Key: []KeyColumn{{Column: "id"}}, State: StateBinding{Column: "st", Values: map[State][]string{StateProcessing: {" P"}}}},
		"a joined table": {Key: []KeyColumn{{Column: "id"}}, State: StateBinding{Column: "st"}, Heartbeat: HeartbeatBinding{Join: &HeartbeatJoin{Table: "x"}}},
		"a limit":        {Key: []KeyColumn{{Column: "id"}}, State: StateBinding{Column: "st"}, Heartbeat: HeartbeatBinding{Column: "h", Limit: time.Second}},
		"a null's words": {Key: []KeyColumn{{Column: "id"}}, State: StateBinding{Column: "st", Values: map[State][]string{StateProcessing: {"x!null"}}}},
	} {
		if text, ok := FormatMap(m); ok {
			t.Errorf("%s is written as %s", name, text)
		}
	}
}
