package player

import (
	"idemtui/sim"
	"idemtui/ui/text"
)

// stamp is all that a frame depends on: two equal stamps give the same frame.
type stamp struct {
	w, h, look, request, shown, n int
	handler                       sim.HandlerID
	now                           int64
	mode                          mode
	speed                         Speed
	notice                        string
	loaded                        bool
}

// cache keeps what the next frame can use again: the page, which stands still
// while the cursor moves, the state at the cursor, and the frame itself.
type cache struct {
	stamp stamp
	frame string
	page  *page
	state sim.State
	valid bool // of state
}

// view is one frame under construction.
type view struct {
	*Player
	page   *page
	state  *sim.State
	cursor int   // the cell of the present on the page
	focus  int32 // the payment that the last event was about
}

// View draws the screen in w by h cells. At 200x60 it takes 0.20 ms while
// playing one payment and 0.32 ms with 2,000 (BenchmarkView).
func (p *Player) View(w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	s := stamp{w, h, p.look, p.request, p.shown, p.n, p.handler, p.now, p.mode, p.speed, p.notice, p.trace != nil}
	if s == p.cache.stamp {
		return p.cache.frame
	}
	c := newCanvas(w, h)
	if p.trace == nil {
		p.drawWaiting(c.pane(rect{0, 0, w, h}))
	} else {
		v := p.look0(c, w)
		v.compose(c)
	}
	p.cache.stamp, p.cache.frame = s, c.draw(&p.palette)
	return p.cache.frame
}

// look0 brings the cached page and state up to date.
func (p *Player) look0(c *canvas, w int) *view {
	width := max(w-gutter-1, 1)
	if pg := p.cache.page; pg == nil || pg.width != width || !pg.holds(p.now) {
		p.cache.page = newPage(p.trace, p.now, width)
	}
	if !p.cache.valid || p.cache.state.N != p.n {
		p.cache.state, p.cache.valid = p.trace.At(p.n), true
	}
	v := &view{Player: p, page: p.cache.page, state: &p.cache.state}
	v.cursor = min(max(v.page.column(p.now), 0), width-1)
	if p.n > 0 {
		v.focus = max(p.trace.Event(p.n-1).Payment, 0)
	}
	return v
}

// drawWaiting is the screen before there is a run.
func (p *Player) drawWaiting(c pane) {
	p.drawProduct(c.sub(0, 0, c.rect.w, 1), p.handler.Handler())
	if p.failure != "" {
		y := c.sub(1, 2, c.rect.w-2, c.rect.h-2).wrap(0, 4, "✗ This run cannot be shown: "+p.failure+".", inkBad)
		c.put(1, y+3, "Choose another handler or workload.", inkMuted)
		return
	}
	c.put(1, 2, "The run is being made.", inkMuted)
}

// The heights of the lower part: what the program needs at most, and the least
// that is worth a heading.
const (
	programLines = 5
	wideEnough   = 76 // for two columns
	tallEnough   = 20 // for a heading in three lines, and for ticks under the axis
	roomy        = 30 // for blank lines between the parts
	lavish       = 44 // for a blank line under each lane
)

// compose lays out the panes from top to bottom: heading, timeline, and below it
// program and facts beside the story and the log.
func (v *view) compose(c *canvas) {
	w, h := c.w, c.h
	y := v.drawHeading(c.pane(rect{0, 0, w, h}))
	if h >= roomy {
		y++
	}
	lower := programLines + 1
	if h >= tallEnough {
		lower = programLines + 4
	}
	y += v.drawTimeline(c.pane(rect{0, y, w, max(h-y-lower, 5)}), h)
	if h >= roomy {
		y++
	}
	rest := h - y
	if rest <= 0 {
		return
	}
	if w < wideEnough {
		v.drawNarrow(c.pane(rect{0, y, w, rest}))
		return
	}
	left := min(max(w*45/100, 40), 72)
	v.drawLeft(c.pane(rect{0, y, left, rest}))
	v.drawRight(c.pane(rect{left + 2, y, w - left - 3, rest}))
}

// drawNarrow stacks story and program, the facts only where there is room.
func (v *view) drawNarrow(p pane) {
	y := v.drawStory(p.sub(1, 0, p.rect.w-2, p.rect.h), 2)
	y += v.drawProgram(p.sub(0, y, p.rect.w, p.rect.h-y))
	if p.rect.h-y >= 3 {
		v.drawFacts(p.sub(0, y, p.rect.w, p.rect.h-y))
	}
}

func (v *view) drawLeft(p pane) {
	y := v.section(p, 0, "program", "")
	y += v.drawProgram(p.sub(0, y, p.rect.w, p.rect.h-y))
	if p.rect.h-y >= 5 {
		y++
	}
	if p.rect.h-y >= 4 {
		y = v.section(p, y, "table and ledger", "")
	}
	v.drawFacts(p.sub(0, y, p.rect.w, p.rect.h-y))
}

func (v *view) drawRight(p pane) {
	y := v.section(p, 0, "what happened", "")
	y += v.drawStory(p.sub(0, y, p.rect.w, p.rect.h-y), p.rect.h)
	if p.rect.h-y >= 5 {
		y = v.section(p, y+1, "events", "")
		v.drawLog(p.sub(0, y, p.rect.w, p.rect.h-y))
	}
}

// section heads a part with its name on a rule, and returns the line below.
func (v *view) section(p pane, y int, name, note string) int {
	if p.rect.h-y < 2 {
		return y
	}
	x := p.put(1, y, name+" ", inkTitle)
	for ; x < p.rect.w; x++ {
		p.put(x, y, "─", inkFaint)
	}
	if note != "" {
		p.right(y, " "+note, inkMuted)
	}
	return y + 1
}

// drawProduct is the first line: whose screen it is and what it shows.
func (p *Player) drawProduct(c pane, h *sim.Handler) {
	right := "seed " + text.Count(int64(p.config.Scenario.Seed), true) + "   " + p.speed.String() + " "
	if c.rect.w < wideEnough {
		right = p.speed.String() + " "
	}
	end := c.right(0, right, inkMuted)
	x := c.put(1, 0, "idemtui sim", inkTitle) + 3
	title := p.workloads[p.shown].title
	if c.rect.w < wideEnough {
		c.cut(x, 0, end-x-2, title, inkText)
		return
	}
	if long := p.config.Lesson + " · " + title; text.Width(long) < end-x-2 {
		title = long
	}
	c.cut(x, 0, end-x-2, title, inkText)
}

// drawHeading is product, handler and clock, and the counters; it returns the
// number of lines.
func (v *view) drawHeading(p pane) int {
	h := v.trace.Handler()
	v.drawProduct(p.sub(0, 0, p.rect.w, 1), h)
	end := v.drawClock(p)
	x := p.cut(1, 1, end-3, h.Title, inkAccent)
	if place := "   handler " + text.Count(int64(h.ID)+1, true) + " of " + text.Count(int64(len(sim.Handlers())), true); x+text.Width(place) < end-1 {
		p.put(x, 1, place, inkMuted)
	}
	v.drawCounters(p)
	return 3
}

// drawClock says at the right of the second line whether the clock runs, and
// the time; it returns the column where it begins.
func (v *view) drawClock(p pane) int {
	word, k := "paused", inkMuted
	switch {
	case v.mode == playing:
		word, k = "▶ playing", inkOK
	case v.mode == away:
		word, k = "▶ waiting", inkMuted
	case v.n == v.trace.Len():
		word, k = "the end", inkAccent
	}
	clock := text.Right(text.Millis(v.now), 9) + " "
	x := p.right(1, clock, inkStrong)
	return p.rect.w - text.Width(clock) - text.Width(word) - 2 + min(0, p.put(x-text.Width(word)-2, 1, word, k))
}

// drawCounters is the line of the lesson's table of results.
func (v *view) drawCounters(p pane) {
	c := v.state.Counters
	x := 1
	add := func(word string, n int64, k ink) {
		value := text.Count(n, true)
		if x > 1 && x+text.Width(word)+1+text.Width(value) > p.rect.w {
			return
		}
		x = p.put(x, 2, word+" ", inkMuted)
		x = p.put(x, 2, value, k) + 3
	}
	add("deliveries", c.Deliveries, inkStrong)
	add("payments", c.Payments, inkStrong)
	add("charges", c.Charges, inkStrong)
	if c.ChargedTwice > 0 {
		x = p.put(x, 2, "✗ charged twice "+text.Count(c.ChargedTwice, true), inkBad) + 3
	} else {
		add("charged twice", 0, inkStrong)
	}
	if c.Lost > 0 {
		x = p.put(x, 2, "✗ never charged "+text.Count(c.Lost, true), inkBad) + 3
	}
	if c.Takeovers > 0 {
		add("takeovers", c.Takeovers, inkStrong)
	}
	if c.Fenced > 0 {
		add("fenced", c.Fenced, inkStrong)
	}
}
