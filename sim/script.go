package sim

import "fmt"

// MaxSends is how many messages a script can have.
const MaxSends = 64

// FaultKind is what goes wrong in a scripted delivery.
type FaultKind uint8

// The faults of a script.
const (
	NoFault FaultKind = iota
	FaultCrash
	FaultPause
)

// Send is one message of a script: when it comes, and what happens in its first
// delivery.
type Send struct {
	At      int64 // when it reaches the broker, or the worker where there is none
	Charge  int64 // how long its charge takes; 0: as long as the scenario says
	Outcome Outcome
	Fault   FaultKind
	After   uint8 // the fault comes after so many steps
	Pause   int64 // how long a pause lasts; 0: as the scenario's pauses
}

// Script is a run of one payment whose messages are told one by one. The
// scenario's fractions, copies and number of payments do not matter.
type Script struct {
	Scenario Scenario
	Sends    []Send // in the order of their times
}

// Validate returns a *RangeError for the first thing that is out of range.
func (s Script) Validate() error {
	if n := len(s.Sends); n < 1 || n > MaxSends {
		return &RangeError{"sends", fmt.Sprint(n), fmt.Sprintf("1 to %d", MaxSends)}
	}
	last := int64(0)
	for i, send := range s.Sends {
		times := []int64{send.At, send.Charge, send.Pause}
		for _, t := range times {
			if t < 0 || t > MaxTime {
				return &RangeError{fmt.Sprintf("time of send %d", i+1), formatNanos(t), "0s to 366d"}
			}
		}
		if send.At < last || send.Outcome > Timeout || send.Fault > FaultPause {
			return &RangeError{fmt.Sprintf("send %d", i+1), "out of order or unknown", "after the one before it, with a known outcome and fault"}
		}
		last = send.At
	}
	return s.Scenario.Validate()
}

// RecordScript runs the script and keeps its trace. The error is a *RangeError.
func RecordScript(s Script) (*Trace, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	c := s.Scenario
	c.Payments, c.Duplicates, c.CopyAfter, c.Fail, c.Crash, c.Timeout, c.Slow = 1, 0, 0, 0, 0, 0, 0
	return recordRun(c, s.Sends, snapshotInterval)
}

// startScript sets a timer for each message of the script.
func (e *engine) startScript() {
	e.source.next = e.source.total
	i := e.newSlot(arrival{})
	s := &e.slots[i]
	s.outstanding, s.ordinal = int32(len(e.sends)), uint32(len(e.sends))
	for n, send := range e.sends {
		e.later(message{slot: i, ordinal: uint32(n + 1), copy: uint8(n), cause: -1}, send.At)
	}
}

// planSend lets happen in a message's first delivery what the script says.
func (e *engine) planSend(w *worker) {
	send := &e.sends[w.message.copy]
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
	}
}
