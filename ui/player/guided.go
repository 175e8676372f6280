package player

import (
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/ui/text"
)

// This file is the player as a part of another screen, which makes the runs and
// draws what stands around them: [Player.Present] instead of Init, and
// [Player.Upper] and [Player.Lower] instead of View.

// glideTime is how long the cursor takes to the moment of a page.
const glideTime = 900 * time.Millisecond

// Place is where the cursor stands in a run.
type Place struct {
	N  int   // so many events have happened
	At int64 // the time of the run, in nanoseconds
}

// Place is where the cursor stands.
func (p *Player) Place() Place { return Place{p.n, p.folds.real(p.now)} }

// Trace is the run that is shown, nil where there is none.
func (p *Player) Trace() *sim.Trace { return p.own }

// Present shows a run that somebody else made, paused at its beginning, on one
// page: long stretches without an event are folded. same says that it is a
// variant of the run before, and is drawn to the same scale.
func (p *Player) Present(trace *sim.Trace, same bool) {
	p.setMode(paused)
	p.request++
	p.cache = cache{width: p.cache.width}
	p.guided, p.own, p.trace = true, trace, trace
	p.refold()
	p.failure, p.notice, p.shown = "", "", onePayment
	p.fitGlance()
	p.handler = trace.Scenario().Handler
	w := &p.workloads[onePayment]
	if !same {
		p.glance = glance{statement: p.statement}
		w.length, w.seen = 0, map[sim.HandlerID]sim.Result{}
		p.speed = fittingSpeed(p.trace)
	}
	w.scenario = trace.Scenario()
	w.length = max(w.length, fitting(p.trace.Duration()))
	p.goToEvent(0)
}

// fittingSpeed plays a small run in about eight seconds.
func fittingSpeed(trace *sim.Trace) Speed {
	speed := presets[0]
	for _, s := range presets {
		if s.virtual(int64(8*time.Second)) <= trace.Duration() {
			speed = s
		}
	}
	return speed
}

// SetSpeed is for a viewer who chose a speed beforehand.
func (p *Player) SetSpeed(speed Speed) { p.speed = speed }

// Speed is how fast the run is played.
func (p *Player) Speed() Speed { return p.speed }

// Pause stops the clock where it is.
func (p *Player) Pause() { p.setMode(paused) }

// Statement says whether [Player.Lower] shows the SQL of the step at the cursor.
func (p *Player) Statement() bool { return p.statement }

// Filtered says whether [Player.Lower] shows a choice of the events.
func (p *Player) Filtered() bool { return p.choosing() }

// Glances are the keys that change how the viewer looks at the run, and not the
// place in it, where the arrow keys up and down are somebody else's.
func (p *Player) Glances() []key.Binding {
	k := p.keys.Player
	return []key.Binding{k.Closer, k.Farther, k.Earlier, k.Later, k.Follow, k.FollowID, k.Filter, k.NextEvent, k.PrevEvent, k.Statement}
}

// Stands says whether there is something that the key for it takes back: a zoom,
// a filter, a payment that is followed, the SQL.
func (p *Player) Stands() bool {
	return p.statement || p.filter != "" || p.following || p.zoom != zoom{} || p.peek > 0
}

// Playing says whether the clock runs.
func (p *Player) Playing() bool { return p.mode == playing }

// Fail says why there is no run to show.
func (p *Player) Fail(err error) {
	p.setMode(paused)
	p.request++
	p.guided = true
	p.own, p.trace, p.failure = nil, nil, err.Error()
	p.cache = cache{width: p.cache.width}
}

// StandAt puts the cursor right after the first n events, at once.
func (p *Player) StandAt(n int) {
	if p.trace == nil {
		return
	}
	p.setMode(paused)
	p.notice = ""
	p.goToEvent(n)
	p.noteEnd()
}

// Return puts the cursor where it was in a run like this one: at the same time,
// of events at one instant at the same one, or at the end where the run is over
// sooner.
func (p *Player) Return(to Place) {
	if p.trace == nil {
		return
	}
	p.setMode(paused)
	p.seek(p.folds.shown(to.At))
	if to.N > 0 && to.N <= p.own.Len() && p.own.Event(to.N-1).At == to.At {
		p.n = to.N
	}
	p.noteEnd()
}

// GlideTo moves the cursor on to right after the first n events, so that the
// way there can be seen; the way back is a jump. Any later move ends it.
func (p *Player) GlideTo(n int) tea.Cmd {
	if p.trace == nil {
		return nil
	}
	n = min(max(n, 0), p.trace.Len())
	if n <= p.n {
		p.StandAt(n)
		return nil
	}
	cmd := p.setMode(gliding)
	p.notice, p.peek = "", 0
	p.glide = glide{n: n, from: p.now, to: p.trace.Event(n - 1).At}
	return cmd
}

// Arrive ends a glide at its place.
func (p *Player) Arrive() {
	if p.mode == gliding {
		p.StandAt(p.glide.n)
	}
}

// glide is a way of the cursor to a place.
type glide struct {
	n        int
	from, to int64
	passed   time.Duration
}

// glided moves the cursor on by a frame.
func (p *Player) glided(passed time.Duration) tea.Cmd {
	g := &p.glide
	g.passed += passed
	if g.passed >= glideTime {
		p.StandAt(g.n)
		return nil
	}
	way := max(g.to-g.from, 0)
	p.now = max(p.now, g.from+way/1000*int64(g.passed*1000/glideTime))
	p.n = min(max(p.n, p.trace.IndexAt(p.now)), g.n)
	return nextTick(p.tick)
}

// Spread is how far apart the lanes of [Player.Upper] stand.
type Spread uint8

// The spreads.
const (
	Close Spread = iota // one line for each lane
	Apart               // two
	Noted               // two, and a third under a worker for what came of its steps
)

// UpperHeight is how many lines Upper takes at a spread.
func (p *Player) UpperHeight(spread Spread) int {
	workers := 2
	if p.trace != nil {
		workers = min(p.trace.Scenario().Workers, 4)
	}
	const others, axis = 3, 2
	switch spread {
	case Noted:
		return upperHead + 3*workers + 2*others + axis
	case Apart:
		return upperHead + 2*(workers+others) + axis
	}
	return upperHead + workers + others + axis
}

// upperHead is the number of lines above the timeline, and lowHead the same
// where there is no room for the handler's title.
const (
	upperHead = 2
	lowHead   = 1
)

// Upper draws handler, clock, counters and timeline in w by h cells.
func (p *Player) Upper(w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	c := newCanvas(w, h)
	whole := c.pane(rect{0, 0, w, h})
	if p.trace == nil {
		p.drawNoRun(whole)
		return c.draw(&p.palette)
	}
	v := p.prepare(w)
	y := lowHead
	if h > lowHead+len(v.page.workers)+4 {
		y = upperHead
		end := v.drawClock(whole, false)
		whole.cut(1, 0, end-2, v.trace.Handler().Title, inkAccent)
		v.drawCountersAndFollowed(whole.sub(0, 1, w, 1))
	} else {
		end := v.drawClock(whole, false)
		v.drawCounters(whole.sub(0, 0, end-1, 1))
	}
	v.drawTimeline(whole.sub(0, y, w, h-y))
	return c.draw(&p.palette)
}

func (p *Player) drawNoRun(c pane) {
	if p.failure == "" {
		c.put(1, 1, "The run is being made.", inkMuted)
		return
	}
	c.sub(1, 1, c.rect.w-2, c.rect.h-1).wrap(0, 4, "✗ This run cannot be shown: "+p.failure+".", inkBad)
}

// Lower draws program, table and ledger, what happened and the events in w by h
// cells: what there is room for, in this order; or the step's SQL.
func (p *Player) Lower(w, h int) string {
	if w <= 0 || h <= 0 || p.trace == nil {
		return ""
	}
	c := newCanvas(w, h)
	v := p.prepare(w)
	switch {
	case p.statement && w < besideStatement:
		v.drawStatement(c.pane(rect{0, 0, w, h}))
		return c.draw(&p.palette)
	case p.choosing() && w < wideEnough:
		v.drawEvents(c.pane(rect{0, 0, w, h}), 0)
		return c.draw(&p.palette)
	}
	stacked := p.statement || h >= v.trace.Handler().Steps+facts+2
	left := min(max(w*45/100, 38), 72)
	if stacked {
		left = max(left, 40)
	}
	leftPane, rightPane := c.pane(rect{0, 0, left, h}), c.pane(rect{left + 1, 0, w - left - 2, h})
	if stacked {
		v.drawLeft(leftPane)
		if p.statement {
			v.drawStatement(rightPane)
		} else {
			v.drawRight(rightPane)
		}
		return c.draw(&p.palette)
	}
	y := 0
	if h > v.trace.Handler().Steps {
		y = v.section(leftPane, 0, "program")
		if !v.choosing() {
			v.section(rightPane, 0, v.factsTitle())
		}
	}
	v.drawProgram(leftPane.sub(0, y, left, h-y))
	if v.choosing() {
		v.drawEvents(rightPane, 0)
		return c.draw(&p.palette)
	}
	y += v.drawFacts(rightPane.sub(0, y, w-left-2, h-y))
	v.drawStory(rightPane.sub(1, y, w-left-3, h-y))
	return c.draw(&p.palette)
}

// clock is the time on the screen, as the run has it.
func (p *Player) clock(at int64) string { return p.folds.clock(at) }

// logTime is a time of the event log.
func (v *view) logTime(at int64) string {
	const usual = 10
	return padded(v.clock(at), max(usual, v.clockWidth()))
}

// padded is s at the right of at least so many cells, whole in any case.
func padded(s string, w int) string { return strings.Repeat(" ", max(w-text.Width(s), 0)) + s }

// clockWidth is how many cells the clock takes, so that nothing beside it moves.
func (p *Player) clockWidth() int { return p.folds.width }
