package sim

import (
	"fmt"
	"reflect"
	"testing"
)

// exactly is a scenario in which every latency is its nominal value.
func exactly(h HandlerID) Scenario {
	s := DefaultScenario()
	s.Handler, s.Workers, s.Exact = h, 8, true
	return s
}

func mustScript(t *testing.T, s Scenario, sends ...Send) *Trace {
	t.Helper()
	trace, err := RecordScript(Script{Scenario: s, Sends: sends})
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// times lists the seconds at which something happened, in order.
func (t *Trace) times(is func(Event) bool) []int64 {
	at := []int64{}
	for _, e := range t.events {
		if is(e) {
			at = append(at, e.At/second)
		}
	}
	return at
}

func kind(k EventKind) func(Event) bool { return func(e Event) bool { return e.Kind == k } }

func label(l Label) func(Event) bool {
	return func(e Event) bool { return e.Kind == EventEffect && e.Label == l }
}

func delivered(e Event) bool { return e.Kind == EventDeliver || e.Kind == EventRedeliver }

func wantTimes(t *testing.T, what string, got []int64, want ...int64) {
	t.Helper()
	if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("%s at %v s, want %v", what, got, want)
	}
}

// A lease of 30 s. A claims at 0 and stalls for 40 s; B claims at 30 and works
// for 15 s; A finishes at 42. Both carry the same name.
func TestR8_FencingByNameIsNoFencing(t *testing.T) {
	sends := []Send{
		{At: 0, Charge: 2 * second, Fault: FaultPause, After: 1, Pause: 40 * second},
		{At: 30 * second, Charge: 15 * second},
	}
	for _, tt := range []struct {
		guard              Guard
		accepted, rejected []int64
	}{
		{GuardToken, []int64{45}, []int64{42}},
		{GuardName, []int64{42, 45}, nil},
	} {
		s := exactly(HandlerLease)
		s.Guard = tt.guard
		trace := mustScript(t, s, sends...)
		wantTimes(t, "A claims", trace.times(label(LabelClaimWon)), 0)
		wantTimes(t, "B takes over", trace.times(label(LabelClaimTakeover)), 30)
		wantTimes(t, tt.guard.String()+": completed", trace.times(label(LabelComplete)), tt.accepted...)
		wantTimes(t, tt.guard.String()+": refused", trace.times(label(LabelCompleteStale)), tt.rejected...)
		if r := trace.Result(); r.Charges != 2 {
			t.Errorf("%v: %d external effects, want 2 whatever guards the record", tt.guard, r.Charges)
		}
	}
}

// A worker that wakes up renews its successor's lease when ownership is a name.
func TestR8_RenewalByNameExtendsTheSuccessorsLease(t *testing.T) {
	sends := []Send{
		{At: 0, Charge: 2 * second, Fault: FaultPause, After: 1, Pause: 40 * second},
		{At: 30 * second, Charge: 15 * second},
	}
	for guard, want := range map[Guard][2][]int64{
		GuardToken: {{}, {40}},
		GuardName:  {{40}, {}},
	} {
		s := exactly(HandlerLease)
		s.Guard, s.Renew = guard, 20*second
		trace := mustScript(t, s, sends...)
		byA := func(k EventKind) []int64 {
			return trace.times(func(e Event) bool { return e.Kind == k && e.Worker == 0 })
		}
		wantTimes(t, guard.String()+": A renews", byA(EventRenew), want[0]...)
		wantTimes(t, guard.String()+": A is refused", byA(EventRenewStale), want[1]...)
	}
}

func TestRenewalKeepsALongChargeAlone(t *testing.T) {
	s := exactly(HandlerLease)
	s.Charge, s.Renew = 100*second, 10*second
	trace := mustScript(t, s, Send{}, Send{At: 35 * second})
	wantTimes(t, "renewed", trace.times(kind(EventRenew)), 10, 20, 30, 40, 50, 60, 70, 80, 90)
	if r := trace.Result(); r.Charges != 1 || r.Takeovers != 0 {
		t.Errorf("%+v", r)
	}
	s.Renew = 0
	if r := mustScript(t, s, Send{}, Send{At: 35 * second}).Result(); r.Charges != 2 || r.Takeovers != 1 {
		t.Errorf("without renewal: %+v", r)
	}
}

// The window is fixed from the first sight of an id; it does not slide, and an
// entry exactly as old as the window is expired.
func TestR18_TheWindowIsFixedAndGuardsSending(t *testing.T) {
	s := exactly(HandlerNone)
	s.Window = 120 * second
	var sends []Send
	for at := int64(0); at <= 300; at += 60 {
		sends = append(sends, Send{At: at * second})
	}
	trace := mustScript(t, s, sends...)
	wantTimes(t, "accepted", trace.times(kind(EventDeliver)), 0, 120, 240)
	wantTimes(t, "refused", trace.times(kind(EventReject)), 60, 180, 300)

	s.Window, s.Charge, s.Visibility = 300*second, 420*second, 1000*second
	trace = mustScript(t, s, Send{}, Send{At: 360 * second})
	wantTimes(t, "accepted", trace.times(kind(EventDeliver)), 0, 360)
	first, second := trace.Spans(WorkerLane(0), 0, trace.Duration()), trace.Spans(WorkerLane(1), 0, trace.Duration())
	if overlap := first[1].End - second[1].Start; overlap != 60*1_000_000_000 {
		t.Errorf("the two runs overlap for %s, want 60 s", formatNanos(overlap))
	}
}

func TestR22_VisibilityMustOutlastTheWork(t *testing.T) {
	if short := VisibilityNeeded(120*second, 20*second); short != 140*second {
		t.Errorf("needed %s", formatNanos(short))
	}
	if advised := VisibilityAdvised(120*second, 20*second); advised != 740*second {
		t.Errorf("advised %s", formatNanos(advised))
	}
	s := exactly(HandlerNone)
	s.Charge, s.Visibility, s.MaxReceives, s.NoNack = 900*second, 30*second, 5, true
	trace := mustScript(t, s, Send{})
	wantTimes(t, "received", trace.times(delivered), 0, 30, 60, 90, 120)
	wantTimes(t, "dead letter", trace.times(kind(EventDeadLetter)), 150)
	if ended := trace.times(label(LabelAck)); len(ended) != 5 || ended[0] != 900 {
		t.Errorf("the runs end at %v, want the first of 5 at 900", ended)
	}

	s.Handler, s.Lease, s.Renew = HandlerLease, 60*second, 20*second
	trace = mustScript(t, s, Send{})
	wantTimes(t, "received", trace.times(delivered), 0, 30, 60, 90, 120)
	wantTimes(t, "busy", trace.times(kind(EventBusy)), 30, 60, 90, 120)
	wantTimes(t, "dead letter", trace.times(kind(EventDeadLetter)), 150)
	wantTimes(t, "done", trace.times(label(LabelComplete)), 900)
	if r := trace.Result(); r.Charges != 1 || r.DeadLetters != 1 {
		t.Errorf("%+v: want one run, and the message in the dead letters all the same", r)
	}
}

// The work takes 8 s; the caller gives up after 5 s and tries again.
func TestR35_CheckThenActMissesTheAttemptInFlight(t *testing.T) {
	s := exactly(HandlerCheck)
	s.Charge, s.Direct = 8*second, true
	trace := mustScript(t, s, Send{}, Send{At: 5 * second})
	wantTimes(t, "looked up, not found", trace.times(label(LabelCheckNew)), 0, 5)
	wantTimes(t, "inserted", trace.times(label(LabelRemember)), 8, 13)
	if r := trace.Result(); r.Charges != 2 {
		t.Errorf("%d executions, want 2", r.Charges)
	}

	s.Handler = HandlerLease
	trace = mustScript(t, s, Send{}, Send{At: 5 * second}, Send{At: 9 * second})
	wantTimes(t, "told that it is in progress", trace.times(kind(EventBusy)), 5)
	wantTimes(t, "done", trace.times(label(LabelComplete)), 8)
	wantTimes(t, "replayed", trace.times(label(LabelClaimDone)), 9)
	if r := trace.Result(); r.Charges != 1 {
		t.Errorf("%d executions, want 1", r.Charges)
	}
}

// Three tries, each of which charges and loses its answer; the provider keeps
// keys for a day; one more try after 25 hours.
func TestR36_TheKeyAcrossUnknownOutcomes(t *testing.T) {
	const hour = 3600 * second
	var tries []Send
	for i := range int64(3) {
		tries = append(tries, Send{At: i * 60 * second, Outcome: Timeout})
	}
	late := append(tries[:3:3], Send{At: 25 * hour})
	for _, tt := range []struct {
		name    string
		handler HandlerID
		newKeys bool
		sends   []Send
		charges int64
	}{
		{"no key", HandlerNone, false, tries, 3},
		{"a new key per try", HandlerKeyOnly, true, tries, 3},
		{"a stable key", HandlerKeyOnly, false, tries, 1},
		{"a stable key that the provider has forgotten", HandlerKeyOnly, false, late, 2},
	} {
		s := exactly(tt.handler)
		s.Charge, s.Direct, s.KeyMemory, s.NewKeys = second, true, 24*hour, tt.newKeys
		trace := mustScript(t, s, tt.sends...)
		if got := trace.Result().Charges; got != tt.charges {
			t.Errorf("%s: %d charges, want %d", tt.name, got, tt.charges)
		}
		if calls := len(trace.times(label(LabelChargeTimeout))); calls != 3 {
			t.Errorf("%s: %d lost answers, want 3", tt.name, calls)
		}
	}
}

func TestRetentionForgetsALateCopy(t *testing.T) {
	for _, h := range []HandlerID{HandlerCheck, HandlerClaim, HandlerLease, HandlerOneTx} {
		s := exactly(h)
		s.Retention = 3600 * second
		for wait, charges := range map[int64]int64{1800: 1, 3700: 2} {
			if r := mustScript(t, s, Send{}, Send{At: wait * second}).Result(); r.Charges != charges {
				t.Errorf("%v: a copy after %d s: %d charges, want %d", h, wait, r.Charges, charges)
			}
		}
	}
}

func TestScriptOutOfRange(t *testing.T) {
	for name, script := range map[string]Script{
		"no sends":      {Scenario: DefaultScenario()},
		"too many":      {Scenario: DefaultScenario(), Sends: make([]Send, MaxSends+1)},
		"out of order":  {Scenario: DefaultScenario(), Sends: []Send{{At: 2}, {At: 1}}},
		"negative":      {Scenario: DefaultScenario(), Sends: []Send{{At: -1}}},
		"bad scenario":  {Sends: []Send{{}}},
		"unknown fault": {Scenario: DefaultScenario(), Sends: []Send{{Fault: 9}}},
	} {
		if _, err := RecordScript(script); err == nil {
			t.Errorf("%s: no error", name)
		} else if text := fmt.Sprint(err); text == "" {
			t.Errorf("%s: an empty error", name)
		}
	}
}

// An ack that gets lost is a duplicate of finished work.
func TestALostAckDeliversFinishedWorkAgain(t *testing.T) {
	for h, charges := range map[HandlerID]int64{HandlerNone: 2, HandlerCheck: 1, HandlerClaim: 1, HandlerLease: 1, HandlerOneTx: 1} {
		s := DefaultScenario()
		s.Handler, s.Payments, s.Duplicates, s.AckLost = h, 1, 0, One
		trace := mustRecord(t, s, snapshotInterval)
		if r := trace.Result(); r.Deliveries != 2 || r.Charges != charges {
			t.Errorf("%v: %+v", h, r)
		}
		if at := trace.times(kind(EventRedeliver)); len(at) != 1 || at[0] != 30 {
			t.Errorf("%v: delivered again at %v, want after the broker's patience of 30 s", h, at)
		}
	}
}

// A producer's retry has a new message id: a table that goes by it misses the
// copy, and so does a provider.
func TestATableByMessageIDMissesAProducersRetry(t *testing.T) {
	for _, h := range []HandlerID{HandlerCheck, HandlerClaim, HandlerLease, HandlerKey, HandlerKeyOnly, HandlerOneTx} {
		s := DefaultScenario()
		s.Handler, s.ByMessage = h, true
		if r := mustRun(t, s); r.Charges != 2100 || r.Payments != 2000 || r.ChargedTwice != 100 {
			t.Errorf("%v by message id: %+v", h, r)
		}
		if h == HandlerCheck {
			continue
		}
		s.ByMessage = false
		if r := mustRun(t, s); r.Charges != 2000 {
			t.Errorf("%v by payment id: %+v", h, r)
		}
	}
}

// Leases that are judged by the workers' own clocks are as good as those clocks:
// one that is ahead by more than a lease takes over a claim that is alive.
func TestAClockThatIsAheadTakesOverALiveClaim(t *testing.T) {
	for _, tt := range []struct {
		nodeClock bool
		skew      int64
		charges   int64
	}{
		{true, 40 * second, 2},
		{true, 10 * second, 1},
		{false, 40 * second, 1},
	} {
		s := exactly(HandlerLease)
		s.Charge, s.NodeClock, s.Skew, s.Visibility = 20*second, tt.nodeClock, tt.skew, 1000*second
		if r := mustScript(t, s, Send{}, Send{At: 5 * second}).Result(); r.Charges != tt.charges {
			t.Errorf("%+v: %+v", tt, r)
		}
	}
}

// A fenced worker gives up its claim before the answer reaches it. Where the
// table goes by message id the claim is its own, and its lease lapses on time.
func TestTheLeaseOfAFencedWorkerLapsesOnTime(t *testing.T) {
	trace := mustRecord(t, Scenario{
		Handler: HandlerFence, Payments: 3, Workers: 1, Duplicates: One, Distance: 1, Crash: One, Timeout: One / 10, Slow: One, AckLost: One / 10,
		Charge: 7 * second, Lease: 10 * millisecond, Renew: 3333333, NoNack: true, MaxReceives: 3, NewKeys: true, ByMessage: true,
	}, 64)
	before, fenced := int64(0), 0
	for i := range trace.Len() {
		e := trace.Event(i)
		if e.At < before {
			t.Fatalf("event %d: %+v after %d ns", i, e, before)
		}
		before = e.At
		if e.Label == LabelFenced {
			fenced++
		}
	}
	if fenced == 0 {
		t.Fatal("nobody was fenced")
	}
}
