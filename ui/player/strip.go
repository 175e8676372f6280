package player

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"

	"idemtui/sim"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// Strip is the timeline by itself, for a screen that shows the trace of a
// schedule: the lanes of the player, over an axis that counts steps. The zero
// value needs SetStyles.
type Strip struct {
	palette palette
	page    *page
}

// Schedule is what a strip shows: a trace whose steps are numbered from 1 and
// stand one step time apart.
type Schedule struct {
	Trace  *sim.Trace
	Now    int64    // the virtual time, in nanoseconds
	Tick   int64    // the time from one step to the next
	Steps  int      // how many steps a page has; at least 1
	First  int      // the step before the first one on the page, 0 on the first page
	Lanes  []string // the workers' names, at most gutter cells wide
	Chosen int      // the worker that stands out, or -1
}

// StripRoom is how many cells of a strip's width are left for the steps.
func StripRoom(w int) int { return max(w-gutter-1, 1) }

// StripHeight is how many lines a strip takes: the lanes of broker, table,
// provider and so many workers, apart from each other or not, and the axis.
func StripHeight(workers int, apart bool) int {
	if apart {
		return 2*(workers+3) + 1
	}
	return workers + 3 + 2
}

// SetStyles gives the strip its theme.
func (s *Strip) SetStyles(styles theme.Styles) { s.palette = newPalette(styles) }

// View draws the strip in w by h cells.
func (s *Strip) View(schedule Schedule, w, h int) string {
	if w <= gutter+1 || h <= 0 {
		return ""
	}
	n := schedule.Trace.IndexAt(schedule.Now)
	state := schedule.Trace.At(n)
	pg := s.layOut(schedule, StripRoom(w))
	v := &view{Player: &Player{trace: schedule.Trace, n: n, now: schedule.Now, palette: s.palette}, page: pg, state: &state}
	v.cursor = min(max(pg.column(schedule.Now), 0), pg.width-1)
	c := newCanvas(w, h)
	p := c.pane(rect{0, 0, w, h})
	y, step := 0, 1
	if h >= StripHeight(len(pg.workers), true) {
		step = 2
	}
	lane := func(name string, k ink) pane {
		p.put(1, y, name, k)
		l := p.sub(gutter, y, pg.width, 1)
		y += step
		return l
	}
	v.drawMarks(lane("broker", inkMuted), pg.broker, true)
	for i, t := range pg.workers {
		k := inkMuted
		if i == schedule.Chosen {
			k = inkAccent
		}
		v.drawWorker(lane(schedule.Lanes[i], k), t)
	}
	v.drawMarks(lane("table", inkMuted), pg.table, hasTable(schedule.Trace.Handler()))
	v.drawMarks(lane("provider", inkMuted), pg.provider, true)
	v.drawSteps(p.sub(gutter, y-step+1, pg.width+1, 2), schedule)
	return c.draw(&s.palette)
}

// layOut lays the page out, once as long as nothing but the time changes.
func (s *Strip) layOut(schedule Schedule, width int) *page {
	start := int64(schedule.First) * schedule.Tick
	length := int64(schedule.Steps)*schedule.Tick + schedule.Tick
	if p := s.page; p != nil && p.trace == schedule.Trace && p.start == start && p.length == length && p.width == width {
		return p
	}
	p := &page{trace: schedule.Trace, width: width, stretch: stretch{start: start, length: length, number: 1, count: 1}, unchanged: map[int32]bool{}}
	p.lay()
	s.page = p
	return p
}

// drawSteps draws the axis: a tick under the effect of each step, and its
// number.
func (v *view) drawSteps(p pane, schedule Schedule) {
	pg := v.page
	p.put(0, 0, strings.Repeat("─", pg.width), inkFaint)
	p.put(0, 0, strings.Repeat("─", v.cursor), inkMuted)
	free := 0
	for i := schedule.First; i <= schedule.First+schedule.Steps; i++ {
		x := pg.column(int64(i) * schedule.Tick)
		if i == 0 || x < 0 || x >= pg.width {
			continue
		}
		k := inkFaint
		if x <= v.cursor {
			k = inkMuted
		}
		p.put(x, 0, "┴", k)
		label := strconv.Itoa(i)
		if free == 0 && x >= 5 {
			p.put(x-5, 1, "step", k)
		}
		if x >= free && x+text.Width(label) <= p.rect.w {
			free = p.put(x, 1, label, k) + 1
		}
	}
	p.put(v.cursor, 0, "┃", inkAccent)
}

// Legend explains the marks of the timeline for the help overlay.
func Legend() []key.Binding { return legend() }
