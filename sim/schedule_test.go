package sim

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// movesOf reads a schedule such as "D1 check-new, env expire".
func movesOf(t *testing.T, schedule string) (moves []Move, deliveries int) {
	t.Helper()
	for move := range strings.SplitSeq(schedule, ", ") {
		by, name, _ := strings.Cut(move, " ")
		label := Label(slices.Index(labelNames[:], name))
		if name == "" || label >= labelCount {
			t.Fatalf("no label %q", name)
		}
		who := Environment
		if by != "env" {
			who = int(by[1] - '1')
			deliveries = max(deliveries, who+1)
		}
		moves = append(moves, Move{who, label})
	}
	return moves, deliveries
}

// The shortest counterexamples, each on the timeline.
func TestScheduleOnTheTimeline(t *testing.T) {
	for _, tt := range []struct {
		handler  HandlerID
		schedule string
		kind     ViolationKind
	}{
		{HandlerCheck, "D1 check-new, D1 charge, D2 check-new, D2 charge", ChargedTwice},
		{HandlerClaim, "D1 claim-won, D1 charge-fail, D1 claim-lost, D1 ack", NeverCharged},
		{HandlerRelease, "D1 claim-won, D2 claim-lost, D2 ack, D1 crash, D1 claim-lost, D1 ack", NeverCharged},
		{HandlerRelease, "D1 claim-won, D1 charge-timeout, D1 release, D1 claim-won, D1 charge", ChargedTwice},
		{HandlerFence, "D1 claim-won, D1 charge, env expire-slow, D2 claim-takeover, D2 charge", ChargedTwice},
		{HandlerLease, "D1 claim-won, D1 charge, D1 crash, env expire, D1 claim-takeover, D1 charge", ChargedTwice},
		{HandlerLease, "D1 claim-won, D1 charge, D1 complete, env forget, D2 claim-won, D2 charge", ChargedTwice},
	} {
		moves, deliveries := movesOf(t, tt.schedule)
		trace, err := RecordSchedule(tt.handler, deliveries, moves)
		if err != nil {
			t.Errorf("%v: %s: %v", tt.handler, tt.schedule, err)
			continue
		}
		if v := trace.Violations(); len(v) != 1 || v[0].Kind != tt.kind {
			t.Errorf("%v: %s: %v", tt.handler, tt.schedule, v)
		}
		var labels []string
		for i := range trace.Len() {
			if e := trace.Event(i); e.Label != NoLabel {
				labels = append(labels, e.Label.String())
			}
			if trace.Narrate(i+1) == "" {
				t.Errorf("nothing is said of event %d", i)
			}
		}
		for i, m := range moves {
			if i >= len(labels) || labels[i] != m.Label.String() {
				t.Fatalf("%v: the timeline shows %v", tt.handler, labels)
			}
		}
	}
}

func TestScheduleRefusesWhatTheHandlerDoesNotAllow(t *testing.T) {
	for schedule, want := range map[string]string{
		"D1 charge":                       "move 1",
		"D1 claim-won, D1 claim-won":      "move 2",
		"D1 claim-won, D2 claim-takeover": "move 2",
		"env expire":                      "move 1",
		"D1 claim-won, env expire":        "move 2",
		"D1 claim-won, env forget":        "move 2",
		"D1 claim-won, env ack":           "move 2",
		"D1 claim-won, D1 charge, D1 complete, D1 ack, D1 crash": "move 5",
	} {
		moves, deliveries := movesOf(t, schedule)
		if _, err := RecordSchedule(HandlerLease, max(deliveries, 1), moves); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", schedule, err, want)
		}
	}
	if _, err := RecordSchedule(HandlerLease, 1, []Move{{3, LabelAck}}); err == nil {
		t.Error("a delivery that is not there moved")
	}
	if _, err := RecordSchedule(HandlerLease, 0, nil); err == nil {
		t.Error("a schedule without deliveries")
	}
}

// Any walk through what is enabled can be drawn.
func TestAnyWalkIsATrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := HandlerID(rapid.IntRange(0, int(idCount)-1).Draw(t, "handler")).Handler()
		n := rapid.IntRange(1, 4).Draw(t, "deliveries")
		cell, ds := Cell{}, make([]Delivery, n)
		var moves []Move
		for range rapid.IntRange(0, 40).Draw(t, "moves") {
			by := rapid.IntRange(Environment, n-1).Draw(t, "by")
			var label Label
			switch choice := rapid.IntRange(0, 9).Draw(t, "choice"); {
			case by == Environment && choice < 5:
				alive := false
				for _, d := range ds {
					alive = alive || d.Tok == cell.Gen
				}
				label, _ = h.Expire(&cell, alive)
			case by == Environment:
				label, _ = h.Forget(&cell)
			case ds[by].PC == End:
			case choice == 0:
				label, _ = h.Crash(&cell, &ds[by])
			default:
				outcome := OK
				if h.CanFault(&cell, &ds[by]) {
					outcome = Outcome(max(0, choice-7))
				}
				label, _ = h.Step(&cell, &ds[by], outcome)
			}
			if label != NoLabel {
				moves = append(moves, Move{by, label})
			}
		}
		trace, err := RecordSchedule(h.ID, n, moves)
		if err != nil {
			t.Fatal(err)
		}
		if got := trace.At(trace.Len()).Payments[0].Cell; got != cell {
			t.Fatalf("the trace ends with %+v, the walk with %+v", got, cell)
		}
	})
}
