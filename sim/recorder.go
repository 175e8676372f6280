package sim

// recorder collects the events of a run. The engine runs ahead of a worker's
// answer and next start, on which nothing else can depend; the recorder puts
// them in their place in time.
type recorder struct {
	events   []Event
	places   []Place
	expected []expected // by worker
	next     int64      // the earliest expected time, or never
}

// expected is a worker's answer and next start, at a time to come.
type expected struct {
	at       int64 // never: nothing is expected
	answered bool  // the answer to step pc comes first
	pc, next uint8
}

func newRecorder(s Scenario) *recorder {
	r := &recorder{
		events:   make([]Event, 0, 16*(s.Payments+1)),
		places:   make([]Place, 0, s.Payments+s.Payments/16+1),
		expected: make([]expected, s.Workers),
		next:     never,
	}
	for i := range r.expected {
		r.expected[i].at = never
	}
	return r
}

// note records an event of the worker's delivery; it is caused by the worker's
// last event.
func (e *engine) note(i int32, kind EventKind, lane Lane, label Label) {
	if e.recorder == nil {
		return
	}
	w := &e.workers[i]
	if e.recorder.next <= e.now {
		e.catchUp()
	}
	w.cause = e.add(Event{At: e.now, Kind: kind, Lane: lane, Worker: int16(i), PC: w.pc, Label: label, Cause: w.cause}, &w.message)
}

// record records an event at the present time and returns its sequence number,
// or -1 when no trace is kept.
func (e *engine) record(event Event, m *message) int32 {
	if e.recorder == nil {
		return -1
	}
	if e.recorder.next <= e.now {
		e.catchUp()
	}
	event.At = e.now
	return e.add(event, m)
}

// add appends the event.
func (e *engine) add(event Event, m *message) int32 {
	r := e.recorder
	event.Seq, event.Payment = int32(len(r.events)), -1
	if m != nil {
		event.Payment, event.Ordinal, event.Copy = int32(m.payment), m.ordinal, m.copy
	}
	r.events = append(r.events, event)
	if event.Kind == EventDeliver && e.sends == nil && (event.Copy == 0 || e.scenario.CopyAfter == 0) {
		r.places = append(r.places, Place{event.Payment, event.Copy})
	}
	return event.Seq
}

// expect notes a worker's answer and next start.
func (e *engine) expect(i int32, at int64, answered bool) {
	w := &e.workers[i]
	e.recorder.expected[i] = expected{at, answered, w.pc, w.delivery.PC}
	e.recorder.next = min(e.recorder.next, at)
}

// catchUp records what was expected up to now, in the order of time; at the
// same time the first worker comes first.
func (e *engine) catchUp() {
	r := e.recorder
	for r.next <= e.now {
		at, after, who := r.next, never, -1
		for i := range r.expected {
			switch x := &r.expected[i]; {
			case x.at == at && who < 0:
				who = i
			case x.at < after:
				after = x.at
			}
		}
		x, w := r.expected[who], &e.workers[who]
		r.expected[who].at, r.next = never, after
		event := Event{At: at, Lane: WorkerLane(who), Worker: int16(who)}
		if x.answered {
			event.Kind, event.PC, event.Cause = EventAnswer, x.pc, w.cause
			w.cause = e.add(event, &w.message)
		}
		event.Kind, event.PC, event.Cause = EventStart, x.next, w.cause
		w.cause = e.add(event, &w.message)
	}
}
