package sim

// timerKind is what a timer of the engine is for.
type timerKind uint8

const (
	timerWorker  timerKind = iota // a worker's next moment
	timerReady                    // a waiting message can be delivered
	timerVisible                  // the broker stops waiting for an ack
	timerExpire                   // a lease lapses
	timerRenew                    // a worker renews its claim
)

// slot is a payment in process: its cell, and what the engine must know to
// free it. It is reused when no delivery of the payment can still come, so a
// run without a trace needs memory for what is in process only.
type slot struct {
	cell         Cell
	payment      int64
	primary      int32 // the slot of the payment's ledger, where this one is a second message id's; else -1
	faults       faults
	gone         uint64 // a bit for each message of the payment that the broker has deleted
	expiring     bool   // a timer for the present lease is set
	outstanding  int32  // deliveries that are at work or still to come
	ordinal      uint32 // the last ordinal given out
	claimEvent   int32
	leaseUntil   int64
	rememberedAt int64 // when the table wrote what it remembers
	keyAt        int64 // when the provider first saw the key
	accepted     int64 // when the broker last accepted the message id
}

// phase is what a worker's next timer is for.
type phase uint8

const (
	phaseIdle   phase = iota
	phaseBefore       // the effect of a step is to come
	phaseAfter        // the answer that ends the delivery is to come
	phaseCrash        // it will crash
	phasePause        // it will pause
	phasePaused       // it stands still before the answer, and does not know it
	phaseDown         // it crashed and is starting again
)

// noStep marks that no fault is planned.
const noStep = 255

type worker struct {
	message     message
	delivery    Delivery
	phase       phase
	pc          uint8   // the step in progress
	steps       uint8   // effects so far in this delivery
	crashAt     uint8   // crash after so many effects
	pauseAt     uint8   // pause after so many effects
	visible     bool    // a timer for the broker's patience is set
	replaced    bool    // the broker has delivered the message again meanwhile
	outcome     Outcome // of this delivery's charge
	busy        bool
	ackLost     bool  // this delivery's ack will not arrive
	rebalanceAt uint8 // the group is rebalanced after so many effects
	renewing    bool  // a timer for the next renewal is set
	answerAt    int64
	next        int64 // the worker's next moment
	pause       int64 // how long a pause lasts
	charge      int64 // how long the charge takes; 0: drawn from the seed
	renewAt     int64 // the next renewal
	deadline    int64 // the broker's patience ends
	cause       int32 // the worker's last event
	turn        int32 // of a log: the partition to look at first
}

// engine runs a scenario in virtual time.
type engine struct {
	scenario    Scenario
	handler     *Handler
	streams     streams
	timings     timings
	queue       eventQueue
	now         int64
	source      workload
	copies      fifo[placedCopy] // copies whose place in the queue has not come
	place       int64
	ready       fifo[message] // came back or came late; ahead of the queue
	waiting     []message     // with a timer
	freeWait    []int32
	slots       []slot
	freeSlots   []int32
	workers     []worker
	idle        uint64 // a bit for each idle worker
	mainSteps   int64
	result      Result
	recorder    *recorder   // nil: no trace
	sends       []Send      // of a script; nil: the messages come from the workload
	log         []partition // nil: the broker is a queue
	commitEvery int

	silenceLimit int64 // how often the broker may wait for a message's ack in vain
}

// placedCopy is a copy and the place in the queue at which it stands.
type placedCopy struct {
	place   int64
	message message
}

// timings are the delays of a scenario, in nanoseconds.
type timings struct {
	visibility int64 // the broker's patience for an ack
	redeliver  int64 // from a return to the next delivery
	restart    int64 // from a crash to the worker's return
	pause      int64
	patience   int64 // how long a worker waits for an answer that was lost
}

// The world's delays, unless the scenario says otherwise, follow the charge and the lease, so that one parameter
// scales a scenario: a broker waits for an ack as long as a lease lasts, and
// at least for ten charges; a pause outlasts both.
func (s *Scenario) timings() timings {
	visibility := s.Visibility
	if visibility == 0 {
		visibility = max(s.Lease, 10*s.Charge)
	}
	return timings{
		visibility: visibility,
		redeliver:  s.Charge,
		restart:    10 * s.Charge,
		pause:      visibility + visibility/2,
		patience:   5 * s.Charge,
	}
}

func newEngine(s Scenario, r *recorder) *engine {
	e := &engine{
		scenario: s, handler: s.handler(), streams: newStreams(s.Seed), timings: s.timings(),
		workers: make([]worker, s.Workers), recorder: r,
		result:       Result{Handler: s.Handler, Seed: s.Seed},
		silenceLimit: s.silenceLimit(),
	}
	e.source = newWorkload(&e.scenario, &e.streams)
	if s.Log {
		e.log, e.commitEvery = newLog(s.Workers), standardCommit
		if s.CommitEvery > 0 {
			e.commitEvery = int(s.CommitEvery)
		}
	}
	for pc := uint8(0); pc != End; pc = e.handler.Program[pc].Next {
		e.mainSteps++
	}
	return e
}

// step handles the earliest timer.
func (e *engine) step() {
	t := e.queue.pop()
	switch ref := t.ref(); t.kind() {
	case timerWorker:
		e.now = t.at
		e.advance(ref)
	case timerReady:
		e.now = t.at
		m := e.waiting[ref]
		e.freeWait = append(e.freeWait, ref)
		if m.unblocks {
			e.unblock(m.partition)
			return
		}
		e.arrive(m)
	case timerVisible:
		e.visible(ref, t.at)
	case timerExpire:
		e.expire(ref, t.at)
	case timerRenew:
		e.renew(ref, t.at)
	}
}

// pick gives the worker its next message, or leaves it idle.
func (e *engine) pick(w int32) {
	if e.log != nil {
		e.pickLog(w)
		return
	}
	for e.ready.len() > 0 {
		m := e.ready.pop()
		if e.slots[m.slot].gone&(1<<m.send) == 0 {
			e.deliver(w, m)
			return
		}
		e.drop(&m)
	}
	if m, ok := e.nextInQueue(); ok {
		e.deliver(w, m)
		return
	}
	e.workers[w].phase = phaseIdle
	e.idle |= 1 << w
}

// nextInQueue takes the message at the queue's head: a copy whose place has
// come, or the next payment.
func (e *engine) nextInQueue() (message, bool) {
	if e.copies.len() > 0 && e.copies.first().place <= e.place {
		e.place++
		return e.copies.pop().message, true
	}
	a, ok := e.source.arrive()
	if !ok {
		if e.copies.len() == 0 {
			return message{}, false
		}
		e.place++
		return e.copies.pop().message, true
	}
	m := message{payment: a.payment, slot: e.newSlot(a), ordinal: 1, cause: -1}
	s := &e.slots[m.slot]
	s.outstanding, s.ordinal = 1, 1
	if a.faults&faultDuplicate != 0 {
		s.outstanding, s.ordinal = 2, 2
		if e.scenario.CopyAfter == 0 {
			twin := e.twin(m)
			e.copies.push(placedCopy{e.place + e.scenario.Distance, twin})
		}
	}
	e.place++
	return m, true
}

func (e *engine) newSlot(a arrival) int32 {
	var i int32
	if n := len(e.freeSlots); n > 0 {
		i = e.freeSlots[n-1]
		e.freeSlots = e.freeSlots[:n-1]
	} else {
		i = int32(len(e.slots))
		e.slots = append(e.slots, slot{})
	}
	e.slots[i] = slot{payment: a.payment, faults: a.faults, primary: -1, claimEvent: -1, keyAt: -1, accepted: -1}
	return i
}

// settle counts one delivery less for the payment; with the last one its cell
// is counted and freed.
func (e *engine) settle(i int32) {
	s := &e.slots[i]
	s.outstanding--
	if s.outstanding > 0 {
		return
	}
	e.freeSlots = append(e.freeSlots, i)
	if s.primary >= 0 {
		e.settle(s.primary)
		return
	}
	r, c := &e.result, &s.cell
	r.Payments++
	r.Charges += int64(c.Charges)
	if c.Charges >= 2 {
		r.ChargedTwice++
	}
	if c.Charges == 0 {
		r.NeverCharged++
	}
	if c.Rec == RecClaimed && (e.handler.Leased || c.Charges == 0) {
		r.Stuck++
	}
}

// twin is the payment's copy. A producer's retry has a message id of its own:
// where table and provider go by that, it has a row of its own too.
func (e *engine) twin(m message) message {
	twin := m
	twin.copy, twin.send, twin.ordinal, twin.receives = 1, 1, 2, 0
	if e.scenario.ByMessage {
		twin.slot = e.newSlot(arrival{payment: m.payment})
		s := &e.slots[twin.slot]
		s.primary, s.outstanding, s.ordinal = m.slot, 1, 2
	}
	return twin
}

// schedule sets the worker's next moment. What would come first, the end of
// the broker's patience or of the lease, gets its own timer: only then, so
// that a run without such trouble has one timer a worker.
func (e *engine) schedule(i int32, at int64) {
	w := &e.workers[i]
	w.next = at
	e.queue.push(at, timerWorker, i)
	if at > w.deadline && !w.visible {
		w.visible = true
		e.queue.push(w.deadline, timerVisible, i)
	}
	if w.delivery.Tok != 0 {
		e.watchLease(w.message.slot, at)
		e.watchRenewal(i)
	}
}
