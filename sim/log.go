package sim

import "math/bits"

// A log is a broker that keeps messages in partitions and remembers one offset
// for each: what lies before it is done. A partition belongs to one worker,
// which takes its messages in order and commits the offset now and then. When
// the partition changes hands without a word, because its worker crashed or
// fell silent or the group was rebalanced in mid-work, the new owner begins at
// the last commit: everything since is delivered again, finished work too. One
// message cannot be put back: it blocks the partition, or is copied to a retry
// topic, from which any worker takes it.

// partition is one partition of the log.
type partition struct {
	owner   int32     // the worker that reads it
	home    int32     // the worker that should
	entries []message // what is not committed, in order
	next    int       // the entry to be delivered next
	done    int       // entries that are done and not committed
	blocked bool      // until an entry may be tried again
}

// standardCommit is after how many messages an offset is committed unless the
// scenario says otherwise.
const standardCommit = 10

// newLog gives each worker one partition.
func newLog(workers int) []partition {
	log := make([]partition, workers)
	for i := range log {
		log[i].owner, log[i].home = int32(i), int32(i)
	}
	return log
}

// partitionOf is the partition of a payment: messages with the same key are in
// the same one, an original and its copy too.
func (e *engine) partitionOf(m *message) int32 { return int32(m.payment % int64(len(e.log))) }

// pickLog gives the worker the next message of its partitions, or of the retry
// topic, or leaves it idle.
func (e *engine) pickLog(i int32) {
	e.handOver(i)
	if e.ready.len() > 0 {
		e.deliver(i, e.ready.pop())
		return
	}
	for n := range e.log {
		// Turn about: after a message of one of its partitions, the next one's.
		j := (int(e.workers[i].turn) + n) % len(e.log)
		if p := &e.log[j]; p.owner == i && !p.blocked && e.readable(int32(j)) {
			e.workers[i].turn = int32(j) + 1
			m := p.entries[p.next]
			p.next++
			e.deliver(i, m)
			return
		}
	}
	for j := range e.log {
		if e.log[j].owner == i {
			e.commit(int32(j), i)
		}
	}
	e.workers[i].phase = phaseIdle
	e.idle |= 1 << i
}

// readable makes sure that the partition has an entry to deliver. One over which
// too many workers fell silent is put aside, and counts as done.
func (e *engine) readable(j int32) bool {
	for p := &e.log[j]; e.fill(j); {
		m := &p.entries[p.next]
		if int64(m.silences) < e.silenceLimit {
			return true
		}
		e.record(Event{Kind: EventDeadLetter, Lane: LaneBroker, Worker: -1, Cause: m.cause}, m)
		e.result.DeadLetters++
		p.next++
		p.done++
		e.commit(j, p.owner) // it does not come again with the next rebalance
	}
	return false
}

// fill makes sure that the partition has an entry to deliver. Entries of other
// partitions that come first are kept there.
func (e *engine) fill(j int32) bool {
	for p := &e.log[j]; p.next == len(p.entries); {
		m, ok := e.nextInQueue()
		if !ok {
			return false
		}
		e.append(m)
	}
	return true
}

// append adds a message to its partition.
func (e *engine) append(m message) {
	m.partition = e.partitionOf(&m)
	p := &e.log[m.partition]
	p.entries = append(p.entries, m)
}

// wake lets an idle worker look again.
func (e *engine) wake(i int32) {
	if e.idle>>i&1 != 0 {
		e.idle &^= 1 << i
		e.pick(i)
	}
}

// wakeAny lets one idle worker look at the retry topic.
func (e *engine) wakeAny() {
	if e.idle != 0 {
		e.wake(int32(bits.TrailingZeros64(e.idle)))
	}
}

// acked counts the worker's entry as done, and commits when enough are. What a
// worker acks after its partition went elsewhere counts for nothing.
func (e *engine) acked(i int32) {
	w := &e.workers[i]
	if w.message.retry || w.replaced {
		return
	}
	p := &e.log[w.message.partition]
	p.done++
	if p.done >= e.commitEvery {
		e.commit(w.message.partition, i)
	}
}

// commit moves the offset over everything that is done. Only now can the cells
// of these payments be freed: until now they could all come again.
func (e *engine) commit(j, i int32) {
	p := &e.log[j]
	if p.done == 0 {
		return
	}
	e.record(Event{Kind: EventCommitOffset, Lane: LaneBroker, Worker: int16(i), Cause: e.workers[i].cause}, nil)
	for n := range p.done {
		e.settle(p.entries[n].slot)
	}
	p.entries = p.entries[:copy(p.entries, p.entries[p.done:])]
	p.next -= p.done
	p.done = 0
}

// putBack ends a delivery from the log badly. From a retry topic it comes
// again; an entry of the log blocks its partition or moves to that topic.
func (e *engine) putBack(i int32, delay int64) {
	w := &e.workers[i]
	m := w.message
	switch {
	case m.retry:
		e.comeBack(w, delay)
	case e.scenario.RetryTopic:
		e.slots[m.slot].outstanding++
		e.acked(i)
		w.message.retry = true
		e.comeBack(w, delay)
	default:
		p := &e.log[m.partition]
		p.next--
		again := &p.entries[p.next]
		again.ordinal, again.again, again.cause, again.receives, again.tries = e.nextOrdinal(m.slot), true, w.cause, m.receives, m.tries
		e.block(m.partition, delay)
	}
}

// block keeps the partition from being read for a while.
func (e *engine) block(j int32, delay int64) {
	e.log[j].blocked = true
	e.later(message{partition: j, unblocks: true}, delay)
}

// unblock lets the partition be read again.
func (e *engine) unblock(j int32) {
	e.log[j].blocked = false
	e.wake(e.log[j].owner)
}

// lose takes every partition from a worker that crashed, fell silent or was
// rebalanced away in mid-work. What it has in hand it finishes in vain, unless
// it is dead.
func (e *engine) lose(i int32, dead bool) {
	w := &e.workers[i]
	heir := e.heir(i)
	if heir == i && !dead {
		return
	}
	ours := !w.message.retry && !w.replaced // it has an entry of the log in hand
	if ours && !dead {
		w.replaced = true
		e.slots[w.message.slot].outstanding++ // the delivery that it finishes in vain
	}
	for j := range e.log {
		p := &e.log[j]
		if p.owner != i {
			continue
		}
		inHand := -1
		if ours && int(w.message.partition) == j {
			inHand = p.next - 1
		}
		p.owner = heir
		cause := e.record(Event{Kind: EventRebalance, Lane: LaneBroker, Worker: int16(heir), Cause: w.cause}, nil)
		e.rewind(int32(j), inHand, dead, cause)
		if dead {
			e.block(int32(j), e.timings.redeliver) // until the group has noticed
		} else {
			e.wake(heir)
		}
	}
}

// rewind goes back to the last commit: everything since is to come again.
func (e *engine) rewind(j int32, inHand int, dead bool, cause int32) {
	p := &e.log[j]
	for n := range p.next {
		m := &p.entries[n]
		m.ordinal, m.again, m.cause = e.nextOrdinal(m.slot), true, cause
		if n == inHand && dead {
			continue // the crash has given it back already
		}
		e.record(Event{Kind: EventRewind, Lane: LaneBroker, Worker: -1, Cause: cause}, m)
	}
	p.next, p.done = 0, 0
}

// heir is the next worker that is up, or the worker itself where it is alone.
func (e *engine) heir(i int32) int32 {
	n := int32(len(e.workers))
	for k := int32(1); k < n; k++ {
		j := (i + k) % n
		if w := &e.workers[j]; w.phase != phaseDown && w.phase != phasePaused {
			return j
		}
	}
	return i
}

// handOver gives partitions back to the workers they belong to, between two
// messages and after a commit: nothing comes again.
func (e *engine) handOver(i int32) {
	for j := range e.log {
		p := &e.log[j]
		if p.owner != i || p.home == i || p.blocked {
			continue
		}
		if home := &e.workers[p.home]; home.phase == phaseDown || home.phase == phasePaused || home.replaced {
			continue
		}
		e.commit(int32(j), i)
		p.owner = p.home
		e.record(Event{Kind: EventRebalance, Lane: LaneBroker, Worker: int16(p.home), Cause: e.workers[i].cause}, nil)
		e.wake(p.home)
	}
}

// rejoin asks for the worker's own partition after a restart or a stall. Who
// has it gives it up between two messages; who is idle does so now.
func (e *engine) rejoin(i int32) {
	if owner := e.log[i].owner; owner != i && e.idle>>owner&1 != 0 {
		e.handOver(owner)
	}
}

// crashLog takes the partitions from a worker that has crashed.
func (e *engine) crashLog(i int32) {
	w := &e.workers[i]
	e.watchLease(w.message.slot, never)
	switch {
	case w.message.retry:
		e.comeBack(w, e.delay(w))
	case w.replaced:
		w.message.cause = w.cause
		e.drop(&w.message)
	}
	e.lose(i, true)
}
