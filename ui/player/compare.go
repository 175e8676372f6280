package player

import (
	"fmt"

	"idemtui/sim"
	"idemtui/ui/text"
)

// rowPlan is which lanes each of the compared handlers gets, so that all have
// the same ones.
type rowPlan struct {
	height                  int // the heading included
	workers                 int
	broker, table, provider bool
	apart                   int // blank lines after each row
	title                   int // cells for the handler's title; 0: its name will do
}

// planRows spreads so many lines over the rows. What says least is left out
// first: the broker, then workers, then the table.
func planRows(rows, workers, room int) rowPlan {
	each := room / max(rows, 1)
	plan := rowPlan{height: min(each, workers+4)}
	lanes := plan.height - 1
	plan.provider = lanes > 1
	plan.table = lanes > 3
	plan.broker = lanes >= workers+3
	for _, has := range []bool{plan.provider, plan.table, plan.broker} {
		if has {
			lanes--
		}
	}
	plan.workers = max(min(lanes, workers), 0)
	if each > plan.height {
		plan.apart = 1
	}
	return plan
}

const (
	mostStory = 5 // lines of a sentence on a low screen
	columnGap = 2 // between two handlers
)

// composeCompared stacks the handlers under one clock: the lanes of each, then
// the time, and below it what each of them is at, side by side.
func (v *view) composeCompared(c *canvas) {
	w, h := c.w, c.h
	whole := c.pane(rect{0, 0, w, h})
	y := v.drawComparedHeading(whole)
	views := v.rowViews()
	axis, below := 1, 0
	if h >= tallEnough {
		axis, below = 3, 1+min(storyLines(columnWidth(w, len(views))), mostStory)
	}
	if h >= roomy {
		y++
		below = 3 + storyLines(columnWidth(w, len(views))) + v.programHeight(views)
	}
	if v.panel.Open {
		below = max(below, leastDials)
	}
	plan := planRows(len(views), len(v.page.workers), h-y-axis-below)
	plan.title = titleWidth(views, w)
	for i, row := range views {
		p := c.pane(rect{0, y, w, plan.height})
		switch {
		case row != nil:
			row.drawRow(p, i, plan)
		default:
			p.put(1, 0, v.rivals[i-1].handler.Handler().Title, inkMuted)
			p.put(gutter, 1, v.rivalFailure(i-1), inkMuted)
		}
		y += plan.height + plan.apart
	}
	if plan.apart > 0 && len(views) > 0 {
		y -= plan.apart
	}
	if axis == 3 {
		x := whole.put(1, y+2, "run ", inkMuted)
		whole.put(x, y+2, v.percent(), inkText)
		v.drawScrub(whole.sub(gutter, y+2, v.page.width, 1))
	}
	v.drawAxis(whole.sub(gutter, y, v.page.width+1, min(axis, 2)))
	y += axis
	if h >= roomy {
		y++
	}
	if v.panel.Open {
		v.panel.draw(v, c.pane(rect{0, y, w, h - y}), v.dials())
		return
	}
	v.drawColumns(c.pane(rect{0, y, w, h - y}), views)
}

// rivalFailure says why a rival has no run to show.
func (v *view) rivalFailure(i int) string {
	if failure := v.rivals[i].failure; failure != "" {
		return "✗ This run cannot be shown: " + failure + "."
	}
	return "The run is being made."
}

// drawComparedHeading is product, what is compared or what the last key came to,
// and the clock; it returns the number of lines.
func (v *view) drawComparedHeading(p pane) int {
	y := 0
	if p.rect.h >= tallEnough {
		v.drawProduct(p.sub(0, 0, p.rect.w, 1))
		y++
	}
	end := v.drawClock(p.sub(0, y, p.rect.w, 1), true)
	k := v.keys.Player
	what := "workload"
	if v.workloads[v.shown].scene {
		what = "scene"
	}
	line, ink := fmt.Sprintf("%d handlers, the same %s, one clock", len(v.rivals)+1, what), inkText
	if long := fmt.Sprintf("%s   %s%s pick one, %s turns it", line, k.LaneUp.Help().Key, k.LaneDown.Help().Key, k.NextHandler.Help().Key); text.Width(long)+4 < end {
		line = long
	}
	if v.notice != "" {
		line, ink = v.notice, inkInfo
	}
	p.sub(0, y, end-1, 1).cut(1, 0, end-2, line, ink)
	return y + 1
}

// rowViews are the views of the compared runs; nil for one that is being made.
func (v *view) rowViews() []*view {
	views := []*view{v}
	for _, r := range v.rivals {
		if r.trace == nil {
			views = append(views, nil)
			continue
		}
		r.n, r.now, r.mode = v.rivalN(r.trace), v.now, v.mode
		r.keys, r.palette, r.glance = v.keys, v.palette, v.glance
		if pg := r.cache.page; pg == nil || pg.width != v.page.width || pg.stretch != v.page.stretch {
			r.cache.page = layPage(r.trace, v.page.width, v.page.stretch)
		}
		if !r.cache.valid || r.cache.state.N != r.n {
			r.cache.state, r.cache.valid = r.trace.At(r.n), true
		}
		views = append(views, &view{Player: r, page: r.cache.page, state: &r.cache.state, cursor: v.cursor, focus: r.focus()})
	}
	return views
}

// drawRow draws one handler: its name and counters, and its lanes.
func (v *view) drawRow(p pane, i int, plan rowPlan) {
	v.drawRowHeading(p.sub(0, 0, p.rect.w, 1), i, plan)
	if v.page.start > v.trace.Duration() {
		p.put(gutter, 1, "Its run was over at "+v.clock(v.trace.Duration())+".", inkMuted)
		return
	}
	y := 1
	lane := func(l sim.Lane) pane {
		v.drawLaneName(p.sub(0, y, gutter, 1), l)
		y++
		return p.sub(gutter, y-1, v.page.width, 1)
	}
	if plan.broker {
		v.drawMarks(lane(sim.LaneBroker), v.page.broker, true)
	}
	workers := v.page.workers
	if len(workers) > plan.workers {
		workers = v.page.busiest(plan.workers, -1)
	}
	for _, t := range workers {
		v.drawWorker(lane(sim.WorkerLane(t.worker)), t)
	}
	if plan.table {
		v.drawMarks(lane(sim.LaneTable), v.page.table, hasTable(v.trace.Handler()))
	}
	if plan.provider {
		v.drawMarks(lane(sim.LaneProvider), v.page.provider, true)
	}
}

// The room that the counters and the note beside them take at most.
const countersAndNote = 64 + 22

// titleWidth is the room for the handlers' titles, 0 where only their names fit.
func titleWidth(views []*view, w int) int {
	longest := 0
	for _, row := range views {
		if row != nil {
			longest = max(longest, text.Width(row.trace.Handler().Title))
		}
	}
	if longest+countersAndNote > w {
		return 0
	}
	return longest
}

// drawRowHeading is the handler, the counters, how many workers are not shown,
// and whether its run is over.
func (v *view) drawRowHeading(p pane, i int, plan rowPlan) {
	h := v.trace.Handler()
	name, column := h.Name, 12
	if plan.title > 0 {
		name, column = h.Title, plan.title+4
	}
	k := inkStrong
	if i == v.picked {
		p.put(0, 0, "▶", inkAccent)
		k = inkAccent
	}
	p.cut(1, 0, column-2, name, k)
	right := ""
	switch hidden := len(v.page.workers) - plan.workers; {
	case v.n == v.trace.Len():
		right = "over at " + v.clock(v.trace.Duration())
	case hidden > 0:
		right = fmt.Sprintf("+%d workers", hidden)
	}
	end := p.rect.w
	if column+countersAndNote-4 <= p.rect.w {
		end = p.right(0, right+" ", inkMuted) - 2
	}
	v.drawCounters(p.sub(column, 0, end-column, 1))
}

// programHeight is how many lines the longest of the programs has.
func (v *view) programHeight(views []*view) int {
	most := 0
	for _, row := range views {
		if row != nil {
			most = max(most, row.trace.Handler().Steps)
		}
	}
	return most
}

// drawColumns is what each handler is at, side by side: what happened last, its
// program or the SQL of the step, and the payment's row and ledger.
func (v *view) drawColumns(p pane, views []*view) {
	width := columnWidth(p.rect.w, len(views))
	for i, row := range views {
		if row != nil {
			row.drawColumn(p.sub(i*(width+columnGap), 0, width, p.rect.h), v.programHeight(views))
		}
	}
}

// columnWidth is the width of one of so many columns.
func columnWidth(w, columns int) int { return max((w+columnGap)/max(columns, 1)-columnGap, 1) }

// storyLines is how many lines a sentence of the narration takes at most.
func storyLines(w int) int {
	const longest = 150 // cells
	return longest/max(w-1, 1) + 1
}

func (v *view) drawColumn(p pane, program int) {
	y := 0
	if p.rect.h > 2 {
		y = v.section(p, 0, v.trace.Handler().Name)
	}
	lines := min(storyLines(p.rect.w), p.rect.h-y)
	sentence, k := v.story()
	p.sub(1, y, p.rect.w-1, lines).wrap(0, lines, sentence, k)
	y += lines
	if v.statement {
		if p.rect.h-y > 1 {
			v.drawStatement(p.sub(0, y, p.rect.w, p.rect.h-y))
		}
		return
	}
	if p.rect.h-y > program {
		y++
		v.drawProgram(p.sub(0, y, p.rect.w, min(program, p.rect.h-y)))
		y += program
	}
	if p.rect.h-y > facts+1 {
		y = v.section(p, y+1, v.factsTitle())
		y += v.drawFacts(p.sub(0, y, p.rect.w, p.rect.h-y))
	}
	if p.rect.h-y > 4 {
		v.drawEvents(p, y+1)
	}
}
