package player

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/ui/text"
)

// The two workloads.
const (
	onePayment = iota
	manyPayments
)

// workload is what the handlers are compared on. It keeps the place where the
// viewer left it.
type workload struct {
	scenario sim.Scenario
	own      sim.Scenario // as it was before the viewer changed it
	changed  bool         // the run on the screen is not yet that of scenario; the cursor goes to now
	title    string
	short    string // for the footer
	length   int64  // of a single page: the longest that any handler needed, so that all are drawn to one scale
	now      int64
	end      bool                         // the viewer had reached the end
	seen     map[sim.HandlerID]sim.Result // of the handlers whose end the viewer has seen
}

// isDemo says whether a scenario is the one payment and its copy that the player
// has as its small workload.
func isDemo(s sim.Scenario) bool { return s == sim.DemoOf(s) }

// manyOf is the large workload beside a scenario: the scenario itself, unless it
// is the small one.
func manyOf(s sim.Scenario) sim.Scenario {
	if !isDemo(s) {
		return s
	}
	many := sim.DefaultScenario()
	many.Handler, many.Seed, many.Charge, many.Lease, many.Renew, many.Guard = s.Handler, s.Seed, s.Charge, s.Lease, s.Renew, s.Guard
	return many
}

func newWorkloads(many sim.Scenario) [2]workload {
	var all [2]workload
	for i, scenario := range []sim.Scenario{onePayment: sim.DemoOf(many), manyPayments: many} {
		all[i] = workload{scenario: scenario, own: scenario, seen: map[sim.HandlerID]sim.Result{}}
		all[i].name()
	}
	return all
}

// name says what the workload is.
func (w *workload) name() {
	s := w.scenario
	w.short = text.Plural(s.Payments, "payment", "payments")
	w.title = fmt.Sprintf("%s, %s", w.short, text.Plural(int64(s.Workers), "worker", "workers"))
	if isDemo(s) {
		w.short, w.title = "one payment", "one payment and its copy"
	}
}

// traceRecordedMsg brings a finished run.
type traceRecordedMsg struct {
	request int
	trace   *sim.Trace
	err     error
}

// record makes the trace of the present workload and handler, away from the
// loop. Whatever was asked for before is stale from now on.
func (p *Player) record() tea.Cmd {
	p.request++
	request, scenario := p.request, p.workloads[p.shown].scenario
	scenario.Handler = p.handler
	return func() tea.Msg {
		trace, err := sim.Record(scenario)
		if err == nil {
			trace.Spans(sim.LaneBroker, 0, 0) // builds the spans of every lane here, not in the first frame
		}
		return traceRecordedMsg{request: request, trace: trace, err: err}
	}
}

// recorded shows the new run at the time where the viewer stands.
func (p *Player) recorded(msg traceRecordedMsg) {
	if msg.request != p.request {
		return
	}
	w := &p.workloads[p.shown]
	if !w.changed { // otherwise it knows where to stand
		p.keepPlace()
	}
	if w.changed {
		w.changed, w.length, w.seen = false, 0, map[sim.HandlerID]sim.Result{}
	}
	p.cache = cache{}
	if msg.err != nil {
		p.trace, p.failure = nil, msg.err.Error()
		p.setMode(paused)
		return
	}
	p.trace, p.failure = msg.trace, ""
	p.fitGlance()
	w.length = max(w.length, fitting(p.duration()))
	if w.end {
		p.goToEvent(p.trace.Len())
		return
	}
	p.seek(w.now)
}

// atEnd says whether the run is over, and all those beneath it.
func (p *Player) atEnd() bool {
	return p.n > 0 && p.n == p.trace.Len() && p.now >= p.duration()
}

// keepPlace remembers where the viewer stands in the present workload.
func (p *Player) keepPlace() {
	if p.trace == nil {
		return
	}
	w := &p.workloads[p.shown]
	w.now, w.end = p.now, p.atEnd()
}

// turnHandler goes on to the next handler (or back) on the same workload.
func (p *Player) turnHandler(by int) tea.Cmd {
	p.handler = p.nextUnused(p.handler, by)
	return p.record()
}

// turnWorkload changes between one payment and many.
func (p *Player) turnWorkload() tea.Cmd {
	p.keepPlace()
	p.setMode(paused)
	p.shown = 1 - p.shown
	p.trace = nil
	p.glance = glance{statement: p.statement, compared: p.compared, picked: p.picked, arrived: p.arrived, panel: p.panel}
	return tea.Batch(p.record(), p.recordRivals(false))
}
