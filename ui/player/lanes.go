package player

import (
	"strings"

	"idemtui/sim"
	"idemtui/ui/text"
)

// gutter is the width of the lanes' names.
const gutter = 11

// fewWorkers are so few that their lanes may stand wide apart.
const fewWorkers = 4

// laneSteps is how many lines there are from one lane to the next.
type laneSteps struct{ workers, others int }

// stepsFor spreads so many lanes over the room, on a screen that is so high.
func stepsFor(workers, others, room, screen int) laneSteps {
	switch {
	case screen >= high && 4*workers+3*others <= room && workers <= fewWorkers:
		return laneSteps{4, 3}
	case 3*workers+2*others <= room:
		return laneSteps{3, 2} // with what came of each step under it
	case 2*(workers+others)-1 <= room:
		return laneSteps{2, 2}
	}
	return laneSteps{1, 1}
}

// drawTimeline draws the lanes and the axis, and returns how many lines they
// took.
func (v *view) drawTimeline(p pane) int {
	axis := 1
	switch {
	case !v.guided && p.canvas.h >= tallEnough:
		axis = 3
	case v.guided && p.rect.h >= len(v.page.workers)+5: // its one page is the whole run
		axis = 2
	}
	const others = 3 // broker, table, provider
	room := p.rect.h - axis
	workers := v.shownWorkers(room - others)
	folded := len(v.page.workers) - len(workers)
	more := others
	if folded > 0 {
		more++
	}
	steps := stepsFor(len(workers), more, room, p.canvas.h)
	y := 0
	lane := func(l sim.Lane, step int) pane {
		v.drawLaneName(p.sub(0, y, gutter, 1), l)
		y += step
		return p.sub(gutter, y-step, v.page.width, step)
	}
	v.drawMarks(lane(sim.LaneBroker, steps.others), v.page.broker, true)
	for _, t := range workers {
		v.drawWorker(lane(sim.WorkerLane(t.worker), steps.workers), t)
	}
	if folded > 0 {
		p.put(1, y, foldLine(v.page, workers), inkFaint)
		y += steps.others
	}
	v.drawMarks(lane(sim.LaneTable, steps.others), v.page.table, hasTable(v.trace.Handler()))
	v.drawMarks(lane(sim.LaneProvider, 1), v.page.provider, true)
	if axis == 3 {
		x := p.put(1, y+2, "run ", inkMuted)
		p.put(x, y+2, v.percent(), inkText)
		v.drawScrub(p.sub(gutter, y+2, v.page.width, 1))
	}
	v.drawAxis(p.sub(gutter, y, v.page.width+1, min(axis, 2)))
	return y + axis
}

// shownWorkers are the workers for so many lines: all, or the busiest of the
// page and the picked one.
func (v *view) shownWorkers(room int) []track {
	if len(v.page.workers) <= room {
		return v.page.workers
	}
	picked := -1
	if lane, ok := v.pickedLane(); ok {
		if i, worker := lane.Worker(); worker {
			picked = i
		}
	}
	return v.page.busiest(max(room-1, 1), picked)
}

// drawLaneName names a lane, with a mark where it is picked.
func (v *view) drawLaneName(p pane, lane sim.Lane) {
	if picked, ok := v.pickedLane(); ok && picked == lane {
		p.put(0, 0, "▶", inkAccent)
	}
	name := laneName(lane)
	if lane == sim.LaneBroker && v.trace.Scenario().Direct {
		name = "caller"
	}
	p.put(1, 0, name, v.laneInk(lane))
}

// foldLine says how many workers are not shown.
func foldLine(p *page, shown []track) string {
	atWork := func(tracks []track) (n int) {
		for _, t := range tracks {
			if len(t.blocks) > 0 {
				n++
			}
		}
		return n
	}
	hidden := int64(len(p.workers) - len(shown))
	line := "… " + text.Plural(hidden, "more worker", "more workers")
	switch busy := int64(atWork(p.workers) - atWork(shown)); busy {
	case 0:
		return line + ", idle on this page"
	case hidden:
		return line + ", at work on this page"
	default:
		return line + ", " + text.Count(busy, true) + " of them at work on this page"
	}
}

// rail draws the lane's background up to the present, and the present itself.
func (v *view) rail(p pane, dots bool) {
	if dots {
		p.put(0, 0, strings.Repeat("·", v.cursor), inkFaint)
	}
	lines := p.rect.h
	if v.mode != paused { // what moves on every line is dear to a slow connection
		lines = 1 - min(v.compared, 1)
	}
	for y := range lines {
		p.put(v.cursor, y, "│", inkFaint)
	}
}

// drawMarks draws the marks of a lane that are past.
func (v *view) drawMarks(p pane, marks []mark, dots bool) {
	v.rail(p, dots)
	for _, m := range marks {
		if int(m.seq) < v.n {
			if m.x > 0 && text.Width(m.text) > 1 && dots && m.x <= v.cursor {
				p.put(m.x-1, 0, " ", inkText)
			}
			x := p.put(m.x, 0, m.text, v.markInk(m))
			if text.Width(m.text) > 1 && x < v.cursor {
				p.put(x, 0, " ", inkText)
			}
		}
	}
}

// drawWorker draws what a worker did up to the present. A word that has begun
// is shown whole, so that it can be read as soon as its step begins.
func (v *view) drawWorker(p pane, t track) {
	v.rail(p, false)
	for i := range t.blocks {
		b := &t.blocks[i]
		if int(b.span.FirstSeq) >= v.n {
			continue
		}
		visible := len(b.glyphs)
		if int(b.span.LastSeq) >= v.n { // still going on: it has no end yet
			visible = min(visible, max(v.cursor-b.a, b.word))
			if visible > b.word && b.glyphs[visible-1] == '┤' {
				visible--
			}
			if b.span.Kind == sim.SpanStep {
				p.put(b.a+visible, 0, strings.Repeat("─", max(v.cursor-b.a-visible, 0)), b.ink)
			}
		}
		k := v.blockInk(b)
		for x := range visible {
			if c := p.at(b.a+x, 0); c != nil {
				*c = cell{b.glyphs[x], k}
			}
		}
		if b.span.Label == sim.LabelChargeTimeout && int(b.span.LastSeq) < v.n && b.b > b.a {
			p.put(b.b-1, 0, "✗", inkWarn) // the answer never came
		}
		if b.effect >= 0 && int(b.span.EffectSeq) < v.n {
			v.drawEffect(p, b)
		}
	}
	if p.rect.h > 2 {
		for _, m := range t.notes {
			if int(m.seq) < v.n {
				p.put(m.x, 1, m.text, v.markInk(m))
			}
		}
	}
}

// blockInk lets the payment at the cursor stand out while the clock stands, or
// the followed one; with a single payment it is the step at the cursor.
func (v *view) blockInk(b *block) ink {
	last := int32(v.n - 1)
	switch {
	case v.following && b.span.Payment == v.followed:
		return inkAccent
	case v.following:
		return inkFaint
	case v.mode != paused || v.n == 0 || b.span.Kind == sim.SpanPickUp:
		return b.ink
	case v.trace.Scenario().Payments > 1 && b.span.Payment == v.focus,
		v.trace.Scenario().Payments == 1 && b.span.FirstSeq <= last && last <= b.span.LastSeq && v.trace.Event(v.n-1).Worker == b.span.Worker:
		return inkAccent
	}
	return b.ink
}

// markInk lets the mark of the event at the cursor stand out while the clock
// stands, and those of the followed payment always.
func (v *view) markInk(m mark) ink {
	if v.following && m.seq >= 0 && v.trace.Event(int(m.seq)).Payment != v.followed {
		return inkFaint
	}
	if v.mode == paused && int(m.seq) == v.n-1 && v.n > 0 && m.ink != inkBad {
		return inkAccent
	}
	return m.ink
}

// drawEffect marks the instant at which the provider charged, or refused.
func (v *view) drawEffect(p pane, b *block) {
	glyph, k := "$", inkOK
	_, wrong := v.page.violation(b.span.EffectSeq)
	switch {
	case b.span.Label == sim.LabelChargeFail || b.span.Label == sim.LabelFenced:
		glyph, k = "✗", inkWarn
	case v.page.unchanged[b.span.EffectSeq]:
		glyph = "="
	case wrong:
		k = inkBad
	}
	if v.following && b.span.Payment != v.followed {
		k = inkFaint
	}
	p.put(b.a+b.effect, 0, glyph, k)
}
