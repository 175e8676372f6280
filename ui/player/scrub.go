package player

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/ui/text"
)

// duration is the time at which the run ends, or the last of those that are
// compared.
func (p *Player) duration() int64 {
	d := p.trace.Duration()
	for _, r := range p.rivals {
		if r.trace != nil {
			d = max(d, r.trace.Duration())
		}
	}
	return d
}

// scrub takes a key that goes to a place of the whole run: a tenth of it, or
// the page before or after this one. ok is false for other keys.
func (p *Player) scrub(msg tea.KeyPressMsg) (ok bool) {
	k := p.keys.Player
	d := p.duration()
	to := p.now
	switch {
	case key.Matches(msg, k.Tenth):
		tenth, err := strconv.ParseInt(msg.String(), 10, 64)
		if err != nil {
			return false
		}
		to = d/10*tenth + d%10*tenth/10
	case key.Matches(msg, k.NextPage):
		to += p.pageStep()
	case key.Matches(msg, k.PrevPage):
		to -= p.pageStep()
	default:
		return false
	}
	p.setMode(paused)
	p.seek(to)
	return true
}

// pageStep is how far the keys for a page go.
func (p *Player) pageStep() int64 {
	if p.cache.width == 0 {
		return p.trace.Scenario().Charge
	}
	return p.grid(p.cache.width).step()
}

// percent is how much of the run is over.
func (v *view) percent() string {
	return strconv.FormatInt(scaled(min(v.now, v.duration()), 100, max(v.duration(), 1)), 10) + "%"
}

// density is how many violations fall into each cell of the line that stands for
// the whole run.
type density struct {
	cells []int
	most  int // in one cell
	past  int // have happened
	all   int
	next  int   // the cell of the next one; none: -1
	at    int64 // its time
}

// density counts the violations of all runs on the screen, in so many cells.
func (v *view) density(width int) density {
	d := density{cells: make([]int, width), next: -1}
	for _, r := range v.rows() {
		for _, violation := range r.trace.Violations() {
			at := r.trace.Event(violation.Seq).At
			x := v.scrubCell(at, width)
			d.cells[x]++
			d.most = max(d.most, d.cells[x])
			d.all++
			switch {
			case violation.Seq < r.n:
				d.past++
			case d.next < 0 || at < d.at:
				d.next, d.at = x, at
			}
		}
	}
	return d
}

// scrubCell is where a time is on a line of so many cells for the whole run.
func (v *view) scrubCell(at int64, width int) int {
	d := max(v.duration(), 1)
	return int(scaled(min(max(at, 0), d), int64(max(width-1, 0)), d))
}

// bars are the heights of a cell with several violations, the most at the end.
var bars = []rune("▁▂▃▄▅▆▇█")

// glyph is the mark of a cell: ✗ where there is one violation in each, and for
// the next one; otherwise a bar that is as high as there are many.
func (d density) glyph(x int) rune {
	if d.most == 1 || x == d.next {
		return '✗'
	}
	return bars[(d.cells[x]*len(bars)-1)/d.most]
}

// note says how many violations there are and when the next one comes, for a
// line of w cells; empty where their marks say it.
func (v *view) note(d density, w int) string {
	if d.most <= 1 || w < leastScrub {
		return ""
	}
	all := strconv.Itoa(d.all)
	note := " ✗ " + text.Right(strconv.Itoa(d.past), len(all)) + " of " + all
	if w < roomyScrub {
		return note
	}
	if d.next < 0 {
		return note + text.Left(", no more", v.clockWidth()+len(", next "))
	}
	return note + ", next " + padded(v.clock(d.at), v.clockWidth())
}

// The widths of the line for the whole run from which it has a note, and a long
// one.
const (
	leastScrub = 40
	roomyScrub = 90
)

// drawScrub draws the whole run in one line: where the page lies in it, where
// the present is, and where something went wrong, and how often.
func (v *view) drawScrub(p pane) {
	width := v.page.width
	d := v.density(width)
	if note := v.note(d, width); note != "" {
		width -= text.Width(note)
		p.put(width, 0, note, inkMuted)
		d = v.density(width)
		d.most = max(d.most, 2) // bars, as the note goes with them
	}
	cursor, present := v.scrubCell(v.now, width), inkAccent
	p.put(0, 0, strings.Repeat("─", width), inkFaint)
	a, b := v.scrubCell(v.page.start, width), v.scrubCell(v.page.end()-1, width)
	p.put(a, 0, strings.Repeat("━", b-a+1), inkMuted)
	for x, n := range d.cells {
		switch {
		case n == 0:
		case x == d.next:
			p.put(x, 0, "✗", inkStrong)
		case x <= cursor:
			p.put(x, 0, string(d.glyph(x)), inkBad)
		default:
			p.put(x, 0, string(d.glyph(x)), inkMuted)
		}
	}
	if d.cells[cursor] > 0 && cursor != d.next {
		present = inkBad
	}
	p.put(cursor, 0, "┃", present)
}
