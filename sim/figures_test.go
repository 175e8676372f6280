package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sync"
	"testing"
)

// seeds is how many seeds the figures are held to.
const seeds = 200

func mustRun(t testing.TB, s Scenario) Result {
	t.Helper()
	r, err := Run(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The figures of the lessons: 2,000 payments, 8 workers, a charge of 1 ms, and
// one payment in 20 delivered again while the first delivery is in process.
func TestFiguresOfTheRace(t *testing.T) {
	caught := 0
	for seed := uint64(1); seed <= seeds; seed++ {
		s := DefaultScenario()
		s.Seed = seed
		for _, h := range []HandlerID{HandlerNone, HandlerCheck, HandlerClaim, HandlerRelease} {
			s.Handler = h
			r := mustRun(t, s)
			if r.Deliveries != 2100 || r.Payments != 2000 || r.NeverCharged != 0 {
				t.Errorf("seed %d: %+v", seed, r)
			}
			switch h {
			case HandlerNone:
				if r.Charges != 2100 || r.ChargedTwice != 100 {
					t.Errorf("seed %d: %+v", seed, r)
				}
			case HandlerCheck:
				if r.Charges < 2094 || r.Charges > 2100 {
					t.Errorf("seed %d: check charges %d times", seed, r.Charges)
				}
				if r.Charges < 2100 {
					caught++
				}
			default:
				if r.Charges != 2000 || r.ChargedTwice != 0 {
					t.Errorf("seed %d: %+v", seed, r)
				}
			}
		}
	}
	if caught == 0 || caught == seeds {
		t.Errorf("check caught a duplicate with %d of %d seeds; it should with some", caught, seeds)
	}
}

func TestFiguresOfTheClaimThatIsNeverReleased(t *testing.T) {
	for seed := uint64(1); seed <= seeds; seed++ {
		s := DefaultScenario()
		s.Seed, s.Duplicates, s.Fail = seed, 0, One/50
		for h, want := range map[HandlerID]int64{HandlerClaim: 1960, HandlerRelease: 2000} {
			s.Handler = h
			r := mustRun(t, s)
			if r.Deliveries != 2040 || r.Charges != want || r.NeverCharged != 2000-want || r.FailedFirst != 40 || r.Stuck != 2000-want {
				t.Errorf("seed %d: %+v", seed, r)
			}
		}
	}
}

// The window of check-then-act follows from the mechanism: while a payment is
// in process, only the other seven workers can pick, so a copy about eight
// places behind is as likely to be caught as not, and one farther behind more so.
func TestFiguresOfTheDistance(t *testing.T) {
	distances := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 24}
	if raceDetector {
		// One goroutine runs each simulation, so the detector adds nothing but
		// time: the bounds are held here too, and each step in the plain build.
		distances = []int{1, 4, 8, 16}
	}
	sums := make([]int64, len(distances))
	var wait sync.WaitGroup
	for i, k := range distances {
		wait.Go(func() {
			for seed := uint64(1); seed <= seeds; seed++ {
				s := DefaultScenario()
				s.Seed, s.Distance = seed, int64(k)
				sums[i] += mustRun(t, s).Charges
			}
		})
	}
	wait.Wait()
	bounds := map[int][2]int64{1: {2097, 2100}, 4: {2080, 2100}, 8: {2010, 2060}, 16: {2000, 2006}}
	for i, k := range distances {
		t.Logf("distance %2d: mean charges %d.%02d", k, sums[i]/seeds, sums[i]%seeds*100/seeds)
		if i > 0 && sums[i] > sums[i-1] {
			t.Errorf("more double charges at distance %d than at %d", k, distances[i-1])
		}
		if b, ok := bounds[k]; ok && (sums[i] < b[0]*seeds || sums[i] > b[1]*seeds) {
			t.Errorf("distance %d is outside %v", k, b)
		}
	}
}

// hash is a digest of every event and of the result.
func (t *Trace) hash() string {
	h := sha256.New()
	for i := range t.events {
		if err := binary.Write(h, binary.LittleEndian, t.events[i]); err != nil {
			panic(err)
		}
	}
	fmt.Fprint(h, t.result)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Same scenario, same seed, same trace, byte for byte, on every machine. A
// change of these digests changes what every shared token shows.
func TestGoldenTraces(t *testing.T) {
	busy := DefaultScenario()
	busy.Handler, busy.Seed, busy.Fail, busy.Crash, busy.Timeout, busy.Slow = HandlerFence, 42, One/50, One/50, One/50, One/50
	log := DefaultScenario()
	log.Handler, log.Log, log.Rebalance, log.Slow, log.Crash, log.RetryTopic = HandlerLease, true, One/50, One/100, One/100, true
	for _, tt := range []struct {
		name     string
		scenario Scenario
		want     string
	}{
		{"a log", log, "b9cbb46a0a69ceb6"},
		{"second lesson", DefaultScenario(), "0468fddd89e78124"},
		{"every fault", busy, "7ea25c74b218fcbf"},
		{"demo", DemoScenario(HandlerCheck), "0a69571fb3c22901"},
	} {
		if got := mustRecord(t, tt.scenario, snapshotInterval).hash(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A payment's cell is freed when no delivery of it can still come, so a run
// without a trace needs memory for what is in process only.
func TestMemoryIsForWhatIsInProcess(t *testing.T) {
	for _, h := range Handlers() {
		s := DefaultScenario()
		s.Handler, s.Payments = h.ID, 100_000
		e := newEngine(s, nil)
		e.start()
		for e.steps(checkEvery) {
		}
		if r := e.finish(); r.Payments != s.Payments {
			t.Errorf("%s: %+v", h.Name, r)
		}
		if len(e.slots) > 200 || len(e.waiting) > 200 || len(e.queue.heap) > 200 || cap(e.copies.items) > 200 || cap(e.ready.items) > 200 {
			t.Errorf("%s: %d cells, %d waiting, %d timers, %d copies, %d ready", h.Name, len(e.slots), len(e.waiting), len(e.queue.heap), cap(e.copies.items), cap(e.ready.items))
		}
		if len(e.freeSlots) != len(e.slots) || len(e.freeWait) != len(e.waiting) {
			t.Errorf("%s: %d of %d cells are free at the end", h.Name, len(e.freeSlots), len(e.slots))
		}
	}
}
