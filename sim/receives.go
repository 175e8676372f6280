package sim

import "fmt"

// standardReceives bounds how often a broker waits in vain for the ack of a message
// that could otherwise come for ever, where the scenario names no bound: at a queue
// that ignores late acks while every ack is late, and at a log whose workers fall
// silent over the same message in turn. It is the limit that RabbitMQ's quorum queues have unless told
// otherwise, since version 4.0.
// https://www.rabbitmq.com/docs/quorum-queues#poison-message-handling
const standardReceives = 20

// ignoresLateAcks says whether the broker is a queue that ignores late acks.
func (s *Scenario) ignoresLateAcks() bool { return s.LateAckIgnored && !s.Log && !s.Direct }

// silenceLimit is how often a broker may wait in vain for the ack of a message,
// where it could go on for ever, before the message is put aside.
func (s *Scenario) silenceLimit() int64 {
	if s.MaxReceives == 0 {
		return standardReceives
	}
	return s.MaxReceives
}

// maxReturns is how often a message may come back while somebody holds its claim.
const maxReturns = 1_000_000

// shortest is the shortest patience that a broker may have: where it is short
// beside the lease, a worker's skew or the charge, a message that finds the claim
// held comes back very often.
func (s *Scenario) shortest() int64 {
	held := max(s.Lease, 10*s.Charge)
	if s.NodeClock {
		held = max(held, s.Skew)
	}
	return held / maxReturns
}

// impatient returns an error where the broker's patience is shorter than that.
func (s *Scenario) impatient() error {
	patience := s.timings().visibility
	switch {
	case s.Direct || patience >= s.shortest():
		return nil
	case s.Visibility > 0:
		return &RangeError{"visibility", formatNanos(s.Visibility), fmt.Sprintf("0s (as the lease) or at least %s, a millionth of the time for which a claim may be held", formatNanos(s.shortest()))}
	}
	return &RangeError{"skew", formatNanos(s.Skew), fmt.Sprintf("at most %s, a million times the broker's patience", formatLimit(patience*maxReturns))}
}

// mostTries is how often a message may be charged in vain because each charge
// takes longer than the broker waits.
func (s *Scenario) mostTries() int64 {
	const slowest = 10 // no charge takes as many times its median
	switch {
	case s.ignoresLateAcks():
		return s.silenceLimit()
	case s.Log && s.Visibility > 0 && s.Visibility/slowest < s.Charge:
		return s.silenceLimit()
	}
	return 1
}

// endlessError says that the charges, one after the other, would take longer than
// a year.
func (s *Scenario) endlessError() error {
	tries, times := s.mostTries(), ""
	if tries > 1 {
		times = fmt.Sprintf(" that may be charged up to %d times each", tries)
	}
	most := MaxTime / s.Payments / tries
	return &RangeError{"charge", formatNanos(s.Charge), fmt.Sprintf("at most %s with %s%s, a year in all", formatLimit(most), plural(s.Payments, "payment", "payments"), times)}
}
