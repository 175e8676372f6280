package sim

import "fmt"

// standardReceives bounds the deliveries of a message that could otherwise come
// for ever, where the scenario names no bound: where late acks are ignored and
// every ack is late, and where each worker of a log in turn falls silent over the
// same message. It is the limit that RabbitMQ's quorum queues have unless told
// otherwise, since version 4.0.
// https://www.rabbitmq.com/docs/quorum-queues#poison-message-handling
const standardReceives = 20

// ignoresLateAcks says whether the broker is a queue that ignores late acks.
func (s *Scenario) ignoresLateAcks() bool { return s.LateAckIgnored && !s.Log && !s.Direct }

// receiveLimit is how many deliveries of a message there are before a queue makes
// it a dead letter; 0: any number.
func (s *Scenario) receiveLimit() int64 {
	if s.MaxReceives == 0 && s.ignoresLateAcks() {
		return standardReceives
	}
	return s.MaxReceives
}

// silenceLimit is how many workers of a log may fall silent over a message before
// it is put aside.
func (s *Scenario) silenceLimit() int64 {
	if s.MaxReceives == 0 {
		return standardReceives
	}
	return s.MaxReceives
}

// mostTries is how often a message may be charged in vain because each charge
// takes longer than the broker waits.
func (s *Scenario) mostTries() int64 {
	const slowest = 10 // no charge takes as many times its median
	switch {
	case s.ignoresLateAcks():
		return s.receiveLimit()
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
