package sim

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// The queue gives its timers back by time, then in the order in which they were
// set, whatever mixture of pushes and pops goes before.
func TestQueueIsATotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q eventQueue
		var model []timer
		for range rapid.IntRange(1, 300).Draw(t, "operations") {
			if len(model) == 0 || rapid.IntRange(0, 2).Draw(t, "push or pop") > 0 {
				at := rapid.Int64Range(0, 20).Draw(t, "at")
				kind := timerKind(rapid.IntRange(0, int(timerRenew)).Draw(t, "kind"))
				ref := rapid.Int32Range(0, 1<<timerRefBits-1).Draw(t, "ref")
				q.push(at, kind, ref)
				last := timer{at, q.seq<<(timerRefBits+timerKindBits) | uint64(kind)<<timerRefBits | uint64(ref)}
				if last.kind() != kind || last.ref() != ref {
					t.Fatalf("%v for %d comes out as %v for %d", kind, ref, last.kind(), last.ref())
				}
				model = append(model, last)
				continue
			}
			first := 0
			for i := range model {
				if model[i].before(model[first]) {
					first = i
				}
			}
			if got := q.pop(); got != model[first] {
				t.Fatalf("got %+v, want %+v", got, model[first])
			}
			model = slices.Delete(model, first, first+1)
			if q.empty() != (len(model) == 0) {
				t.Fatalf("empty is %v with %d timers", q.empty(), len(model))
			}
		}
	})
}

func TestFIFOKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f fifo[int]
		next, want := 0, 0
		for range rapid.IntRange(1, 500).Draw(t, "operations") {
			if f.len() == 0 || rapid.Bool().Draw(t, "push") {
				f.push(next)
				next++
				continue
			}
			if first := *f.first(); first != want || f.pop() != want {
				t.Fatalf("got %d, want %d", first, want)
			}
			want++
		}
		if f.len() != next-want {
			t.Fatalf("%d items, want %d", f.len(), next-want)
		}
	})
}

func TestLatenciesAreSkewedToTheRight(t *testing.T) {
	for name, q := range map[string]*quantiles{"pick-up": pickUpTime, "table": tableTime, "ack": ackTime, "charge": chargeTime} {
		for i := 1; i < len(q); i++ {
			if q[i] < q[i-1] {
				t.Errorf("%s: %d follows %d", name, q[i], q[i-1])
			}
		}
		low, median, high := q.at(0), q.at(1<<63), q.at(1<<64-1)
		if low != q[0] || high > q[256] || high < q[255] || high-median < 2*(median-low)/2 {
			t.Errorf("%s: %d, %d, %d", name, low, median, high)
		}
	}
	if median := chargeTime.at(1 << 63); median != 1000 {
		t.Errorf("the median charge is %d thousandths", median)
	}
}

func TestADrawStaysBelow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 1<<62).Draw(t, "n")
		if got := below(rapid.Uint64().Draw(t, "draw"), n); got < 0 || got >= n {
			t.Fatalf("%d is not below %d", got, n)
		}
	})
}

func TestALongRunCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := DefaultScenario()
	s.Payments = MaxPayments
	if _, err := RunContext(ctx, s, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestARunReportsItsProgress(t *testing.T) {
	var done atomic.Int64
	s := DefaultScenario()
	s.Payments = 50_000
	if _, err := RunContext(t.Context(), s, &done); err != nil || done.Load() != s.Payments {
		t.Errorf("%d payments reported, %v", done.Load(), err)
	}
}
