package inspect

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
)

// followedMapping is a table with everything that a claim can leave a mark in.
func followedMapping(t *testing.T) Mapping {
	t.Helper()
	m, err := ParseMap("key=k,state=st,processing=P,done=D,failed=X,free=F,owner=own,token=tok,attempts=n,claimed_at=at,lease=lease,heartbeat=hb,failed_at=failed")
	if err != nil {
		t.Fatal(err)
	}
	m.UpdatedAt = "upd"
	return m
}

func image(pairs ...string) []ColumnValue {
	var out []ColumnValue
	for i := 0; i < len(pairs); i += 2 {
		v := ColumnValue{Column: pairs[i]}
		if pairs[i+1] != "NULL" {
			v.Value = &pairs[i+1]
		}
		out = append(out, v)
	}
	return out
}

func TestFollowOne(t *testing.T) {
	m := followedMapping(t)
	left := func(state string) []ColumnValue {
		return image("k", "a", "st", state, "own", "NULL", "tok", "8", "n", "1", "at", "12:00", "lease", "NULL", "hb", "NULL", "upd", "12:30")
	}
	with := func(columns []ColumnValue, column, value string) []ColumnValue {
		out := append([]ColumnValue(nil), columns...)
		for i := range out {
			if out[i].Column == column {
				out[i].Value = &value
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		after []ColumnValue
		state State // "" = no row
		now   []ColumnValue
		want  FollowState
	}{
		"failed, untouched":                {left("X"), StateFailed, left("X"), FollowNotPickedUp},
		"free, untouched":                  {left("F"), StateFree, left("F"), FollowNotPickedUp},
		"free, only its last write moved":  {left("F"), StateFree, with(left("F"), "upd", "12:31"), FollowNotPickedUp},
		"free, claimed":                    {left("F"), StateProcessing, with(left("P"), "tok", "9"), FollowAtWork},
		"free, done":                       {left("F"), StateDone, with(left("D"), "tok", "9"), FollowDone},
		"failed, failed again":             {left("X"), StateFailed, with(left("X"), "n", "2"), FollowFailedAgain},
		"free, given back":                 {left("F"), StateFree, with(left("F"), "tok", "9"), FollowFailedAgain},
		"failed, put back by a scheduler":  {left("X"), StateFree, left("F"), FollowNotPickedUp},
		"free, failed":                     {left("F"), StateFailed, left("X"), FollowFailedAgain},
		"lease ended, untouched":           {left("P"), StateProcessing, left("P"), FollowNotPickedUp},
		"lease ended, taken over":          {left("P"), StateProcessing, with(left("P"), "own", "w2"), FollowAtWork},
		"lease ended, the old worker beat": {left("P"), StateProcessing, with(left("P"), "hb", "12:31"), FollowAtWork},
		"lease ended, done without token":  {left("P"), StateDone, left("D"), FollowDone},
		"deleted, absent":                  {nil, "", nil, FollowNotPickedUp},
		"deleted, claimed":                 {nil, StateProcessing, left("P"), FollowAtWork},
		"deleted, waiting again":           {nil, StateFree, left("F"), FollowNotPickedUp},
		"deleted, done":                    {nil, StateDone, left("D"), FollowDone},
		"deleted, failed":                  {nil, StateFailed, left("X"), FollowFailedAgain},
		"removed since":                    {left("F"), "", nil, FollowGone},
		"an unnamed state":                 {left("F"), StateUnmapped, left("Q"), FollowUnclear},
	} {
		row := AuditRow{Key: TextKey("k", "a"), After: c.after}
		var now *Claim
		if c.state != "" {
			now = &Claim{Key: row.Key, State: c.state, AsRead: c.now}
		}
		if got := FollowOne(row, now, m); got.State != c.want {
			t.Errorf("%s: %s (%s), want %s", name, got.State, got.Text, c.want)
		}
	}
}

func TestFollowSaysThatAClaimIsStuckAgain(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m := followedMapping(t)
	now := Judge(Claim{
		Key: TextKey("k", "a"), State: StateProcessing, Owner: Some("w2"), LeaseUntil: At(at.Add(-time.Second)), ClaimedAt: At(at.Add(-time.Minute)), AsRead: image("own", "w2"),
	}, Facts{Now: at, Mapping: m})
	got := FollowOne(AuditRow{Key: now.Key, After: image("own", "NULL")}, &now, m)
	if got.State != FollowAtWork || got.Text != "claimed by w2, and stuck again" {
		t.Errorf("%+v", got)
	}
}

func TestFollowNextKeepsWhatWasNotLookedAt(t *testing.T) {
	m := followedMapping(t)
	a, b := TextKey("k", "a"), TextKey("k", "b")
	f := NewFollow("id", []AuditRow{{Key: a}, {Key: b}, {Key: a, After: image("own", "NULL")}})
	if len(f.Keys) != 2 || f.Over() {
		t.Fatalf("%+v", f)
	}
	look := Lookup{Table: Table{Mapping: m}, Keys: []LookedUp{{Key: a, Class: ClassDone, Claim: Claim{Key: a, State: StateDone}}, {Key: b, Class: ClassNoRow}}}
	first := f.Next(look)
	if first.Keys[0].State != FollowDone || first.Keys[1].Text != "still no row" {
		t.Errorf("%+v", first.Keys)
	}
	look.Keys = []LookedUp{{Key: b, Class: ClassHeld, Claim: Claim{Key: b, State: StateProcessing}}}
	second := first.Next(look)
	if second.Keys[0].State != FollowDone || second.Keys[1].State != FollowAtWork || first.Keys[1].State != FollowNotPickedUp {
		t.Errorf("%+v after %+v", second.Keys, first.Keys)
	}
	if open := second.Open(); len(open) != 1 || open[0] != b {
		t.Errorf("open %v", open)
	}
}

func TestTheSummaryOfAFollowAddsUp(t *testing.T) {
	f := Follow{AuditID: "id"}
	for state, n := range map[FollowState]int{FollowDone: 9, FollowAtWork: 2, FollowNotPickedUp: 1} {
		for range n {
			f.Keys = append(f.Keys, Followed{Key: TextKey("k", "a"), State: state})
		}
	}
	if got := f.Summary(); got != "12 released: 9 done, 2 at work, 1 not picked up" {
		t.Errorf("summary %q", got)
	}
	if f.Over() || len(f.Open()) != 3 {
		t.Errorf("over %v, open %d", f.Over(), len(f.Open()))
	}
	var doc bytes.Buffer
	if err := EncodeFollow(&doc, f); err != nil {
		t.Fatal(err)
	}
	var read map[string]any
	if err := json.Unmarshal(doc.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]any{"schema": SchemaFollow, "released": 12.0, "done": 9.0, "at_work": 2.0, "failed_again": 0.0, "not_picked_up": 1.0} {
		if read[field] != want {
			t.Errorf("%s = %v, want %v", field, read[field], want)
		}
	}
	if got := (Follow{}).Summary(); got != "0 released" {
		t.Errorf("summary of nothing %q", got)
	}
}
