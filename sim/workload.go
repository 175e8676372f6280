package sim

// message is one strand of a message: in the broker's hands or at a worker.
type message struct {
	payment   int64
	slot      int32
	ordinal   uint32 // which delivery of the payment this is or will be
	cause     int32  // the event that made it available, or -1
	receives  uint16 // how often it was delivered
	silences  uint16 // how often the broker has waited for its ack in vain
	copy      uint8  // which message of the payment: 0 the original, 1 its copy
	tries     uint8  // how often it came back because somebody held the claim
	send      uint8  // which of the payment's messages at the broker this is; of a script: its place there
	again     bool   // it was delivered before
	replay    bool   // of a script: it is the payment's first message once more
	retry     bool   // of a log: it is in the retry topic
	unblocks  bool   // of a log: it is no message, but the end of a partition's wait
	partition int32  // of a log
}

// strata spreads round(F x N) faults evenly: one in each of as many equal
// strata of the payments, at a place drawn from the seed. So a small fraction
// is met exactly in every run, not only on average.
type strata struct {
	streams *streams
	concern concern
	total   int64
	count   int64
	index   int64
	chosen  int64 // the chosen payment of stratum index; -1: none left
}

func newStrata(s *streams, c concern, total int64, f Fraction) strata {
	t := strata{streams: s, concern: c, total: total, count: f.of(total), chosen: -1}
	t.choose()
	return t
}

func (t *strata) choose() {
	if t.index >= t.count {
		t.chosen = -1
		return
	}
	low := t.index * t.total / t.count
	high := (t.index + 1) * t.total / t.count
	t.chosen = low + below(t.streams.draw(t.concern, t.index, 0), high-low)
}

// has says whether the payment is chosen. Payments must be asked for in order.
func (t *strata) has(payment int64) bool {
	if payment != t.chosen {
		return false
	}
	t.index++
	t.choose()
	return true
}

// faults are what is going to go wrong in a payment's first delivery.
type faults uint8

const (
	faultDuplicate faults = 1 << iota
	faultFail
	faultCrash
	faultTimeout
	faultSlow
	faultAckLost
	faultRebalance
)

// arrival is a payment as it comes out of the workload.
type arrival struct {
	payment int64
	faults  faults
}

// workload makes the payments in the order of the queue, one when it is
// needed. It knows nothing of handlers, so that switching the handler leaves
// it unchanged.
type workload struct {
	total int64
	next  int64
	kinds [7]strata
}

func newWorkload(s *Scenario, streams *streams) workload {
	return workload{total: s.Payments, kinds: [7]strata{
		newStrata(streams, concernDuplicate, s.Payments, s.Duplicates),
		newStrata(streams, concernFail, s.Payments, s.Fail),
		newStrata(streams, concernCrash, s.Payments, s.Crash),
		newStrata(streams, concernTimeout, s.Payments, s.Timeout),
		newStrata(streams, concernSlow, s.Payments, s.Slow),
		newStrata(streams, concernAckLost, s.Payments, s.AckLost),
		newStrata(streams, concernRebalance, s.Payments, s.Rebalance),
	}}
}

// arrive makes the next payment; ok is false when there are no more.
func (w *workload) arrive() (a arrival, ok bool) {
	if w.next == w.total {
		return arrival{}, false
	}
	a.payment = w.next
	for i := range w.kinds {
		if w.kinds[i].has(w.next) {
			a.faults |= 1 << i
		}
	}
	w.next++
	return a, true
}
