package player

import (
	"strconv"

	"idemtui/sim"
)

// The bounds of the zoom, in doublings of the scale.
const (
	closest  = 8
	farthest = -16
)

// shortestPage is the least time that a page shows.
const shortestPage = 1_000

// zoom is how the viewer looks at the time. The zero value shows the pages that
// fit the words of the steps.
type zoom struct {
	level  int   // doublings of the scale; below 0: halvings
	anchor int64 // where one of the pages begins
	lead   int64 // how far into a page the cursor enters it; 0 at level 0: a quarter
}

// String is the scale as the axis shows it, empty where nothing was zoomed.
func (z zoom) String() string {
	switch {
	case z.level > 0:
		return "zoom " + strconv.Itoa(1<<z.level) + "x"
	case z.level < 0:
		return "zoom 1/" + strconv.Itoa(1<<-z.level)
	}
	return ""
}

// grid is how a run is cut into pages.
type grid struct {
	zoom
	length   int64 // of a page
	duration int64 // of the run, or of the longest of those that are compared
	plain    bool  // nothing was zoomed
}

// stretch is the part of the run that a page shows.
type stretch struct {
	start, length int64 // virtual nanoseconds
	number, count int   // this page, from 1, of so many
	far           bool  // zoomed out
}

func (s stretch) end() int64 { return s.start + s.length }

// baseLength is the length of a page that was not zoomed, of so many cells. A
// run on one page gets the length of its workload, so that handlers are drawn to
// one scale, unless that leaves it in a corner.
func baseLength(s sim.Scenario, duration int64, width int, workload int64) int64 {
	length := workload
	if own := fitting(duration); workload > 2*own || !onOnePage(s, duration, width, workload) {
		length = own
	}
	if !onOnePage(s, duration, width, length) {
		length = pageLength(s, width)
	}
	return length
}

// gridOf cuts a run into pages.
func gridOf(length, duration int64, z zoom) grid {
	g := grid{zoom: z, length: length, duration: duration}
	for range z.level {
		g.length = max(g.length/2, min(length, shortestPage))
	}
	for range -z.level {
		g.length = min(2*g.length, max(length, fitting(duration)))
	}
	if g.plain = z == (zoom{}); g.plain {
		g.lead = g.length / 4
	}
	g.lead = min(g.lead, g.length/4)
	g.anchor %= g.step()
	return g
}

// step is the time from one page to the next. What comes before the cursor when
// it enters a page is shown again on it.
func (g grid) step() int64 { return g.length - g.lead }

// index is the page for a time: the cursor leaves a page at its right end. Where
// the pages do not begin at 0, the first has the number -1.
func (g grid) index(at int64) int64 {
	offset := at - g.anchor - g.lead
	if offset < 0 {
		return g.first()
	}
	return offset / g.step()
}

func (g grid) first() int64 {
	if g.anchor > 0 {
		return -1
	}
	return 0
}

// at is the page on which the cursor stands at a time.
func (g grid) at(now int64) stretch {
	last := g.index(g.duration - 1)
	i := min(g.index(now), last)
	s := stretch{start: max(g.anchor+i*g.step(), 0), length: g.length, number: int(i-g.first()) + 1, count: int(last-g.first()) + 1, far: g.level < 0}
	if g.plain && i == last && i > 0 { // the last page ends with the run, so that it is never nearly empty
		s.start = min(s.start, g.duration+g.length/20-g.length)
	}
	return s
}

// grid is how the present run is cut into pages of so many cells. That of a
// lesson's page has only one.
func (p *Player) grid(width int) grid {
	w, d := &p.workloads[p.shown], p.duration()
	length := baseLength(p.trace.Scenario(), d, width, w.length)
	if p.guided || w.scene {
		length = w.length
		if own := fitting(d); length > 2*own {
			length = own
		}
	}
	return gridOf(length, d, p.zoom)
}

// zoomBy doubles or halves the scale, so that the cursor stays in its cell.
func (p *Player) zoomBy(by int) {
	p.peek = 0
	width := p.cache.width
	if width == 0 {
		return
	}
	before := p.grid(width)
	old := before.at(p.now)
	level := p.zoom.level + by
	if level > closest || level < farthest || by < 0 && old.count == 1 && p.zoom.level <= 0 {
		p.notice = "The whole run is on this page."
		if by > 0 {
			p.notice = "It goes no closer."
		}
		return
	}
	p.zoom.level = level
	length := p.grid(width).length
	cell := scaled(p.now-old.start, int64(width), old.length)
	start := max(p.now-scaled(length, 2*cell+1, int64(2*width)), 0)
	if length >= fitting(p.duration()) {
		start = 0
	}
	p.zoom.lead = min(max(p.now-start, 0), length/4)
	p.zoom.anchor = start
}

// panBy looks at what lies a quarter of a page earlier, or back towards the
// cursor. The cursor stays where it is, and the next move comes back to it.
func (p *Player) panBy(quarters int64) {
	width := p.cache.width
	if width == 0 {
		return
	}
	s := p.grid(width).at(p.now)
	p.setMode(paused)
	p.peek = min(max(p.peek+quarters*(s.length/4), 0), s.start)
}

// onScreen is the stretch that is drawn.
func (p *Player) onScreen(width int) stretch {
	s := p.grid(width).at(p.now)
	s.start = max(s.start-p.peek, 0)
	return s
}
