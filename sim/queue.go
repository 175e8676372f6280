package sim

// timer is an entry of the event queue. Its order is total: time, then the
// sequence in which the timers were set.
type timer struct {
	at   int64
	seq  uint64
	kind timerKind
	ref  int32 // the worker, or the place of a waiting message
	gen  uint32
}

func (t *timer) before(u *timer) bool {
	return t.at < u.at || t.at == u.at && t.seq < u.seq
}

// eventQueue is a heap of timers with four children a node: half as deep as a
// binary heap, and values instead of interfaces, so that nothing is allocated
// once it has grown.
type eventQueue struct {
	heap []timer
	seq  uint64
}

func (q *eventQueue) len() int { return len(q.heap) }

// push sets a timer; its sequence number is the next one.
func (q *eventQueue) push(t timer) {
	q.seq++
	t.seq = q.seq
	q.heap = append(q.heap, t)
	h, i := q.heap, len(q.heap)-1
	for i > 0 {
		parent := (i - 1) / 4
		if !t.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = t
}

// pop takes the earliest timer. The queue must not be empty.
func (q *eventQueue) pop() timer {
	h := q.heap
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	q.heap = h
	if len(h) == 0 {
		return top
	}
	i := 0
	for {
		first := 4*i + 1
		if first >= len(h) {
			break
		}
		least := first
		for child := first + 1; child < min(first+4, len(h)); child++ {
			if h[child].before(&h[least]) {
				least = child
			}
		}
		if !h[least].before(&last) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = last
	return top
}

// fifo is a queue that reuses its space.
type fifo[T any] struct {
	items []T
	head  int
}

func (f *fifo[T]) len() int { return len(f.items) - f.head }

func (f *fifo[T]) push(item T) {
	if f.head > 32 && f.head*2 > len(f.items) {
		f.items = f.items[:copy(f.items, f.items[f.head:])]
		f.head = 0
	}
	f.items = append(f.items, item)
}

func (f *fifo[T]) first() *T { return &f.items[f.head] }

func (f *fifo[T]) pop() T {
	item := f.items[f.head]
	f.head++
	return item
}
