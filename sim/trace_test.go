package sim

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyScenario draws a small scenario of any handler with any faults.
func anyScenario(t *rapid.T) Scenario {
	fraction := func(name string) Fraction {
		return Fraction(rapid.SampledFrom([]int64{0, 0, int64(One) / 10, int64(One) / 2, int64(One)}).Draw(t, name))
	}
	s := Scenario{
		Handler:    HandlerID(rapid.IntRange(0, int(idCount)-1).Draw(t, "handler")),
		Seed:       rapid.Uint64Range(0, MaxSeed).Draw(t, "seed"),
		Payments:   rapid.Int64Range(1, 30).Draw(t, "payments"),
		Workers:    rapid.IntRange(1, 9).Draw(t, "workers"),
		Duplicates: fraction("duplicates"),
		Distance:   rapid.Int64Range(1, 20).Draw(t, "distance"),
		CopyAfter:  rapid.SampledFrom([]int64{0, 0, 300 * microsecond, second}).Draw(t, "copy after"),
		Fail:       fraction("fail"),
		Crash:      fraction("crash"),
		Timeout:    fraction("timeout"),
		Slow:       fraction("slow"),
		AckLost:    fraction("ack lost"),
		Charge:     rapid.SampledFrom([]int64{microsecond, millisecond, 7 * second}).Draw(t, "charge"),
		Lease:      rapid.SampledFrom([]int64{millisecond, 10 * millisecond, 30 * second}).Draw(t, "lease"),
	}
	s.Renew = rapid.SampledFrom([]int64{0, 0, s.Lease / 3, s.Lease * 2}).Draw(t, "renew")
	if s.Charge/max(s.Renew, 1) > maxRenewals {
		s.Renew = 0
	}
	s.Guard = rapid.SampledFrom([]Guard{GuardToken, GuardName}).Draw(t, "guard")
	s.NodeClock = rapid.IntRange(0, 3).Draw(t, "node clock") == 0
	s.Skew = rapid.SampledFrom([]int64{0, s.Lease / 2, s.Lease * 2}).Draw(t, "skew")
	s.Exact = rapid.Bool().Draw(t, "exact")
	s.NoNack = rapid.Bool().Draw(t, "no nack")
	s.Direct = rapid.IntRange(0, 4).Draw(t, "direct") == 0
	s.MaxReceives = rapid.SampledFrom([]int64{0, 0, 1, 3}).Draw(t, "max receives")
	s.Retention = rapid.SampledFrom([]int64{0, 0, 2 * millisecond, second}).Draw(t, "retention")
	s.KeyMemory = rapid.SampledFrom([]int64{0, 0, 2 * millisecond, second}).Draw(t, "key memory")
	s.NewKeys = rapid.IntRange(0, 4).Draw(t, "new keys") == 0
	if s.Log = rapid.IntRange(0, 2).Draw(t, "log") == 0; s.Log {
		s.Direct, s.AckLost = false, 0
		s.Rebalance = fraction("rebalance")
		s.CommitEvery = rapid.SampledFrom([]int64{0, 1, 3}).Draw(t, "commit every")
		s.RetryTopic = rapid.Bool().Draw(t, "retry topic")
	}
	s.LateAckIgnored = rapid.IntRange(0, 3).Draw(t, "late ack ignored") == 0
	s.ByMessage = rapid.IntRange(0, 4).Draw(t, "by message") == 0
	return s
}

func mustRecord(t interface{ Fatal(...any) }, s Scenario, interval int) *Trace {
	trace, err := record(s, interval)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// mustAgree fails where the engine has counted other things than the trace shows.
func mustAgree(t interface{ Fatalf(string, ...any) }, trace *Trace) {
	end, r := trace.At(trace.Len()).Counters, trace.Result()
	got := Counters{r.Deliveries, r.Payments, r.Charges, r.ChargedTwice, r.NeverCharged, r.Takeovers, r.Fenced, r.DeadLetters}
	if end != got {
		t.Fatalf("the replay counts %+v, the engine %+v", end, got)
	}
	if r.Payments != trace.Scenario().Payments {
		t.Fatalf("%d payments came out of %d", r.Payments, trace.Scenario().Payments)
	}
}

// A trace is made by the engine and read by replaying Step; recording fails
// where the two disagree, so this law says that the engine takes only
// transitions that Step allows.
func TestEngineTakesOnlyStepsThatTheHandlerAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := mustRecord(t, anyScenario(t), 64)
		mustAgree(t, trace)
		end := trace.At(trace.Len())
		if len(end.Returned) != 0 || end.Taken != len(trace.queue) {
			t.Fatalf("the broker still has %v and %d places", end.Returned, len(trace.queue)-end.Taken)
		}
		for i, w := range end.Workers {
			if w.Phase != PhaseIdle || w.PC != End {
				t.Fatalf("w%d ends %v at %d", i+1, w.Phase, w.PC)
			}
		}
	})
}

func TestRunAndRecordComeToTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScenario(t)
		got, err := Run(s)
		if err != nil {
			t.Fatal(err)
		}
		if want := mustRecord(t, s, 64).Result(); got != want {
			t.Fatalf("without a trace %+v, with one %+v", got, want)
		}
	})
}

func TestBackAndForwardIsTheSameState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := mustRecord(t, anyScenario(t), rapid.IntRange(1, 100).Draw(t, "interval"))
		n := rapid.IntRange(0, trace.Len()).Draw(t, "n")
		back := rapid.IntRange(0, n).Draw(t, "back")
		want := trace.At(n)
		s := trace.At(n - back)
		for s.N < n {
			e := trace.Event(s.N)
			s.apply(trace.handler, &e)
		}
		if !reflect.DeepEqual(s, want) {
			t.Fatalf("back %d and forward %d from %d gives\n%+v\nwant\n%+v", back, back, n, s, want)
		}
		if again := trace.At(n); !reflect.DeepEqual(again, want) {
			t.Fatal("looking at a state changed it")
		}
	})
}

func TestSnapshotIntervalChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScenario(t)
		a := mustRecord(t, s, rapid.IntRange(1, 200).Draw(t, "one interval"))
		b := mustRecord(t, s, rapid.IntRange(1, 200).Draw(t, "another"))
		if !reflect.DeepEqual(a.events, b.events) {
			t.Fatal("the events differ")
		}
		n := rapid.IntRange(0, a.Len()).Draw(t, "n")
		if !reflect.DeepEqual(a.At(n), b.At(n)) {
			t.Fatalf("the states after %d events differ", n)
		}
	})
}

func TestTimeAndCausesGoForward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := mustRecord(t, anyScenario(t), 64)
		before := int64(0)
		for i := range trace.Len() {
			e := trace.Event(i)
			if e.At < before || int(e.Seq) != i || int(e.Cause) >= i {
				t.Fatalf("event %d: %+v after %d ns", i, e, before)
			}
			before = e.At
			if at := trace.IndexAt(e.At); at <= i || at > trace.Len() {
				t.Fatalf("event %d is not among the %d at its own time", i, at)
			}
		}
	})
}

// A claim can charge twice only where it is forgotten or its worker asks again:
// without lost answers the claim handler never does, and neither do the others
// that hold a claim, as long as no lease lapses.
func TestClaimNeverChargesTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScenario(t)
		s.Handler = HandlerID(rapid.SampledFrom([]int{int(HandlerClaim), int(HandlerRelease)}).Draw(t, "claim"))
		s.Timeout, s.Retention, s.ByMessage = 0, 0, false
		result, err := Run(s)
		if err != nil {
			t.Fatal(err)
		}
		if result.ChargedTwice != 0 {
			t.Fatalf("%+v", result)
		}
	})
}

func TestProviderKeyNeverChargesTwiceAndLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScenario(t)
		s.Handler = rapid.SampledFrom([]HandlerID{HandlerKey, HandlerKeyOnly, HandlerNatural}).Draw(t, "safe handler")
		s.NewKeys, s.ByMessage, s.KeyMemory = false, false, 0 // the provider knows the payment when it comes again
		s.Direct, s.MaxReceives = false, 0                    // and it does come again
		result, err := Run(s)
		if err != nil {
			t.Fatal(err)
		}
		if result.ChargedTwice != 0 || result.NeverCharged != 0 {
			t.Fatalf("%+v", result)
		}
	})
}

func TestSwitchingTheHandlerLeavesTheWorkload(t *testing.T) {
	type first struct {
		payment int32
		copy    uint8
	}
	order := func(h HandlerID) (places []first) {
		s := DefaultScenario()
		s.Handler, s.Seed = h, 42
		trace := mustRecord(t, s, snapshotInterval)
		for i := range trace.Len() {
			if e := trace.Event(i); e.Kind == EventDeliver {
				places = append(places, first{e.Payment, e.Copy})
			}
		}
		return places
	}
	want := order(HandlerNone)
	for _, h := range Handlers() {
		if !reflect.DeepEqual(order(h.ID), want) {
			t.Errorf("%s: another workload", h.Name)
		}
	}
}

func TestDemoShowsWhatAHandlerIsWorth(t *testing.T) {
	for _, h := range Handlers() {
		trace := mustRecord(t, DemoScenario(h.ID), snapshotInterval)
		double := h.ID == HandlerNone || h.ID == HandlerCheck || h.ID == HandlerIncrement
		if got := trace.Result().ChargedTwice == 1; got != double {
			t.Errorf("%s: charged twice: %v", h.Name, got)
		}
		if n, ok := trace.NextViolation(0); ok != double || ok && trace.At(n).Counters.ChargedTwice != 1 {
			t.Errorf("%s: the next violation is at %d, %v", h.Name, n, ok)
		}
	}
}

func TestDemoOfCheckNarratesTheRace(t *testing.T) {
	trace := mustRecord(t, DemoScenario(HandlerCheck), snapshotInterval)
	var told []string
	for n := range trace.Len() + 1 {
		told = append(told, trace.Narrate(n))
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{
		`w2 checked before w1 remembered: both saw "not processed". The window is as long as the charge.`,
		"The provider charges p1 again: charged 2 times.",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("nobody says %q in\n%s", want, all)
		}
	}
}

func TestNarrationNeverRunsDry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScenario(t)
		s.Payments = min(s.Payments, 4)
		trace := mustRecord(t, s, 64)
		for n := -1; n <= trace.Len()+1; n++ {
			said := trace.Narrate(n)
			if said == "" || strings.ContainsAny(said, "%\n") || strings.Contains(said, "p0") || strings.Contains(said, "w0") {
				t.Fatalf("event %+v: %q", trace.Event(max(0, min(n, trace.Len())-1)), said)
			}
		}
	})
}

func TestVisibleChangesAndViolationsAreReachedBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := mustRecord(t, anyScenario(t), 64)
		n := rapid.IntRange(0, trace.Len()).Draw(t, "n")
		if next := trace.NextVisible(n); next < trace.Len() && trace.PrevVisible(next+1) != next {
			t.Fatalf("from %d to %d and not back", n, next)
		}
		if next, ok := trace.NextViolation(n); ok {
			if next <= n {
				t.Fatalf("the next violation after %d is %d", n, next)
			}
			if prev, ok := trace.PrevViolation(next + 1); !ok || prev != next {
				t.Fatalf("from %d to %d and not back: %d", n, next, prev)
			}
		}
	})
}
