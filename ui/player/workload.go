package player

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/lessons"
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
	sends    []sim.Send   // where set: its messages, told one by one
	title    string
	short    string                       // for the footer
	scene    bool                         // it is a lesson's
	length   int64                        // of a single page: the longest that any handler needed, so that all are drawn to one scale
	now      int64                        // of the run, nothing left out
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

// sceneWorkload is a lesson's small run.
func sceneWorkload(s lessons.Scene) workload {
	return workload{
		scenario: s.Scenario, own: s.Scenario, sends: s.Sends, title: s.Title, short: "the scene", scene: true, seen: map[sim.HandlerID]sim.Result{},
	}
}

// record makes the workload's run under a handler.
func (w *workload) record(h sim.HandlerID) func() (*sim.Trace, error) {
	s := lessons.Scene{Scenario: w.scenario, Sends: w.sends}
	s.Scenario.Handler = h
	return func() (*sim.Trace, error) {
		trace, err := s.Record()
		if err == nil {
			trace.Spans(sim.LaneBroker, 0, 0) // builds the spans of every lane here, not in the first frame
		}
		return trace, err
	}
}

// name says what the workload is.
func (w *workload) name() {
	if w.scene { // it has its title from the lesson
		return
	}
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
	request, record := p.request, p.workloads[p.shown].record(p.handler)
	return func() tea.Msg {
		trace, err := record()
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
	p.cache = cache{width: p.cache.width}
	if msg.err != nil {
		p.own, p.trace, p.failure = nil, nil, msg.err.Error()
		p.setMode(paused)
		return
	}
	p.own, p.trace, p.failure = msg.trace, msg.trace, ""
	p.refold()
	p.fitGlance()
	if w.scene && w.length == 0 && p.config.Speed == 0 {
		p.speed = fittingSpeed(p.trace)
	}
	w.length = max(w.length, fitting(p.duration()))
	if w.end {
		p.goToEvent(p.trace.Len())
		return
	}
	p.seek(p.folds.shown(w.now))
}

// refold leaves out of all runs on the screen what is long and empty in every
// one of them, so that they stay under one clock. The cursor stays where it is.
func (p *Player) refold() {
	if p.own == nil {
		return
	}
	at := p.folds.real(p.now)
	all := []*sim.Trace{p.own}
	for _, r := range p.rivals {
		if r.own != nil {
			all = append(all, r.own)
		}
	}
	p.folds = fold(all...)
	for _, r := range append([]*Player{p}, p.rivals...) {
		if r.own == nil {
			continue
		}
		r.cache, r.folds, r.trace = cache{width: r.cache.width}, p.folds, r.own
		if len(p.folds.gaps) > 0 {
			r.trace = r.own.Retimed(p.folds.shown)
		}
	}
	p.now = p.folds.shown(at)
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
	w.now, w.end = p.folds.real(p.now), p.atEnd()
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
	p.own, p.trace = nil, nil
	p.glance = glance{statement: p.statement, compared: p.compared, picked: p.picked, arrived: p.arrived, panel: p.panel}
	return tea.Batch(p.record(), p.recordRivals(false))
}
