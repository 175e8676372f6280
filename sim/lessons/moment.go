package lessons

import "idemtui/sim"

// Moment is a rule that finds one event in a trace, so that turning a page
// moves the cursor whatever the seed and whatever a viewer has changed.
type Moment struct {
	place    place
	kind     sim.EventKind
	label    sim.Label
	delivery uint32 // 0: any
}

// place is what kind of rule a moment is.
type place uint8

const (
	placeStart     place = iota // before the first event
	placeEnd                    // after the last
	placeEvent                  // an event of a kind
	placeEffect                 // a step or a fault with a label
	placeViolation              // something went wrong
)

var (
	atStart = Moment{}
	atEnd   = Moment{place: placeEnd}
)

// on is the first event of the kind.
func on(kind sim.EventKind) Moment { return Moment{place: placeEvent, kind: kind} }

// at is the first transition with the label.
func at(label sim.Label) Moment { return Moment{place: placeEffect, label: label} }

// wrong is the first charge too many, or the first loss.
func wrong() Moment { return Moment{place: placeViolation} }

// of is the same moment of one delivery only: 1 is the original.
func (m Moment) of(delivery uint32) Moment {
	m.delivery = delivery
	return m
}

// In is the moment as a place in the trace: the n for which the last event of
// At(n) is the moment's. ok is false where the trace has no such event, as can
// happen when a parameter was changed.
func (m Moment) In(t *sim.Trace) (n int, ok bool) {
	switch m.place {
	case placeStart:
		return 0, true
	case placeEnd:
		return t.Len(), true
	case placeViolation:
		return t.NextViolation(0)
	}
	for i := range t.Len() {
		if m.is(t.Event(i)) {
			return i + 1, true
		}
	}
	return 0, false
}

// is says whether the event is what the moment looks for.
func (m Moment) is(e sim.Event) bool {
	if m.delivery != 0 && e.Ordinal != m.delivery {
		return false
	}
	if m.place == placeEffect {
		return e.Label == m.label
	}
	return e.Kind == m.kind
}
