package lessons

import (
	"fmt"

	"idemtui/sim"
)

// Page is a few sentences about a moment of a scene's run.
type Page struct {
	Scene  int // in Lesson.Scenes; a page of another scene changes the run
	Moment Moment
	text   string // with {words} that are looked up in the trace
	proofs []Proof
	// Exhibit is a small table that belongs to the text, nil on most pages. It
	// shows what a timeline of one payment cannot.
	Exhibit *Exhibit
	// Sequence stands in the place of the timeline, nil on most pages; Step is
	// the page's moment in it: so many instants have happened.
	Sequence *Sequence
	Step     int
	Lane     int // of the sequence: the one that the page speaks of; 0: of all
}

// Exhibit is a table of a few rows, worked out by package sim.
type Exhibit struct {
	Titles []string
	Rows   [][]string
}

// Longest is about how many letters the lesson's longest page has.
func (l Lesson) Longest() int {
	longest := 0
	for _, p := range l.Pages {
		longest = max(longest, len(p.text))
	}
	return longest
}

// Shown is a page as a trace lets it be shown.
type Shown struct {
	Text  string
	N     int  // where the cursor belongs: At(N) is the page's moment
	Found bool // the trace has the moment; otherwise leave the cursor alone
	Own   bool // the trace is the lesson's own run, of whatever seed
}

// Show is what a page says of a trace. A page speaks of its scene's own run
// only: where the handler or a parameter was changed, it gives way to what did
// happen at its moment.
func (l Lesson) Show(page int, t *sim.Trace) Shown {
	p := l.Pages[page]
	own := l.Scenes[p.Scene].Scenario
	own.Seed = t.Scenario().Seed
	n, found := p.Moment.In(t)
	switch {
	case p.Sequence != nil:
		return Shown{Text: p.text, N: n, Found: true, Own: true}
	case !found:
		return Shown{Text: "You have changed this run, and what this page tells does not happen in it. " + outcome(t.Result())}
	case t.Scenario() != own:
		return Shown{Text: "You have changed this run, so this page's own words may not fit. What happens here: " + t.Narrate(n), N: n, Found: true}
	}
	s := sight{trace: t, n: n}
	text := fill(p.text, func(word string) (string, bool) {
		if said, known := proofWord(p.proofs, word); known {
			return said, true
		}
		return s.word(word)
	})
	return Shown{Text: text, N: n, Found: true, Own: true}
}

// outcome is what a run comes to, in a sentence.
func outcome(r sim.Result) string {
	if r.Payments == 1 {
		return "In the end the payment is charged " + times(r.Charges) + ", after " + plural(r.Deliveries, "delivery", "deliveries") + "."
	}
	return "In the end there are " + plural(r.Charges, "charge", "charges") + " for " + plural(r.Payments, "payment", "payments") + ", after " + plural(r.Deliveries, "delivery", "deliveries") + "."
}

// Proofs are what the page quotes of the explorer.
func (p Page) Proofs() []Proof { return p.proofs }

// sight is a moment of a trace, of which words are looked up.
type sight struct {
	trace *sim.Trace
	n     int
}

// word is what a page's word means at the moment. Payments are those of the
// moment's event, or the first.
func (s sight) word(word string) (string, bool) {
	state := s.trace.At(s.n)
	payment := int32(0)
	var event sim.Event
	if s.n > 0 {
		event = s.trace.Event(s.n - 1)
		payment = max(event.Payment, 0)
	}
	row := &state.Payments[payment]
	scenario := s.trace.Scenario()
	switch word {
	case "worker":
		if event.Worker < 0 {
			return "", false
		}
		return workerName(event.Worker), true
	case "first":
		return s.workerOf(payment, 1)
	case "second":
		return s.workerOf(payment, 2)
	case "payment":
		return sim.PaymentName(payment), true
	case "charges":
		return count(int64(row.Charges)), true
	case "charged":
		return times(int64(row.Charges)), true
	case "deliveries":
		return count(int64(row.Deliveries)), true
	case "token":
		return fmt.Sprint(row.Gen), true
	case "lease":
		return length(scenario.Lease), true
	case "charge":
		return length(scenario.Charge), true
	case "renew":
		return length(scenario.Renew), true
	case "skew":
		return length(scenario.Skew), true
	case "receives":
		return count(scenario.MaxReceives), true
	case "visibility":
		return length(scenario.Visibility), true
	case "keymemory":
		return length(scenario.KeyMemory), true
	case "retention":
		return length(scenario.Retention), true
	case "window":
		return length(scenario.Window), true
	}
	return "", false
}

// workerOf is the worker that got the delivery.
func (s sight) workerOf(payment int32, ordinal uint32) (string, bool) {
	for i := range s.trace.Len() {
		e := s.trace.Event(i)
		if e.Payment == payment && e.Ordinal == ordinal && (e.Kind == sim.EventDeliver || e.Kind == sim.EventRedeliver) {
			return workerName(e.Worker), true
		}
	}
	return "", false
}

// workerName is a worker as the timeline names it.
func workerName(worker int16) string { return sim.WorkerLane(int(worker)).String() }
