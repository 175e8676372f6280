package player

import (
	"sort"
	"time"

	"idemtui/sim"
	"idemtui/ui/text"
)

// folding shortens the stretches of a small run in which nothing happens, so
// that all of it can be seen at once: a lease that lapses, a week until a
// replay. The screen works in folded time, and says the time that it really is.
// The zero value folds nothing.
type folding struct {
	gaps  []gap
	width int // cells of the longest clock, so that nothing beside it moves
}

// gap is a stretch without an event. It takes length in the run and folded on
// the screen.
type gap struct{ at, folded, length, short int64 }

// fold finds the run's long stretches: those longer than two charges become as
// long as one.
func fold(trace *sim.Trace) folding {
	var f folding
	short := max(trace.Scenario().Charge, 1)
	removed, last := int64(0), int64(0)
	for i := range trace.Len() {
		at := trace.Event(i).At
		if length := at - last; length > 2*short {
			f.gaps = append(f.gaps, gap{at: last, folded: last - removed, length: length, short: short})
			removed += length - short
		}
		last = at
	}
	f.width = f.longestClock(f.shown(trace.Duration()))
	return f
}

// shown is where a time of the run is on the screen.
func (f folding) shown(at int64) int64 {
	i := sort.Search(len(f.gaps), func(i int) bool { return f.gaps[i].at > at }) - 1
	if i < 0 {
		return at
	}
	g := f.gaps[i]
	if in := at - g.at; in < g.length {
		return g.folded + min(in/max(g.length/g.short, 1), g.short)
	}
	return g.folded + g.short + at - g.at - g.length
}

// real is the time of the run at a time on the screen.
func (f folding) real(shown int64) int64 {
	i := sort.Search(len(f.gaps), func(i int) bool { return f.gaps[i].folded > shown }) - 1
	if i < 0 {
		return shown
	}
	g := f.gaps[i]
	if in := shown - g.folded; in < g.short {
		return g.at + min(in*(g.length/g.short), g.length)
	}
	return g.at + g.length + shown - g.folded - g.short
}

// clock says a time of the screen as the run has it: milliseconds, in a long run
// counted from the last whole second.
func (f folding) clock(shown int64) string {
	at := f.real(shown)
	base := secondsOf(at)
	if base == 0 {
		return text.Millis(at)
	}
	return text.Duration(time.Duration(base)) + " + " + text.Millis(at-base)
}

// secondsOf is the whole seconds of a time that is too long for milliseconds
// alone.
func secondsOf(at int64) int64 {
	const long = int64(10 * time.Second)
	if at < long {
		return 0
	}
	return at - at%int64(time.Second)
}

// longestClock is how many cells the clock takes at most.
func (f folding) longestClock(end int64) int {
	width := text.Width(f.clock(end))
	for _, g := range f.gaps {
		width = max(width, text.Width(f.clock(g.folded)), text.Width(f.clock(g.folded+g.short/2)), text.Width(f.clock(g.folded+g.short)))
	}
	return width
}

// foldMark stands on the axis where time is left out.
const foldMark = "╱╱"

// drawFoldedAxis draws the time of a run with gaps: each stretch has ticks of
// its own, at round times of the run, and each gap says how long it is.
func (v *view) drawFoldedAxis(p pane) {
	step := v.page.tickStep(9)
	from := int64(0)
	free := v.drawStretch(p, 0, 0, v.stretchEnd(0), step, 0)
	for i, g := range v.folds.gaps {
		x := v.page.column(g.folded + g.short/2)
		p.put(x-1, 0, foldMark, inkWarn)
		if label := "+" + gapText(g.length); p.rect.h == 1 && x+1+text.Width(label) <= v.page.column(g.folded+g.short) {
			p.put(x+1, 0, label, inkWarn)
		}
		for _, label := range []string{gapText(g.length) + " pass", "+" + gapText(g.length)} {
			at := x - text.Width(label)/2
			if next := v.page.column(g.folded + g.short); p.rect.h > 1 && at >= free && at+text.Width(label) <= next {
				free = p.put(at, 1, label, inkWarn) + 1
				break
			}
		}
		from = g.folded + g.short
		free = v.drawStretch(p, from, g.at+g.length, v.stretchEnd(i+1), step, free)
	}
}

// stretchEnd is where stretch i ends: at its gap, or with the page.
func (v *view) stretchEnd(i int) int64 {
	if i < len(v.folds.gaps) {
		return v.folds.gaps[i].folded
	}
	return v.page.end()
}

// drawStretch draws the ticks between two times of the screen; the run is at
// real where the stretch begins. Its labels count as the clock does.
func (v *view) drawStretch(p pane, from, real, to, step int64, free int) int {
	base := secondsOf(real)
	for at := (real - base + step - 1) / step * step; from+base+at-real <= to; at += step {
		x := v.page.column(from + base + at - real)
		if x >= v.page.width {
			break
		}
		p.put(x, 0, "┴", inkMuted)
		label := formatDecimal(at, 6)
		switch {
		case at == 0 && base > 0:
			label = text.Duration(time.Duration(base))
		case base > 0:
			label = "+" + label
		case at == 0:
			label += " ms"
		}
		switch {
		case p.rect.h == 1:
			if x+text.Width(label)+1 < min(v.page.column(to), v.page.width) {
				p.put(x+1, 0, label, inkMuted)
			}
		case x >= free && x+text.Width(label) <= p.rect.w:
			free = p.put(x, 1, label, inkMuted) + 1
		}
	}
	return free
}

// gapText says how much time a gap leaves out, roughly.
func gapText(length int64) string {
	if d := time.Duration(length); d >= time.Second {
		return text.Duration(d.Round(time.Second))
	}
	return text.Count(length/int64(time.Millisecond), true) + " ms"
}
