package sim

import (
	"container/heap"
	"testing"
)

// The figures beside the benchmarks are of one core of a 2 vCPU cloud machine
// (Xeon, 2026), when it had nothing else to do.

// BenchmarkRun2000Payments: 0.7 ms, 2.9 million deliveries a second.
func BenchmarkRun2000Payments(b *testing.B) {
	s := DefaultScenario()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Run(s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(2100*b.N)/b.Elapsed().Seconds()/1e6, "Mdeliveries/s")
}

// BenchmarkRecord2000Payments: 3 ms for 27,294 events with snapshots.
func BenchmarkRecord2000Payments(b *testing.B) {
	s := DefaultScenario()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Record(s); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAt: 40 us for any event of that trace.
func BenchmarkAt(b *testing.B) {
	trace := mustRecord(b, DefaultScenario(), snapshotInterval)
	n := 0
	for b.Loop() {
		n = (n + 7919) % trace.Len()
		trace.At(n)
	}
}

// BenchmarkMillionDeliveries: 3.0 million deliveries a second, in 9 KB.
func BenchmarkMillionDeliveries(b *testing.B) {
	s := DefaultScenario()
	s.Payments = 1_000_000
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Run(s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(1_050_000*b.N)/b.Elapsed().Seconds()/1e6, "Mdeliveries/s")
}

// boxed is the queue one would write first: container/heap over the same timers.
type boxed []timer

func (b boxed) Len() int           { return len(b) }
func (b boxed) Less(i, j int) bool { return b[i].before(b[j]) }
func (b boxed) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *boxed) Push(x any)        { *b = append(*b, x.(timer)) }
func (b *boxed) Pop() any {
	last := (*b)[len(*b)-1]
	*b = (*b)[:len(*b)-1]
	return last
}

// pending is how many timers the queues are compared at: a delivery each of the
// second lesson, all at once.
const pending = 2100

// BenchmarkQueueOfTimers: 72 ns for a pop and a push where container/heap takes
// 220, and nothing allocated.
func BenchmarkQueueOfTimers(b *testing.B) {
	delays := newStreams(1)
	b.Run("own", func(b *testing.B) {
		var q eventQueue
		for i := range int64(pending) {
			q.push(below(delays.draw(concernCharge, i, 0), second), timerWorker, 0)
		}
		b.ReportAllocs()
		i := int64(0)
		for b.Loop() {
			t := q.pop()
			at := t.at + below(delays.draw(concernCharge, i, 1), second)
			i++
			q.push(at, t.kind(), t.ref())
		}
	})
	b.Run("container-heap", func(b *testing.B) {
		var q boxed
		seq := uint64(0)
		for i := range int64(pending) {
			seq++
			heap.Push(&q, timer{below(delays.draw(concernCharge, i, 0), second), seq})
		}
		b.ReportAllocs()
		i := int64(0)
		for b.Loop() {
			t := heap.Pop(&q).(timer)
			t.at += below(delays.draw(concernCharge, i, 1), second)
			i++
			seq++
			t.order = seq
			heap.Push(&q, t)
		}
	})
}
