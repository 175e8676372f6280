package sim

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// scriptedLog is a log with two partitions whose offset is committed seldom.
func scriptedLog(h HandlerID) Scenario {
	s := exactly(h)
	s.Workers, s.Log, s.CommitEvery, s.Charge, s.Visibility = 2, true, 100, 10*second, 1000*second
	return s
}

// The second of two messages is charged when its partition is rebalanced: both
// come again, the one that was finished too.
func TestARebalanceCanBeScripted(t *testing.T) {
	for h, charges := range map[HandlerID]int64{HandlerNone: 4, HandlerCheck: 3, HandlerClaim: 2, HandlerLease: 2} {
		trace := mustScript(t, scriptedLog(h), Send{}, Send{Payment: 1}, Send{Payment: 2, Fault: FaultRebalance, After: uint8(stepsToCharge(h))})
		wantTimes(t, "rebalance", trace.times(kind(EventRebalance))[:1], 15)
		rewound := trace.times(kind(EventRewind))
		wantTimes(t, "comes again", rewound, 15, 15)
		if h == HandlerClaim {
			wantTold(t, trace, "is done with p3, and its ack comes too late: the partition has gone to another worker", "w2 acknowledges p2: the offset may move on.")
		}
		if r := trace.Result(); r.Payments != 3 || r.Deliveries < 5 || r.Charges != charges+1 {
			t.Errorf("%v: %+v", h, r)
		}
	}
}

// wantTold fails where nobody says one of the sentences.
func wantTold(t *testing.T, trace *Trace, sentences ...string) {
	t.Helper()
	var told []string
	for n := range trace.Len() + 1 {
		told = append(told, trace.Narrate(n))
	}
	all := strings.Join(told, "\n")
	for _, want := range sentences {
		if !strings.Contains(all, want) {
			t.Errorf("nobody says %q in\n%s", want, all)
		}
	}
}

// stepsToCharge is how many steps there are up to the charge.
func stepsToCharge(h HandlerID) int {
	for pc, op := range h.Handler().Program {
		if op.Kind == OpCharge {
			return pc + 1
		}
	}
	return 0
}

func TestALostAckCanBeScripted(t *testing.T) {
	s := exactly(HandlerNone)
	s.Charge, s.Visibility = second, 5*second
	trace := mustScript(t, s, Send{Fault: FaultAckLost}, Send{At: 20 * second})
	wantTimes(t, "lost", trace.times(kind(EventAckLost)), 1)
	wantTimes(t, "again", trace.times(kind(EventRedeliver)), 5)
	if r := trace.Result(); r.Charges != 3 || r.Deliveries != 3 {
		t.Errorf("%+v", r)
	}
}

// A replay has the id of the first message: a table that goes by message id
// knows it, where it misses a producer's retry.
func TestAReplayHasTheFirstMessagesID(t *testing.T) {
	for _, tt := range []struct {
		byMessage, replay bool
		charges           int64
	}{{false, false, 1}, {true, false, 2}, {false, true, 1}, {true, true, 1}} {
		s := exactly(HandlerClaim)
		s.ByMessage = tt.byMessage
		trace := mustScript(t, s, Send{}, Send{At: 10 * second, Replay: tt.replay})
		if r := trace.Result(); r.Charges != tt.charges || r.Deliveries != 2 {
			t.Errorf("%+v: %+v", tt, r)
		}
		if n := len(trace.times(kind(EventReplay))); (n == 1) != tt.replay {
			t.Errorf("%+v: %d replays", tt, n)
		}
	}
	s := exactly(HandlerNone)
	s.Window = 60 * second
	if r := mustScript(t, s, Send{}, Send{At: 10 * second, Replay: true}).Result(); r.Charges != 2 {
		t.Errorf("the window refuses a replay: %+v", r)
	}
	s.Log = true
	trace := mustScript(t, s, Send{}, Send{At: 10 * second, Replay: true})
	if r := trace.Result(); r.Charges != 2 {
		t.Errorf("from a log: %+v", r)
	}
	for i := range trace.Len() {
		if trace.Event(i).Kind == EventReplay && !strings.Contains(trace.Narrate(i+1), "The log is read again") {
			t.Errorf("told: %s", trace.Narrate(i+1))
		}
	}
}

func TestImpossibleFaultsOfAScriptAreNamed(t *testing.T) {
	queue, log := exactly(HandlerNone), scriptedLog(HandlerNone)
	byMessage := queue
	byMessage.ByMessage = true
	for want, script := range map[string]Script{
		"only a log has partitions":    {queue, []Send{{Fault: FaultRebalance, After: 1}}},
		"without one at a log":         {log, []Send{{Fault: FaultAckLost}}},
		"after one step at least":      {queue, []Send{{Fault: FaultPause}}},
		"every payment up to the last": {queue, []Send{{}, {Payment: 2}}},
		"the replay of an earlier one": {queue, []Send{{}, {Payment: 1, Replay: true}}},
		"at most two of a payment":     {byMessage, []Send{{}, {}, {}}},
	} {
		if _, err := RecordScript(script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Every script of every world is a run that follows from the handler's steps,
// ends, and is told whole.
func TestAnyScriptIsARun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		script := Script{Scenario: anyScenario(t)}
		script.Scenario.Visibility = rapid.SampledFrom([]int64{0, max(script.Scenario.Lease, script.Scenario.Charge) / 50, 2 * max(script.Scenario.Lease, script.Scenario.Charge)}).Draw(t, "visibility")
		script.Scenario.Window = rapid.SampledFrom([]int64{0, 0, millisecond}).Draw(t, "window")
		at, payments := int64(0), rapid.IntRange(1, 4).Draw(t, "payments of the script")
		for i := range rapid.IntRange(payments, 8).Draw(t, "sends") {
			at += rapid.SampledFrom([]int64{0, microsecond, millisecond, second}).Draw(t, "after the one before")
			send := Send{At: at, Payment: uint8(i % payments), Outcome: Outcome(rapid.IntRange(0, 2).Draw(t, "outcome"))}
			send.Fault = FaultKind(rapid.IntRange(0, int(faultKindCount)-1).Draw(t, "fault"))
			send.After = uint8(rapid.IntRange(1, 5).Draw(t, "after steps"))
			send.Replay = i >= payments && rapid.Bool().Draw(t, "replay")
			script.Sends = append(script.Sends, send)
		}
		if script.Validate() != nil {
			return
		}
		mustEnd(t, script.world(), script.Sends)
		trace, err := RecordScript(script)
		if err != nil {
			t.Fatal(err)
		}
		mustAgree(t, trace)
		if left := trace.At(trace.Len()).Returned; len(left) != 0 {
			t.Fatalf("%v is still at the broker", left)
		}
		// Each sentence replays the run up to it: a few of a long run are enough.
		for n := rapid.IntRange(0, 9).Draw(t, "first told"); n <= trace.Len(); n += 1 + trace.Len()/20 {
			if said := trace.Narrate(n); said == "" || strings.ContainsAny(said, "%\n") {
				t.Fatalf("event %d: %q", n, said)
			}
		}
	})
}
