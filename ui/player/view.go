package player

import (
	"fmt"
	"strconv"

	"idemtui/sim"
	"idemtui/ui/text"
)

// stamp is all that a frame depends on: two equal stamps give the same frame.
type stamp struct {
	w, h, look, request, shown, n, ends int
	glance                              glance
	handler                             sim.HandlerID
	now                                 int64
	mode                                mode
	speed                               Speed
	notice                              string
	loaded                              bool
}

// cache keeps what the next frame can use again: the page, which stands still
// while the cursor moves, the state at the cursor, and the frame itself.
type cache struct {
	stamp stamp
	frame string
	width int // of the lanes
	page  *page
	state sim.State
	valid bool           // of state
	told  map[int]string // narration by n
	lists map[eventList][]int32
}

// view is one frame under construction.
type view struct {
	*Player
	page   *page
	state  *sim.State
	cursor int   // the cell of the present on the page; outside it while the viewer looks elsewhere
	focus  int32 // the payment at the cursor
	pinned int   // from 1: the step whose statement is looked at, whatever the cursor says
}

// View draws the screen in w by h cells. At 200x60 a frame takes 0.5 ms while
// playing one payment, 0.7 ms with 2,000 and 1.1 ms with three handlers of 2,000
// beneath each other; at 100x, where each frame turns a page, 1.1 and 1.7 ms
// (BenchmarkView, on one of two cores).
func (p *Player) View(w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	s := stamp{w, h, p.look, p.request, p.shown, p.n, p.ends, p.glance, p.handler, p.now, p.mode, p.speed, p.notice, p.trace != nil}
	if s == p.cache.stamp {
		return p.cache.frame
	}
	c := newCanvas(w, h)
	if p.trace == nil {
		p.drawWaiting(c.pane(rect{0, 0, w, h}))
	} else {
		v := p.prepare(w)
		if p.compared > 0 {
			v.composeCompared(c)
		} else {
			v.compose(c)
		}
	}
	p.cache.stamp, p.cache.frame = s, c.draw(&p.palette)
	return p.cache.frame
}

// prepare brings the cached page and state up to date.
func (p *Player) prepare(w int) *view {
	width := max(w-gutter-1, 1)
	p.cache.width = width
	if s := p.onScreen(width); p.cache.page == nil || p.cache.page.width != width || p.cache.page.stretch != s {
		p.cache.page = layPage(p.trace, width, s)
	}
	if !p.cache.valid || p.cache.state.N != p.n {
		p.cache.state, p.cache.valid = p.trace.At(p.n), true
	}
	v := &view{Player: p, page: p.cache.page, state: &p.cache.state}
	v.cursor = v.page.cursor(p.now)
	v.focus = p.focus()
	return v
}

// drawWaiting is the screen before there is a run.
func (p *Player) drawWaiting(c pane) {
	p.drawProduct(c.sub(0, 0, c.rect.w, 1))
	if p.failure != "" {
		y := c.sub(1, 2, c.rect.w-2, c.rect.h-2).wrap(0, 4, "✗ This run cannot be shown: "+p.failure+".", inkBad)
		c.put(1, y+3, "Choose another handler or workload.", inkMuted)
		return
	}
	c.put(1, 2, "The run is being made.", inkMuted)
}

// The sizes at which the screen unfolds.
const (
	wideEnough = 76 // for two columns
	tallEnough = 20 // for ticks under the axis
	roomy      = 30 // for blank lines between the parts
	high       = 50 // for lanes wide apart
)

// least is how many lines the parts below the timeline get at least: the story,
// the program and the facts, and where there is room some events and workers.
func (v *view) least(w, h int) int {
	steps := v.trace.Handler().Steps
	switch {
	case v.panel.Open && w < wideEnough:
		return leastDials
	case v.statement:
		return v.statementHeight(w)
	case h < tallEnough:
		return narrowStory + steps
	case h < roomy && (w < wideEnough || v.trace.Scenario().Workers > fewWorkers): // lanes matter more than whole lines
		return steps + facts
	case h < roomy:
		return v.programLines(leftWidth(w)) + facts
	}
	return steps + facts + 7
}

// compose lays out the panes from top to bottom: heading, timeline, and below it
// program and facts beside the story and the log.
func (v *view) compose(c *canvas) {
	w, h := c.w, c.h
	y := v.drawHeading(c.pane(rect{0, 0, w, h}))
	if h >= roomy {
		y++
	}
	if h < tallEnough && v.statement && !v.panel.Open { // no room for both
		v.drawStatement(c.pane(rect{0, y, w, h - y}))
		return
	}
	const lowest = 8 // lanes of one payment, axis and run
	y += v.drawTimeline(c.pane(rect{0, y, w, max(h-y-v.least(w, h), min(lowest, h-y))}))
	if h >= roomy {
		y++
	}
	rest := h - y
	if rest <= 0 {
		return
	}
	if v.panel.Open && w < wideEnough {
		v.panel.draw(v, c.pane(rect{0, y, w, rest}), v.dials())
		return
	}
	if v.statement && w < besideStatement && !v.panel.Open {
		v.drawStatement(c.pane(rect{0, y, w, rest}))
		return
	}
	if w < wideEnough {
		v.drawNarrow(c.pane(rect{0, y, w, rest}))
		return
	}
	left := leftWidth(w)
	v.drawLeft(c.pane(rect{0, y, left, rest}))
	right := c.pane(rect{left + 1, y, w - left - 2, rest})
	v.drawBeside(right)
}

// drawBeside is what stands beside program and facts: what happened, unless the
// run is being changed or the SQL looked at.
func (v *view) drawBeside(p pane) {
	switch {
	case v.panel.Open && p.rect.h > leastDials+len(changeable)+1: // room for both
		dials := v.dials()
		lines := len(dials.Parameters) + 3
		v.panel.draw(v, p.sub(0, 0, p.rect.w, lines), dials)
		v.drawRight(p.sub(0, lines+1, p.rect.w, p.rect.h-lines-1))
	case v.panel.Open:
		v.panel.draw(v, p, v.dials())
	case v.statement:
		v.drawStatement(p)
	default:
		v.drawRight(p)
	}
}

// leastDials is how many lines the panel takes at least where it stands alone.
const leastDials = 6

// leftWidth is the width of program and facts in a screen of w cells.
func leftWidth(w int) int { return min(max(w*45/100, 45), 72) }

// narrowStory is how many lines the story has where it stands above the program.
const narrowStory = 2

// drawNarrow stacks story and program, the facts only where there is room.
func (v *view) drawNarrow(p pane) {
	if v.choosing() && p.rect.h < narrowStory+v.trace.Handler().Steps+facts+5 {
		v.drawEvents(p, 0)
		return
	}
	v.drawStory(p.sub(1, 0, p.rect.w-2, narrowStory))
	y := narrowStory
	if p.rect.h-y > v.trace.Handler().Steps+facts {
		y = v.section(p, y, "program")
	}
	y += v.drawProgram(p.sub(0, y, p.rect.w, p.rect.h-y))
	if p.rect.h-y > facts {
		y = v.section(p, y, v.factsTitle())
	}
	if p.rect.h-y >= facts {
		y += v.drawFacts(p.sub(0, y, p.rect.w, p.rect.h-y))
	}
	if p.rect.h-y >= 4 {
		v.drawEvents(p, y+1)
	}
}

func (v *view) factsTitle() string {
	if lane, ok := v.pickedLane(); ok {
		return laneName(lane)
	}
	return "table and ledger of " + sim.PaymentName(v.focus)
}

// drawLeft is program, facts and workers; the headings only where they cost
// none of them.
func (v *view) drawLeft(p pane) {
	y, spare := 0, p.rect.h-v.programLines(p.rect.w)-facts
	if spare >= 1 {
		y = v.section(p, y, "program")
	}
	program := max(p.rect.h-y-facts, v.trace.Handler().Steps)
	y += v.drawProgram(p.sub(0, y, p.rect.w, program))
	if spare >= 3 {
		y++
	}
	if spare >= 2 {
		y = v.section(p, y, v.factsTitle())
	}
	y += v.drawFacts(p.sub(0, y, p.rect.w, p.rect.h-y))
	if p.rect.h-y >= 2+min(len(v.state.Workers), 4) {
		v.drawLowerLeft(p.sub(0, y+1, p.rect.w, p.rect.h-y-1))
	}
}

// drawLowerLeft is what each worker has in its hands, and where there is room
// the results that were seen and the SQL of the step.
func (v *view) drawLowerLeft(p pane) {
	y := v.section(p, 0, "workers")
	room, workers := p.rect.h-y, len(v.state.Workers)
	results := v.resultsHeight() + 2
	if results > 3 && room >= (workers+1)/2+results {
		room = min(workers, room-results)
	} else {
		results = 0
	}
	v.drawHands(p.sub(0, y, p.rect.w, room))
	y += min(room, workers) + 1
	if results > 0 {
		y = v.section(p, y, "results you have seen")
		v.drawResults(p.sub(0, y, p.rect.w, p.rect.h-y))
		y += v.resultsHeight() + 1
	}
	if !v.statement {
		v.drawStatements(p.sub(0, y, p.rect.w, p.rect.h-y))
	}
}

// drawRight is the story, in a room of its own so that nothing below it moves,
// and the events.
func (v *view) drawRight(p pane) {
	const longestStory = 190 // cells, hint included
	y, lines := 0, min(max(longestStory/p.rect.w+1, 3), 6)
	if v.choosing() && p.rect.h < lines+6 {
		v.drawEvents(p, 0)
		return
	}
	if p.rect.h > lines {
		y = v.section(p, y, "what happened")
	}
	v.drawStory(p.sub(1, y, p.rect.w-1, min(lines, p.rect.h-y)))
	y += lines
	if p.rect.h-y >= 3 {
		v.drawEvents(p, y)
	}
}

// section heads a part with its name on a rule, and returns the line below.
func (v *view) section(p pane, y int, name string) int {
	if p.rect.h-y < 2 {
		return y
	}
	x := p.put(1, y, name+" ", inkTitle)
	for ; x < p.rect.w; x++ {
		p.put(x, y, "─", inkFaint)
	}
	return y + 1
}

// drawProduct is the first line: whose screen it is, what it shows, and the
// token that opens the same run again.
func (p *Player) drawProduct(c pane) {
	x := c.put(1, 0, "idemtui sim", inkTitle) + 3
	title := p.workloads[p.shown].title
	if c.rect.w < wideEnough {
		c.cut(x, 0, c.rect.w-x-1, title, inkText)
		return
	}
	token := text.Cut(p.Token(), c.rect.w-x-text.Width(title)-4)
	end := c.right(0, token+" ", inkText)
	if long := p.config.Lesson + " · " + title; x+text.Width(long)+len("  token ") < end {
		title = long
	}
	x = c.cut(x, 0, end-x-2, title, inkText)
	label := "token "
	if seed := fmt.Sprintf("seed %d   token ", p.workloads[p.shown].scenario.Seed); x+len(seed)+2 < end {
		label = seed
	}
	if token != "" && x+len(label)+2 <= end {
		c.put(end-len(label), 0, label, inkMuted)
	}
}

// drawHeading is product, handler and clock, and the counters; it returns the
// number of lines. A low screen has no line for the product.
func (v *view) drawHeading(p pane) int {
	h := v.trace.Handler()
	y := 0
	if p.rect.h >= tallEnough {
		v.drawProduct(p.sub(0, 0, p.rect.w, 1))
		y++
	}
	end := v.drawClock(p.sub(0, y, p.rect.w, 1), true)
	x := p.cut(1, y, end-2, h.Title, inkAccent)
	place := fmt.Sprintf("   handler %d of %d", h.ID+1, len(sim.Handlers()))
	if x+text.Width(place) < end-1 {
		p.put(x, y, place, inkMuted)
	}
	v.drawCountersAndFollowed(p.sub(0, y+1, p.rect.w, 1))
	return y + 2
}

// drawCountersAndFollowed is the counters, and at the right which payment is
// followed.
func (v *view) drawCountersAndFollowed(p pane) {
	if v.following {
		end := p.right(0, "following "+sim.PaymentName(v.followed)+" ", inkAccent)
		p = p.sub(0, 0, end-1, 1)
	}
	v.drawCounters(p)
}

// drawClock says at the right whether the clock runs, and the time, with or
// without the speed. It returns the column where it
// begins.
func (v *view) drawClock(p pane, speed bool) int {
	word, k := "paused", inkMuted
	switch {
	case v.mode == playing:
		word, k = "▶ playing", inkOK
	case v.mode == gliding:
		word, k = "▶ moving", inkOK
	case v.mode == away:
		word, k = "▶ waiting", inkMuted
	case v.atEnd():
		word, k = "the end", inkAccent
	}
	x := p.right(0, padded(v.clock(v.now), v.clockWidth())+" ", inkStrong) - text.Width(word) - 1
	p.put(x, 0, word, k)
	if speed {
		x -= text.Width(v.speed.String()) + 2
		p.put(x, 0, v.speed.String(), inkMuted)
	}
	return x
}

// drawCounters is the line of the lesson's table of results, in its words.
func (v *view) drawCounters(p pane) {
	c := v.state.Counters
	gap, twice, never := 3, "charged twice", "never charged"
	if p.rect.w < wideEnough {
		gap, twice, never = 2, "twice", "never"
	}
	all := []counter{{"deliveries", c.Deliveries, inkStrong}, {"payments", c.Payments, inkStrong}, {"charges", c.Charges, inkStrong}, {twice, 0, inkStrong}}
	if c.ChargedTwice > 0 {
		all[3] = counter{"✗ " + twice, c.ChargedTwice, inkBad}
	}
	if c.Lost > 0 {
		all = append(all, counter{"✗ " + never, c.Lost, inkBad})
	}
	if c.Takeovers > 0 {
		all = append(all, counter{"takeovers", c.Takeovers, inkStrong})
	}
	if c.Fenced > 0 {
		all = append(all, counter{"fenced", c.Fenced, inkStrong})
	}
	for len(all) > 3 && countersWidth(all, gap) > p.rect.w-1 && all[0].word != "charges" {
		all = all[1:] // what went wrong matters more
	}
	x := 1
	for _, c := range all {
		value := strconv.FormatInt(c.n, 10)
		if x+text.Width(c.word)+1+len(value) > p.rect.w {
			return
		}
		label := inkMuted
		if c.ink == inkBad {
			label = inkBad
		}
		x = p.put(x, 0, c.word+" ", label)
		x = p.put(x, 0, value, c.ink) + gap
	}
}

// counter is a word and a number.
type counter struct {
	word string
	n    int64
	ink  ink
}

func countersWidth(all []counter, gap int) int {
	w := -gap
	for _, c := range all {
		w += text.Width(c.word) + 1 + len(strconv.FormatInt(c.n, 10)) + gap
	}
	return w
}
