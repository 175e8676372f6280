package sim

import "fmt"

// MaxSends is how many messages a script can have.
const MaxSends = 64

// FaultKind is what goes wrong in a scripted delivery.
type FaultKind uint8

// The faults of a script.
const (
	NoFault        FaultKind = iota
	FaultCrash               // the worker dies after so many steps; 0: before the first
	FaultPause               // it stands still after so many steps, one at least
	FaultRebalance           // of a log: the partition goes to another worker after so many steps, one at least
	FaultAckLost             // of a queue: the ack does not arrive, and the broker waits until its patience ends
	faultKindCount
)

// Send is one message of a script: when it comes, and what happens in its first
// delivery.
type Send struct {
	At      int64 // when it reaches the broker, or the worker where there is none
	Payment uint8 // whose it is, counted from 0; a script has every payment up to its last
	Charge  int64 // how long its charge takes; 0: as long as the scenario says
	Outcome Outcome
	Fault   FaultKind
	After   uint8 // the fault comes after so many steps; an ack is lost whatever it says
	Pause   int64 // how long a pause lasts; 0: as the scenario's pauses

	// Replay is not a new message but the payment's first one once more, under
	// the same message id: a log that is read again from an earlier offset, or a
	// backup, an outbox or dead letters that are sent again. No window of the
	// broker refuses it.
	Replay bool
}

// Script is a run of a few payments whose messages are told one by one. The
// scenario's fractions, copies and number of payments do not matter. Where table
// and provider go by message id, a payment has at most two messages, and replays
// of its first.
//
// A rebalance needs a log and a second worker: payment p of a log lies in
// partition p modulo the number of workers, and everything of that partition
// since the last commit (every Scenario.CommitEvery messages, or when its worker
// has nothing else to do) is delivered again, finished work too.
type Script struct {
	Scenario Scenario
	Sends    []Send // in the order of their times
}

// payments is how many payments the script has.
func (s Script) payments() int64 {
	last := uint8(0)
	for _, send := range s.Sends {
		last = max(last, send.Payment)
	}
	return int64(last) + 1
}

// Validate returns a *RangeError for the first thing that is out of range.
func (s Script) Validate() error {
	if n := len(s.Sends); n < 1 || n > MaxSends {
		return &RangeError{"sends", fmt.Sprint(n), fmt.Sprintf("1 to %d", MaxSends)}
	}
	last, messages := int64(0), map[uint8]int{}
	for i, send := range s.Sends {
		for _, t := range []int64{send.At, send.Charge, send.Pause} {
			if t < 0 || t > MaxTime {
				return &RangeError{fmt.Sprintf("time of send %d", i+1), formatNanos(t), "0s to 366d"}
			}
		}
		name := fmt.Sprintf("send %d", i+1)
		if send.At < last || send.Outcome > Timeout || send.Fault >= faultKindCount {
			return &RangeError{name, "out of order or unknown", "after the one before it, with a known outcome and fault"}
		}
		if err := s.validateFault(name, send); err != nil {
			return err
		}
		last = send.At
		switch {
		case send.Replay && messages[send.Payment] == 0:
			return &RangeError{name, "a replay of nothing", "a message, or the replay of an earlier one"}
		case !send.Replay:
			messages[send.Payment]++
		}
		if s.Scenario.ByMessage && messages[send.Payment] > 2 {
			return &RangeError{name, "a third message", "one of at most two of a payment where the table goes by message id"}
		}
	}
	if n := s.payments(); int64(len(messages)) != n {
		return &RangeError{"payments of the sends", fmt.Sprintf("%d of %d", len(messages), n), "every payment up to the last"}
	}
	if err := s.Scenario.Validate(); err != nil {
		return err
	}
	return s.validateLength()
}

// validateLength refuses charges and pauses that, one after the other, would
// outlast the clock.
func (s Script) validateLength() error {
	total, tries := int64(0), s.Scenario.mostTries()
	for _, send := range s.Sends {
		total += send.Charge + send.Pause
	}
	if patience := s.Scenario.timings().visibility; total/maxReturns > patience {
		return &RangeError{"charges and pauses of the sends", formatNanos(total), "at most a million times the broker's patience in all"}
	}
	if total > longestRun/2/tries {
		return &RangeError{"charges and pauses of the sends", formatNanos(total), "at most " + formatLimit(longestRun/2/tries) + " in all"}
	}
	return nil
}

// validateFault refuses a fault that cannot happen in the scenario's world.
func (s Script) validateFault(name string, send Send) error {
	switch {
	case send.Fault == FaultRebalance && !s.Scenario.Log:
		return &RangeError{name, "a rebalance", "without one at a queue: only a log has partitions"}
	case send.Fault == FaultAckLost && s.Scenario.Log:
		return &RangeError{name, "a lost ack", "without one at a log: the next commit makes up for it"}
	case (send.Fault == FaultPause || send.Fault == FaultRebalance) && send.After == 0:
		return &RangeError{name, "a pause or rebalance before the first step", "after one step at least"}
	}
	return nil
}

// RecordScript runs the script and keeps its trace. The error is a *RangeError.
func RecordScript(s Script) (*Trace, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return recordRun(s.world(), s.Sends, snapshotInterval)
}

// world is the scenario without what the sends say instead.
func (s Script) world() Scenario {
	c := s.Scenario
	c.Payments = s.payments()
	c.Duplicates, c.CopyAfter, c.Fail, c.Crash, c.Timeout, c.Slow, c.AckLost, c.Rebalance = 0, 0, 0, 0, 0, 0, 0, 0
	return c
}

// startScript sets a timer for each message of the script.
func (e *engine) startScript() {
	e.source.next = e.source.total
	primaries, twins := make([]int32, e.source.total), map[int64]int32{}
	for p := range primaries {
		primaries[p] = e.newSlot(arrival{payment: int64(p)})
	}
	copies := make([]uint8, len(primaries)) // new messages of each payment so far
	for n, send := range e.sends {
		p := int64(send.Payment)
		m := message{payment: p, slot: primaries[p], send: uint8(n), replay: send.Replay, cause: -1}
		if !send.Replay {
			m.copy = copies[p]
			copies[p]++
		}
		primary := &e.slots[primaries[p]]
		primary.ordinal++
		m.ordinal = primary.ordinal
		if e.scenario.ByMessage && m.copy > 0 {
			m.slot = e.twinSlot(p, primaries[p], twins)
		}
		e.slots[m.slot].outstanding++
		e.later(m, send.At)
	}
}

// twinSlot is the row of the payment's second message id. The payment ends with
// the last of its messages, whichever row that has.
func (e *engine) twinSlot(payment int64, primary int32, twins map[int64]int32) int32 {
	i, ok := twins[payment]
	if !ok {
		i = e.newSlot(arrival{payment: payment})
		e.slots[i].primary = primary
		e.slots[primary].outstanding++
		twins[payment] = i
	}
	return i
}

// planSend lets happen in a message's first delivery what the script says.
func (e *engine) planSend(w *worker) {
	send := &e.sends[w.message.send]
	w.charge = send.Charge
	if w.message.again {
		return
	}
	w.outcome = send.Outcome
	switch send.Fault {
	case FaultCrash:
		w.crashAt = send.After
	case FaultPause:
		w.pauseAt = send.After
		if send.Pause > 0 {
			w.pause = send.Pause
		}
	case FaultRebalance:
		w.rebalanceAt = send.After
	case FaultAckLost:
		w.ackLost = true
	}
}
