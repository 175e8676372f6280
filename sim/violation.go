package sim

import "sort"

// ViolationKind is what went wrong with a payment.
type ViolationKind uint8

// The violations.
const (
	ChargedTwice ViolationKind = iota // the customer paid again
	NeverCharged                      // every delivery is acknowledged and nobody paid
)

// String is the violation in words.
func (k ViolationKind) String() string {
	if k == NeverCharged {
		return "never charged"
	}
	return "charged twice"
}

// Violation is an event at which a payment was charged again, or lost for good.
type Violation struct {
	Seq     int // the event's index
	Payment int32
	Kind    ViolationKind
}

// judge notes the violation that event i is, if it is one.
func (t *Trace) judge(before *Counters, s *State, i int) {
	e := &t.events[i]
	switch {
	case s.Counters.Lost > before.Lost:
		t.violations = append(t.violations, Violation{i, e.Payment, NeverCharged})
	case s.Counters.Charges > before.Charges && s.Payments[e.Payment].Charges > 1:
		t.violations = append(t.violations, Violation{i, e.Payment, ChargedTwice})
	}
}

// Violations lists what went wrong, in order.
func (t *Trace) Violations() []Violation { return t.violations[:len(t.violations):len(t.violations)] }

// ViolationAt is the violation that an event is; ok is false for the others.
func (t *Trace) ViolationAt(seq int) (v Violation, ok bool) {
	i := sort.Search(len(t.violations), func(i int) bool { return t.violations[i].Seq >= seq })
	if i == len(t.violations) || t.violations[i].Seq != seq {
		return Violation{}, false
	}
	return t.violations[i], true
}

// NextViolation is the smallest n after the given one at which the last event
// of At(n) is a violation.
func (t *Trace) NextViolation(n int) (next int, ok bool) {
	i := sort.Search(len(t.violations), func(i int) bool { return t.violations[i].Seq >= n })
	if i == len(t.violations) {
		return n, false
	}
	return t.violations[i].Seq + 1, true
}

// PrevViolation is the largest n before the given one at which the last event
// of At(n) is a violation.
func (t *Trace) PrevViolation(n int) (prev int, ok bool) {
	i := sort.Search(len(t.violations), func(i int) bool { return t.violations[i].Seq >= n-1 })
	if i == 0 {
		return n, false
	}
	return t.violations[i-1].Seq + 1, true
}

// Visible says whether the event changes something beyond a worker's own
// progress through a step: all but starts and answers.
func (e Event) Visible() bool { return e.Kind != EventStart && e.Kind != EventAnswer }

// NextVisible is the smallest n after the given one at which the last event of
// At(n) is a visible change; Len when there is none.
func (t *Trace) NextVisible(n int) int {
	for n = max(n, 0); n < len(t.events); n++ {
		if t.events[n].Visible() {
			return n + 1
		}
	}
	return len(t.events)
}

// PrevVisible is the largest n before the given one at which the last event of
// At(n) is a visible change; 0 when there is none.
func (t *Trace) PrevVisible(n int) int {
	for n = min(n, len(t.events)) - 1; n > 0; n-- {
		if t.events[n-1].Visible() {
			return n
		}
	}
	return 0
}
