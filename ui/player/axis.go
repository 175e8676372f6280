package player

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"idemtui/ui/text"
)

// ticksApart is how many cells there are at least from one tick to the next.
const ticksApart = 9

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
	a := axis{view: v, pane: p, unit: axisUnit(pg.length), unnamed: true}
	a.step = a.unit.step((ticksApart*pg.length + int64(pg.width) - 1) / int64(pg.width))
	a.draw()
	glyph := "┃"
	if v.cursor >= pg.width {
		glyph = "→"
	}
	p.put(v.cursor, 0, glyph, inkAccent)
	if p.rect.h > 1 {
		v.drawScale(p, a.free)
	}
}

// axis draws the ticks of a page. Where time is left out, each stretch between
// two gaps has ticks of its own, at round times of the run, and each gap says
// how long it is.
type axis struct {
	*view
	pane    pane
	unit    unit
	step    int64
	free    int  // the first cell of the second line that nothing is written in
	unnamed bool // no label has named the unit yet
}

func (a *axis) draw() {
	gaps, pg := a.folds.gaps, a.page
	first := sort.Search(len(gaps), func(i int) bool { return gaps[i].end() > pg.start })
	for i := first; i <= len(gaps); i++ {
		from, real, to := int64(0), int64(0), pg.end()
		if i > 0 {
			from, real = gaps[i-1].end(), gaps[i-1].at+gaps[i-1].length
		}
		if from > pg.end() {
			return
		}
		if i < len(gaps) {
			to = min(to, gaps[i].folded)
		}
		if start := max(from, pg.start); start <= to {
			a.drawStretch(start, real+start-from, to)
		}
		if i < len(gaps) {
			a.drawGap(gaps[i])
		}
	}
}

// drawStretch draws the ticks between two times of the screen; the run is at
// real where the stretch begins.
func (a *axis) drawStretch(from, real, to int64) {
	p, pg := a.pane, a.page
	for at := (real + a.step - 1) / a.step * a.step; from+at-real <= to; at += a.step {
		x := pg.column(from + at - real)
		if x >= pg.width {
			return
		}
		label := a.unit.label(at, a.unnamed)
		p.put(x, 0, "┴", inkMuted)
		switch {
		case p.rect.h == 1:
			if x+text.Width(label)+1 < min(pg.column(to), pg.width) {
				p.put(x+1, 0, label, inkMuted)
				a.unnamed = false
			}
		case x >= a.free && x+text.Width(label) <= p.rect.w:
			a.free = p.put(x, 1, label, inkMuted) + 1
			a.unnamed = false
		}
	}
}

// foldMark stands on the axis where time is left out.
const foldMark = "╱╱"

// drawGap marks a gap and says how long it is, where there is room.
func (a *axis) drawGap(g gap) {
	p, pg := a.pane, a.page
	x, next := pg.column(g.folded+g.short/2), pg.column(g.end())
	if x < 0 || x >= pg.width {
		return
	}
	p.put(x-1, 0, foldMark, inkWarn)
	length := gapText(g.length)
	if label := "+" + length; p.rect.h == 1 && x+1+text.Width(label) <= next {
		p.put(x+1, 0, label, inkWarn)
	}
	for _, label := range []string{length + " pass", "+" + length} {
		at := x - text.Width(label)/2
		if p.rect.h > 1 && at >= a.free && at+text.Width(label) <= min(next, pg.width) {
			a.free = p.put(at, 1, label, inkWarn) + 1
			return
		}
	}
}

// gapText says how much time a gap leaves out, roughly.
func gapText(length int64) string {
	if d := time.Duration(length); d >= time.Second {
		return text.Duration(d.Round(time.Second))
	}
	if length < int64(time.Millisecond) {
		return text.Count(length/int64(time.Microsecond), true) + " us"
	}
	return text.Count(length/int64(time.Millisecond), true) + " ms"
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
	if note == "" || x <= free+1 && v.peek == 0 && scale == "" {
		return
	}
	for at := x - 1; ; at-- { // no half of a tick's time is left
		if c := p.at(at, 1); c == nil || c.r == ' ' {
			break
		}
		p.put(at, 1, " ", inkMuted)
	}
	p.put(x, 1, note, inkMuted)
}
