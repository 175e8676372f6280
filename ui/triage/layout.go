package triage

import "idemtui/ui/text"

// wideFrom is the width from which list and detail stand side by side.
const wideFrom = 160

// layout is how the screen's body is divided, in cells. Every part that comes
// and goes has its lines reserved, so that a refresh moves nothing.
type layout struct {
	w, h    int
	compact bool // one summary line instead of two, and nothing of the incident
	tall    bool // the histogram of claim times has a line
	listW   int
	sideW   int // the detail beside the list; 0 where there is none
	head    int // lines above the rows
	rows    int
	peek    int // lines of the preview below the rows, its rule included
}

func newLayout(w, h int) layout {
	l := layout{w: w, h: h, listW: w, compact: h < 20, tall: h >= 28}
	l.head = 7
	if l.compact {
		l.head = 5
	}
	if l.tall {
		l.head++
	}
	if w >= wideFrom {
		l.sideW = max(66, w*2/5)
		l.listW = w - l.sideW - 1
	} else {
		switch {
		case h >= 34:
			l.peek = 9
		case h >= 22:
			l.peek = 6
		}
	}
	l.rows = max(1, h-l.head-l.peek-1)
	return l
}

// columnWidths are the widths of the list's columns; an owner of 0 is left out.
type columnWidths struct{ key, owner, claimed, lapsed, tries, verdict int }

// verdictWord is the width of the longest verdict with its glyph.
const verdictWord = 13

// leastWhy is the room from which the evidence beside a verdict says something.
const leastWhy = 18

// newColumnWidths divides a list of w cells. They depend on the width alone,
// so that no refresh moves a column.
func newColumnWidths(w int) columnWidths {
	const marks, gap = 3, 2
	c := columnWidths{claimed: 7, lapsed: 8, tries: 3}
	room := w - marks - c.claimed - c.lapsed - c.tries - 4*gap
	if w < 76 {
		c.verdict = verdictWord
		c.key = max(4, room-c.verdict)
		return c
	}
	room -= gap
	spare := room - 48
	c.owner = min(24, 15+spare/14)
	c.key = min(40, 20+spare/8)
	c.verdict = room - c.owner - c.key
	if c.verdict < verdictWord+2+leastWhy {
		c.verdict = verdictWord
		c.key = room - c.owner - c.verdict
	}
	return c
}

// scrolled returns s in w cells; a value that is too long is shown from shift
// cells on, as far as its end allows.
func scrolled(s string, w, shift int) string {
	if over := text.Width(s) - w; over > 0 {
		s = text.CutLeft(s, min(shift, over))
	}
	return text.Left(s, w)
}

// wide reports whether the detail stands beside the list.
func (s *Screen) wide() bool { return s.width >= wideFrom }

// relayout fits the list and the detail to the terminal after each message.
func (s *Screen) relayout() {
	l := newLayout(s.width, s.height-1)
	s.list.resize(l.rows - s.foldLines())
	if !s.detailInSight() {
		return
	}
	w, h := s.detailSize(l)
	s.detail.fit(s.detailText(w), h)
}

// detailSize is the room for the detail: beside the list, or in its place.
func (s *Screen) detailSize(l layout) (w, h int) {
	switch {
	case s.mode == plain:
		return l.w, l.h - 2
	case l.sideW > 0:
		return l.sideW - 2, l.h - l.head
	}
	return l.w - 2, l.h - 3
}

// widest is how far the longest value in sight can be scrolled.
func (s *Screen) widest() int {
	l := newLayout(s.width, s.height-1)
	c := newColumnWidths(l.listW)
	over := 0
	for _, r := range s.list.window() {
		over = max(over, text.Width(r.key)-c.key, text.Width(r.why)-(c.verdict-verdictWord-2))
		if c.owner > 0 {
			over = max(over, text.Width(r.owner)-c.owner)
		}
	}
	return over
}
