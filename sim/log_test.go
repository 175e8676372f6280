package sim

import (
	"testing"

	"pgregory.net/rapid"
)

func logScenario(h HandlerID) Scenario {
	s := DefaultScenario()
	s.Handler, s.Log, s.Duplicates = h, true, 0
	return s
}

// A partition is read in order by one worker, so a copy with the same key never
// meets its original in process: even check catches it.
func TestALogKeepsACopyBehindItsOriginal(t *testing.T) {
	for h, charges := range map[HandlerID]int64{HandlerNone: 2100, HandlerCheck: 2000, HandlerClaim: 2000, HandlerKey: 2000} {
		s := logScenario(h)
		s.Duplicates = One / 20
		if r := mustRun(t, s); r.Charges != charges || r.Deliveries != 2100 {
			t.Errorf("%v: %+v", h, r)
		}
	}
}

// A rebalance in mid-work delivers everything since the last commit again,
// finished work too.
func TestARebalanceDeliversEverythingSinceTheLastCommit(t *testing.T) {
	s := logScenario(HandlerNone)
	s.Exact, s.Workers, s.Payments, s.Rebalance, s.CommitEvery = true, 2, 40, One/40, 10
	trace := mustRecord(t, s, snapshotInterval)
	var committed, rewound, handed int
	owners := map[int32]bool{}
	for i := range trace.Len() {
		switch e := trace.Event(i); e.Kind {
		case EventRewind:
			rewound++
			owners[e.Payment%2] = true
		case EventRebalance:
			handed++
		case EventCommitOffset:
			committed++
		}
	}
	if rewound == 0 || rewound > 10 || len(owners) != 1 || handed == 0 || committed == 0 {
		t.Fatalf("%d rewound in %d partitions, %d handed over, %d commits", rewound, len(owners), handed, committed)
	}
	r := trace.Result()
	if r.Deliveries != int64(40+rewound) || r.Charges != r.Deliveries {
		t.Errorf("%+v with %d rewound", r, rewound)
	}
	s.Handler = HandlerClaim
	if r := mustRun(t, s); r.Charges != 40 || r.NeverCharged != 0 {
		t.Errorf("claim: %+v", r)
	}
}

// Check catches what was finished, and not always what the old owner still has
// in its hands; a claim catches both.
func TestARebalanceInMidWorkDefeatsCheck(t *testing.T) {
	for h, twice := range map[HandlerID]bool{HandlerNone: true, HandlerCheck: true, HandlerClaim: false, HandlerLease: false} {
		s := logScenario(h)
		s.Rebalance, s.CommitEvery = One/20, 2
		r := mustRun(t, s)
		if r.Deliveries <= 2100 || (r.ChargedTwice > 0) != twice || r.NeverCharged != 0 {
			t.Errorf("%v: %+v", h, r)
		}
		t.Logf("%v: %+v", h, r)
	}
}

// The copy of a running claim blocks its partition, or goes to a retry topic and
// the partition goes on.
func TestACopyOfARunningClaimBlocksItsPartition(t *testing.T) {
	run := func(retryTopic bool) (behind int) {
		s := logScenario(HandlerLease)
		s.Exact, s.Workers, s.Payments, s.CommitEvery, s.RetryTopic = true, 2, 12, 100, retryTopic
		s.Slow, s.Lease, s.Visibility = One/12, 30*second, 5*second
		trace := mustRecord(t, s, snapshotInterval)
		if r := trace.Result(); r.NeverCharged != 0 {
			t.Errorf("%+v", r)
		}
		busy := int64(-1)
		for i := range trace.Len() {
			e := trace.Event(i)
			if e.Kind == EventBusy && busy < 0 {
				busy = e.At
			}
			if e.Kind == EventDeliver && busy >= 0 && e.At < busy+second {
				behind++
			}
		}
		if busy < 0 {
			t.Fatal("nobody met a running claim")
		}
		return behind
	}
	if n := run(false); n != 0 {
		t.Errorf("%d messages were delivered behind the one that blocks", n)
	}
	if n := run(true); n == 0 {
		t.Error("nothing went on while a message was in the retry topic")
	}
}

// Whatever happens to a log, every payment is delivered until it is done, and
// those handlers that are safe are safe here too.
func TestALogLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyScenario(t)
		s.Handler = rapid.SampledFrom([]HandlerID{HandlerKey, HandlerKeyOnly, HandlerNatural}).Draw(t, "safe handler")
		s.Log, s.Direct, s.AckLost = true, false, 0
		s.MaxReceives, s.NewKeys, s.ByMessage, s.KeyMemory = 0, false, false, 0
		r, err := Run(s)
		if err != nil {
			t.Fatal(err)
		}
		if r.Payments != s.Payments || r.ChargedTwice != 0 || r.NeverCharged != 0 {
			t.Fatalf("%+v", r)
		}
	})
}

// A log keeps in memory what is not committed, and no more.
func TestALogIsBounded(t *testing.T) {
	s := logScenario(HandlerLease)
	s.Payments, s.Duplicates, s.Rebalance = 50_000, One/20, One/100
	e := newEngine(s, nil)
	e.start()
	most := 0
	for more := true; more; more = e.steps(100) {
		kept := 0
		for i := range e.log {
			kept += len(e.log[i].entries)
		}
		most = max(most, kept)
	}
	if r := e.finish(); r.Payments != 50_000 || len(e.freeSlots) != len(e.slots) {
		t.Errorf("%+v, %d of %d slots are free", r, len(e.freeSlots), len(e.slots))
	}
	if most > 8*standardCommit*20 {
		t.Errorf("%d messages were kept at once", most)
	}
}
