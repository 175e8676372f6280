package player

import (
	"fmt"
	"strings"

	"idemtui/sim"
	"idemtui/ui/text"
)

// gutter is the width of the lanes' names.
const gutter = 11

// drawTimeline draws the lanes and the axis, and returns how many lines they
// took.
func (v *view) drawTimeline(p pane) int {
	axis := 1
	switch {
	case v.own == nil && p.canvas.h >= tallEnough:
		axis = 3
	case v.own != nil && p.rect.h >= len(v.page.workers)+5: // its one page is the whole run
		axis = 2
	}
	const others = 3 // broker, table, provider
	workers := v.page.workers
	if room := p.rect.h - axis - others; len(workers) > room {
		workers = v.page.busiest(max(room-1, 1))
	}
	folded := len(v.page.workers) - len(workers)
	step, lines := 1, len(workers)+others+axis
	if folded > 0 {
		lines++
	}
	if 2*(lines-axis)+axis-1 <= p.rect.h {
		step = 2
	}
	y := 0
	if step == 2 && 2*(lines-axis)+axis <= p.rect.h && p.canvas.h < roomy {
		y++ // apart from the counters, as the lanes are from each other
	}
	lane := func(name string, k ink) pane {
		p.put(1, y, name, k)
		l := p.sub(gutter, y, v.page.width, 1)
		y += step
		return l
	}
	v.drawMarks(lane("broker", inkMuted), v.page.broker, true)
	for _, t := range workers {
		v.drawWorker(lane("worker "+text.Count(int64(t.worker)+1, true), v.workerInk(t.worker)), t)
	}
	if folded > 0 {
		p.put(1, y, foldLine(v.page, workers), inkFaint)
		y += step
	}
	v.drawMarks(lane("table", inkMuted), v.page.table, hasTable(v.trace.Handler()))
	v.drawMarks(lane("provider", inkMuted), v.page.provider, true)
	y -= step - 1
	if axis == 3 {
		x := p.put(1, y+2, "run ", inkMuted)
		p.put(x, y+2, v.percent(), inkText)
		v.drawScrub(p.sub(gutter, y+2, v.page.width, 1))
	}
	v.drawAxis(p.sub(gutter, y, v.page.width+1, min(axis, 2)))
	return y + axis
}

// workerInk tells the worker of the last event from the others.
func (v *view) workerInk(worker int) ink {
	if v.n > 0 && int(v.trace.Event(v.n-1).Worker) == worker {
		return inkAccent
	}
	return inkMuted
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
		return line + ", idle here"
	case hidden:
		return line + ", at work too"
	default:
		return line + ", " + text.Count(busy, true) + " of them at work"
	}
}

// rail draws the lane's background up to the present, and the present itself.
func (v *view) rail(p pane, dots bool) {
	if dots {
		p.put(0, 0, strings.Repeat("·", v.cursor), inkFaint)
	}
	p.put(v.cursor, 0, "│", inkFaint)
}

// drawMarks draws the marks of a lane that are past.
func (v *view) drawMarks(p pane, marks []mark, dots bool) {
	v.rail(p, dots)
	for _, m := range marks {
		if int(m.seq) < v.n {
			if m.x > 0 && text.Width(m.text) > 1 && dots && m.x <= v.cursor {
				p.put(m.x-1, 0, " ", inkText)
			}
			x := p.put(m.x, 0, m.text, m.ink)
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
		for x := range visible {
			k := b.ink
			if v.follows(b.span.Payment) {
				k = inkAccent
			}
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
}

// follows says whether the payment stands out among many: the one of the last
// event, while the clock stands.
func (v *view) follows(payment int32) bool {
	return v.mode == paused && v.n > 0 && v.focus == payment && v.trace.Scenario().Payments > 1
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
	p.put(b.a+b.effect, 0, glyph, k)
}

// drawAxis draws the time: a rule with ticks and the cursor on it, and the
// ticks' times under it where there are two lines.
func (v *view) drawAxis(p pane) {
	pg := v.page
	for x := range pg.width {
		k := inkFaint
		if x < v.cursor {
			k = inkMuted
		}
		p.put(x, 0, "─", k)
	}
	if len(v.folds.gaps) > 0 {
		v.drawFoldedAxis(p)
		p.put(v.cursor, 0, "┃", inkAccent)
		return
	}
	step := pg.tickStep(9)
	first := (pg.start + step - 1) / step * step
	free := 0
	for at := first; at <= pg.end(); at += step {
		x := pg.column(at)
		if x >= pg.width {
			break
		}
		label := formatDecimal(at, 6)
		if at == first {
			label += " ms"
		}
		p.put(x, 0, "┴", inkMuted)
		if p.rect.h == 1 {
			if x+text.Width(label)+2 <= pg.width {
				p.put(x+1, 0, label, inkMuted)
			}
			continue
		}
		if x >= free && x+text.Width(label) <= p.rect.w {
			free = p.put(x, 1, label, inkMuted) + 1
		}
	}
	glyph := "┃"
	if v.cursor >= pg.width {
		glyph = "→"
	}
	p.put(v.cursor, 0, glyph, inkAccent)
	if p.rect.h > 1 {
		v.drawScale(p, free)
	}
}

// drawScale says at the right under the axis which page this is and how it is
// zoomed. It takes the room of the last tick's time rather than be left out.
func (v *view) drawScale(p pane, free int) {
	pg := v.page
	var parts []string
	if v.peek > 0 {
		parts = append(parts, "looking back")
	} else if pg.count > 1 {
		parts = append(parts, fmt.Sprintf("page %s of %s", text.Count(int64(pg.number), true), text.Count(int64(pg.count), true)))
	}
	scale := v.zoom.String()
	if scale != "" {
		parts = append(parts, scale)
	}
	note := strings.Join(parts, " · ")
	x := p.rect.w - text.Width(note)
	if x <= free+1 && v.peek == 0 && scale == "" {
		return
	}
	p.put(x-1, 1, " "+note, inkMuted)
}
