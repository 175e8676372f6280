package player

import (
	"slices"
	"sort"

	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
)

// mostRivals is how many handlers can be shown beneath the first.
const mostRivals = 2

// worthComparing are the handlers that say most beside another.
var worthComparing = map[sim.HandlerID][]sim.HandlerID{
	sim.HandlerNone:      {sim.HandlerCheck, sim.HandlerClaim},
	sim.HandlerCheck:     {sim.HandlerClaim, sim.HandlerNone},
	sim.HandlerClaim:     {sim.HandlerCheck, sim.HandlerRelease},
	sim.HandlerRelease:   {sim.HandlerClaim, sim.HandlerLease},
	sim.HandlerLease:     {sim.HandlerFence, sim.HandlerKey},
	sim.HandlerFence:     {sim.HandlerLease, sim.HandlerKey},
	sim.HandlerKey:       {sim.HandlerLease, sim.HandlerKeyOnly},
	sim.HandlerKeyOnly:   {sim.HandlerKey, sim.HandlerNone},
	sim.HandlerNatural:   {sim.HandlerIncrement, sim.HandlerCheck},
	sim.HandlerIncrement: {sim.HandlerNatural, sim.HandlerCheck},
	sim.HandlerOneTx:     {sim.HandlerCheck, sim.HandlerLease},
}

// rivalRecordedMsg brings the run of a handler that is shown beneath the first.
type rivalRecordedMsg struct {
	scenario sim.Scenario
	trace    *sim.Trace
	err      error
}

// turnCompare shows one more handler beneath the first; after the last one it
// shows the first alone again.
func (p *Player) turnCompare() tea.Cmd {
	if p.guided {
		return nil
	}
	if len(p.rivals) == mostRivals {
		p.endCompare()
		return nil
	}
	for _, h := range worthComparing[p.handler] {
		if !p.compares(h) {
			return p.addRival(h)
		}
	}
	return p.addRival(p.nextUnused(p.handler, 1))
}

// Compare shows other handlers beneath the first, at most two, on the same
// workload and under the same clock; without any it shows the first alone.
func (p *Player) Compare(handlers ...sim.HandlerID) tea.Cmd {
	p.endCompare()
	var all []tea.Cmd
	for _, h := range handlers[:min(len(handlers), mostRivals)] {
		all = append(all, p.addRival(h))
	}
	return tea.Batch(all...)
}

// addRival shows another handler beneath the first.
func (p *Player) addRival(h sim.HandlerID) tea.Cmd {
	p.lane, p.peek, p.filter = 0, 0, ""
	p.rivals = append(p.rivals, &Player{handler: h})
	p.compared = len(p.rivals)
	p.arrived++
	return p.recordRival(h)
}

// endCompare shows the first handler alone. Its run may have ended before.
func (p *Player) endCompare() {
	p.rivals, p.compared, p.picked = nil, 0, 0
	p.refold()
	p.keepWithin()
}

// keepWithin brings the cursor back to where the last run on the screen ends.
func (p *Player) keepWithin() {
	if p.trace != nil && p.now > p.duration() {
		p.seek(p.now)
	}
}

// compares says whether a handler is on the screen.
func (p *Player) compares(h sim.HandlerID) bool {
	return p.handler == h || slices.ContainsFunc(p.rivals, func(r *Player) bool { return r.handler == h })
}

// nextUnused is the handler after one, or before it, that is not on the screen.
func (p *Player) nextUnused(h sim.HandlerID, by int) sim.HandlerID {
	count := len(sim.Handlers())
	for range count {
		h = sim.HandlerID((int(h) + by + count) % count)
		if !p.compares(h) {
			break
		}
	}
	return h
}

// turnPicked turns the handler of the picked row.
func (p *Player) turnPicked(by int) tea.Cmd {
	if p.picked == 0 || p.picked > len(p.rivals) {
		return p.turnHandler(by)
	}
	r := p.rivals[p.picked-1]
	*r = Player{handler: p.nextUnused(r.handler, by)}
	p.arrived++
	return p.recordRival(r.handler)
}

// rivalScenario is the shown workload under another handler.
func (p *Player) rivalScenario(h sim.HandlerID) sim.Scenario {
	s := p.workloads[p.shown].scenario
	s.Handler = h
	return s
}

// recordRival makes the run of a rival, away from the loop.
func (p *Player) recordRival(h sim.HandlerID) tea.Cmd {
	scenario, record := p.rivalScenario(h), p.workloads[p.shown].record(h)
	return func() tea.Msg {
		trace, err := record()
		return rivalRecordedMsg{scenario, trace, err}
	}
}

// recordRivals makes the runs of all rivals again, for another workload or for
// the same one, changed; then those that there are stay until the new ones come.
func (p *Player) recordRivals(stay bool) tea.Cmd {
	var all []tea.Cmd
	for _, r := range p.rivals {
		if !stay {
			*r = Player{handler: r.handler}
		}
		all = append(all, p.recordRival(r.handler))
	}
	return tea.Batch(all...)
}

// rivalRecorded takes a rival's run, unless something else is shown by now.
func (p *Player) rivalRecorded(msg rivalRecordedMsg) {
	for _, r := range p.rivals {
		if p.rivalScenario(r.handler) != msg.scenario {
			continue
		}
		r.own, r.trace, r.failure = msg.trace, msg.trace, ""
		if msg.err != nil {
			r.own, r.trace, r.failure = nil, nil, msg.err.Error()
		}
		p.refold()
		p.arrived++
		if p.trace != nil {
			w := &p.workloads[p.shown]
			w.length = max(w.length, fitting(p.duration()))
			p.keepWithin()
		}
	}
}

// rows are the runs on the screen from top to bottom, those that are made.
func (p *Player) rows() []*Player {
	rows := []*Player{p}
	for _, r := range p.rivals {
		if r.trace != nil {
			rows = append(rows, r)
		}
	}
	return rows
}

// rivalN is how many events of a rival's run have happened. Among events of one
// instant, those of the first run come first.
func (p *Player) rivalN(t *sim.Trace) int {
	if p.n < p.trace.IndexAt(p.now) {
		return t.IndexAt(p.now - 1)
	}
	return t.IndexAt(p.now)
}

// stepThrough goes to the next event, or the one before, of any run on the
// screen, among the events that of chooses; nil chooses all. ok is false where
// there is none.
func (p *Player) stepThrough(of func(*Player) []int32, by int) (ok bool) {
	p.setMode(paused)
	p.peek = 0
	own := newSteps(p.trace, of(p))
	if by > 0 {
		if at, n := own.from(p.n); n > 0 && at == p.now {
			p.n = n
			return true
		}
	} else if at, n := own.before(p.n); n > 0 && at == p.now {
		p.n = n
		return true
	}
	now := p.now
	if p.n == 0 && now == 0 {
		now = -1
	}
	to, found := int64(0), false
	for _, r := range p.rows() {
		s := newSteps(r.trace, of(r))
		if by > 0 {
			if at, n := s.from(r.trace.IndexAt(now)); n > 0 && (!found || at < to) {
				to, found = at, true
			}
		} else if at, n := s.before(r.trace.IndexAt(now-1) + 1); n > 0 && (!found || at > to) {
			to, found = at, true
		}
	}
	switch {
	case !found && by > 0:
		return false
	case !found:
		found = p.n > 0
		p.now, p.n = 0, 0
		return found
	}
	p.now, p.n = to, p.trace.IndexAt(to)
	if by > 0 {
		if at, n := own.from(p.trace.IndexAt(to - 1)); n > 0 && at == to {
			p.n = n
		}
	} else if at, n := own.before(p.n + 1); n > 0 && at == to {
		p.n = n
	}
	return true
}

// steps are chosen events of a run.
type steps struct {
	trace *sim.Trace
	list  []int32 // nil: all
}

func newSteps(t *sim.Trace, list []int32) steps { return steps{t, list} }

// from is the first chosen event that is not among the first n: its time, and
// how many events have happened after it; 0 where there is none.
func (s steps) from(n int) (at int64, after int) {
	seq := n
	if s.list != nil {
		i := sort.Search(len(s.list), func(i int) bool { return int(s.list[i]) >= n })
		if i == len(s.list) {
			return 0, 0
		}
		seq = int(s.list[i])
	}
	if seq >= s.trace.Len() {
		return 0, 0
	}
	return s.trace.Event(seq).At, seq + 1
}

// before is the last chosen event with fewer than n events after it has
// happened: its time and their number; 0 where there is none.
func (s steps) before(n int) (at int64, after int) {
	seq := n - 2
	if s.list != nil {
		i := sort.Search(len(s.list), func(i int) bool { return int(s.list[i]) > n-2 })
		if i == 0 {
			return 0, 0
		}
		seq = int(s.list[i-1])
	}
	if seq < 0 {
		return 0, 0
	}
	return s.trace.Event(seq).At, seq + 1
}
