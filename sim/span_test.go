package sim

import (
	"testing"

	"pgregory.net/rapid"
)

func TestSpansAreInOrderAndComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := mustRecord(t, anyScenario(t), 64)
		starts, spans := 0, 0
		for i := range trace.Len() {
			if trace.Event(i).Kind == EventStart {
				starts++
			}
		}
		for _, lane := range trace.Lanes() {
			last := int64(0)
			for _, s := range trace.Spans(lane, 0, trace.Duration()) {
				if s.Start < last || s.End < s.Start || s.Effect >= 0 && (s.Effect < s.Start || s.Effect > s.End) {
					t.Fatalf("%v: %+v after %d", lane, s, last)
				}
				last = s.End
				if s.Kind == SpanStep {
					spans++
				}
			}
		}
		if starts != spans {
			t.Fatalf("%d steps began and %d are drawn", starts, spans)
		}
	})
}

func TestSpansOfAWindowAreThoseThatTouchIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := mustRecord(t, anyScenario(t), 64)
		from := rapid.Int64Range(0, trace.Duration()).Draw(t, "from")
		to := rapid.Int64Range(from, trace.Duration()).Draw(t, "to")
		for _, lane := range trace.Lanes() {
			want := 0
			for _, s := range trace.Spans(lane, 0, trace.Duration()) {
				if s.End >= from && s.Start <= to {
					want++
				}
			}
			if got := len(trace.Spans(lane, from, to)); got != want {
				t.Fatalf("%v %d..%d: %d spans, want %d", lane, from, to, got, want)
			}
		}
	})
}

func TestRowTellsTheHistoryOfAClaim(t *testing.T) {
	trace := mustRecord(t, DemoScenario(HandlerLease), snapshotInterval)
	rows := trace.Row(0)
	var states []Rec
	for i, r := range rows {
		states = append(states, r.Cell.Rec)
		if i > 0 && r.Start != rows[i-1].End {
			t.Errorf("a gap before %+v", r)
		}
	}
	if len(states) != 3 || states[0] != RecAbsent || states[1] != RecClaimed || states[2] != RecDone {
		t.Errorf("got %v", states)
	}
	if trace.Row(-1) != nil || trace.Row(1) != nil {
		t.Error("a payment that is not there has a row")
	}
}
