package sim

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// shortLived is work of a second that outlasts both the lease and the broker's
// patience, at a broker that ignores late acks.
func shortLived(h HandlerID) Scenario {
	s := exactly(h)
	s.Workers, s.Charge, s.Lease, s.Visibility, s.LateAckIgnored = 4, second, 300*millisecond, 400*millisecond, true
	return s
}

// Fencing without renewal can livelock: each worker is replaced before it has
// finished, so its completion is refused and its ack ignored, and the next one
// begins anew. Only the limit of receives ends it.
func TestFencingWithoutRenewalCanLivelock(t *testing.T) {
	for _, h := range []HandlerID{HandlerLease, HandlerFence} {
		s := shortLived(h)
		s.MaxReceives = 12
		trace := mustScript(t, s, Send{})
		r := trace.Result()
		if r.Deliveries != 12 || r.Takeovers != 11 || r.DeadLetters != 1 {
			t.Errorf("%v: %+v: want 12 deliveries, each of which takes over, and a dead letter", h, r)
		}
		if r.Charges != 12 || r.Fenced != 0 {
			t.Errorf("%v: %+v: each charge comes before the next worker's, so no fence refuses it", h, r)
		}
		completed, acked := trace.times(label(LabelComplete)), trace.times(label(LabelAck))
		late, stale := trace.times(kind(EventAckLate)), trace.times(label(LabelCompleteStale))
		// The last one has no successor: it completes, and even its ack is too late.
		if len(completed) != 1 || len(acked) != 0 || len(late) != 12 || len(stale) != 11 {
			t.Errorf("%v: completed at %v, refused at %v, acked at %v, too late at %v", h, completed, stale, acked, late)
		}
	}
}

// With renewal the first worker keeps its claim, completes, and the next
// delivery finds it DONE and acknowledges in time.
func TestRenewalEndsTheLivelock(t *testing.T) {
	for _, h := range []HandlerID{HandlerLease, HandlerFence} {
		s := shortLived(h)
		s.Renew = 100 * millisecond
		trace := mustScript(t, s, Send{})
		r := trace.Result()
		if r.Charges != 1 || r.Takeovers != 0 || r.DeadLetters != 0 || len(trace.times(label(LabelClaimDone))) != 1 {
			t.Errorf("%v: %+v", h, r)
		}
	}
}

// Without a limit of its own, a run in which every ack is too late ends at the
// standard one.
func TestLateAcksEndWithoutALimit(t *testing.T) {
	for _, h := range Handlers() {
		if r := mustScript(t, shortLived(h.ID), Send{}).Result(); r.DeadLetters == 1 && r.Deliveries < standardReceives {
			t.Errorf("%s: %+v", h.Name, r)
		}
	}
	if r := mustScript(t, shortLived(HandlerFence), Send{}).Result(); r.DeadLetters != 1 || r.Takeovers != standardReceives-1 {
		t.Errorf("fence: %+v", r)
	}
}

func TestALateAckCountsWhereItIsHonoured(t *testing.T) {
	s := shortLived(HandlerFence)
	s.LateAckIgnored = false
	trace := mustScript(t, s, Send{})
	if r := trace.Result(); r.DeadLetters != 0 || r.Deliveries != 3 || len(trace.times(kind(EventAckLate))) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestALateAckIsTold(t *testing.T) {
	s := shortLived(HandlerNone)
	s.Workers, s.MaxReceives = 2, 3
	trace := mustScript(t, s, Send{})
	var told []string
	for i := range trace.Len() {
		if trace.Event(i).Kind == EventAckLate {
			told = append(told, trace.Narrate(i+1))
		}
	}
	want := []string{
		"The ack of p1 comes too late: the broker has taken the message back from w1, has given it to w2, and ignores this ack.",
		"The ack of p1 comes too late: the broker has taken the message back from w2, has given it to w1, and ignores this ack.",
		"The ack of p1 comes too late: the broker has taken the message back from w1, has put it aside as a dead letter, and ignores this ack.",
	}
	if strings.Join(told, "\n") != strings.Join(want, "\n") {
		t.Errorf("told\n%s", strings.Join(told, "\n"))
	}
}

// Whatever the faults, the run ends, and a message comes at most as often as its
// limit says.
func TestLateAcksNeverRunForEver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScenario(t)
		s.Payments = min(s.Payments, 5)
		if s.Renew > 0 {
			s.Renew = max(s.Lease, s.Charge) / 50
		}
		s.Log, s.Direct, s.RetryTopic, s.CommitEvery, s.Rebalance = false, false, false, 0, 0
		s.LateAckIgnored, s.Visibility = true, rapid.SampledFrom([]int64{max(s.Lease, s.Charge) / 50, max(s.Lease, s.Charge) / 10, 2 * max(s.Lease, s.Charge)}).Draw(t, "visibility")
		r := mustEnd(t, s, nil)
		messages := s.Payments + s.Duplicates.of(s.Payments)
		if r.Payments != s.Payments || s.MaxReceives > 0 && r.Deliveries > messages*s.MaxReceives {
			t.Fatalf("%d deliveries of %d messages, each at most %d times", r.Deliveries, messages, s.MaxReceives)
		}
	})
}
