package sim

import "math/bits"

// timer is an entry of the event queue, in 16 bytes: when it is due, and, from
// the top, in which sequence it was set (37 bits), what it is for (3 bits) and
// for whom (24 bits). Time, then sequence, is a total order.
type timer struct {
	at    int64
	order uint64
}

const (
	timerRefBits  = 24
	timerKindBits = 3
)

// kind is what the timer is for.
func (t timer) kind() timerKind { return timerKind(t.order >> timerRefBits & (1<<timerKindBits - 1)) }

// ref is the worker, the slot, or the place of a waiting message.
func (t timer) ref() int32 { return int32(t.order & (1<<timerRefBits - 1)) }

func (t timer) before(u timer) bool {
	return t.at < u.at || t.at == u.at && t.order < u.order
}

// sentinel is later than every timer.
var sentinel = timer{1<<63 - 1, 1<<64 - 1}

// eventQueue is a heap of timers with four children a node: half as deep as a
// binary heap, and values instead of interfaces, so that nothing is allocated
// once it has grown. Sentinels follow the last timer, so that every node has
// four children. A popped timer leaves a hole at the top, which the next push
// usually fills: most events set one timer.
type eventQueue struct {
	heap []timer // size timers and at least four sentinels
	size int
	seq  uint64
	hole bool
}

func (q *eventQueue) empty() bool { return q.size == 0 || q.size == 1 && q.hole }

// push sets a timer; its sequence number is the next one.
func (q *eventQueue) push(at int64, kind timerKind, ref int32) {
	q.seq++
	t := timer{at, q.seq<<(timerRefBits+timerKindBits) | uint64(kind)<<timerRefBits | uint64(ref)}
	if q.hole {
		q.hole = false
		q.down(t)
		return
	}
	for len(q.heap) < q.size+5 {
		q.heap = append(q.heap, sentinel)
	}
	h, i := q.heap, q.size
	q.size++
	for i > 0 {
		parent := (i - 1) / 4
		if !t.before(h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = t
}

// pop takes the earliest timer. The queue must not be empty.
func (q *eventQueue) pop() timer {
	if q.hole {
		q.size--
		last := q.heap[q.size]
		q.heap[q.size] = sentinel
		q.down(last)
	}
	q.hole = true
	return q.heap[0]
}

// down lets the timer sink from the top to its place. The least of four
// children is found without branches: which one it is, is a coin toss that no
// processor can predict.
func (q *eventQueue) down(t timer) {
	h, i := q.heap, 0
	for {
		first := 4*i + 1
		if first >= q.size {
			break
		}
		c := (*[4]timer)(h[first : first+4])
		left := earlier(&c[1], &c[0])
		right := 2 + earlier(&c[3], &c[2])
		least := left ^ (left^right)&-earlier(&c[right&3], &c[left&3])
		best := c[least&3]
		if !best.before(t) {
			break
		}
		h[i] = best
		i = first + int(least)
	}
	h[i] = t
}

// earlier is 1 where t is before u, else 0: the borrow of a 128-bit subtraction.
func earlier(t, u *timer) uint64 {
	_, borrow := bits.Sub64(t.order, u.order, 0)
	_, borrow = bits.Sub64(uint64(t.at), uint64(u.at), borrow)
	return borrow
}
