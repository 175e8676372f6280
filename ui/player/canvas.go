package player

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// ink is what a cell of the canvas means. The theme says how that looks.
type ink uint8

const (
	inkText ink = iota
	inkStrong
	inkMuted
	inkFaint
	inkTitle
	inkAccent
	inkOK
	inkWarn
	inkBad
	inkInfo
	inkRead
	inkCharge
	inkWrite
	inkUndo
	inkCount
)

// palette is the theme as escape sequences, made once: what stands before and
// after a run of cells of one ink.
type palette [inkCount]struct{ before, after string }

func newPalette(s theme.Styles) palette {
	styles := [inkCount]lipgloss.Style{
		inkText: s.Text, inkStrong: s.Strong, inkMuted: s.Muted, inkFaint: s.Faint, inkTitle: s.Title,
		inkAccent: s.Accent, inkOK: s.OK, inkWarn: s.Warn, inkBad: s.Bad, inkInfo: s.Info,
		inkRead: s.SpanRead, inkCharge: s.SpanCharge, inkWrite: s.SpanWrite, inkUndo: s.SpanUndo,
	}
	var p palette
	for i, style := range styles {
		p[i].before, p[i].after, _ = strings.Cut(style.Render("x"), "x")
	}
	return p
}

// cell is one cell of the canvas. A rune of 0 is the second half of a wide one.
type cell struct {
	r   rune
	ink ink
}

// canvas is a frame under construction: panes write on it, and nothing they do
// can make a line wider or the frame taller than it is.
type canvas struct {
	w, h  int
	cells []cell
}

func newCanvas(w, h int) *canvas {
	c := &canvas{w: w, h: h, cells: make([]cell, w*h)}
	for i := range c.cells {
		c.cells[i].r = ' '
	}
	return c
}

// rect is a rectangle of the canvas.
type rect struct{ x, y, w, h int }

// pane is the part of the canvas that one subject may write on.
type pane struct {
	*canvas
	rect
}

func (c *canvas) pane(r rect) pane { return pane{c, r} }

// put writes s at x, y of the pane and returns the column after it. What does
// not fit into the pane is left out.
func (p pane) put(x, y int, s string, k ink) int {
	if y < 0 || y >= p.rect.h || p.y+y >= p.canvas.h {
		return x
	}
	row := (p.y + y) * p.canvas.w
	for _, r := range s {
		width := 1
		if r >= 0x300 {
			width = ansi.StringWidth(string(r))
		}
		if width == 0 {
			continue
		}
		if x >= 0 && x+width <= p.rect.w && p.x+x+width <= p.canvas.w {
			i := row + p.x + x
			p.clear(i)
			if width == 2 {
				p.clear(i + 1)
				p.cells[i+1] = cell{0, k}
			}
			p.cells[i] = cell{r, k}
		}
		x += width
	}
	return x
}

// clear blanks a cell, and with it the other half of a wide rune.
func (c *canvas) clear(i int) {
	if c.cells[i].r == 0 && i > 0 {
		c.cells[i-1].r = ' '
	}
	if i+1 < len(c.cells) && c.cells[i+1].r == 0 {
		c.cells[i+1].r = ' '
	}
	c.cells[i].r = ' '
}

// right writes s so that it ends at the pane's right edge, and returns the
// column where it begins.
func (p pane) right(y int, s string, k ink) int {
	x := p.rect.w - text.Width(s)
	p.put(x, y, s, k)
	return x
}

// cut writes s in at most w cells, with an ellipsis where it is longer.
func (p pane) cut(x, y, w int, s string, k ink) int {
	return p.put(x, y, text.Cut(s, min(w, p.rect.w-x)), k)
}

// wrap writes s in lines of the pane's width from line y on, at most limit of
// them, and returns the line after the last.
func (p pane) wrap(y, limit int, s string, k ink) int {
	lines := text.Wrap(s, p.rect.w)
	if len(lines) > limit && limit > 0 {
		lines[limit-1] = text.Cut(lines[limit-1]+" "+lines[limit], p.rect.w)
		lines = lines[:limit]
	}
	for i, line := range lines {
		if i >= limit {
			break
		}
		p.put(0, y, line, k)
		y++
	}
	return y
}

// at is the cell at x, y of the pane, or nil outside.
func (p pane) at(x, y int) *cell {
	if x < 0 || y < 0 || x >= p.rect.w || y >= p.rect.h || p.x+x >= p.canvas.w || p.y+y >= p.canvas.h {
		return nil
	}
	return &p.cells[(p.y+y)*p.canvas.w+p.x+x]
}

// sub is a part of the pane.
func (p pane) sub(x, y, w, h int) pane {
	return pane{p.canvas, rect{p.x + x, p.y + y, min(w, p.rect.w-x), min(h, p.rect.h-y)}}
}

// draw gives the canvas as styled text. Blanks at the end of a line are
// left out.
func (c *canvas) draw(p *palette) string {
	var b strings.Builder
	b.Grow(len(c.cells) * 2)
	for y := range c.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		row := c.cells[y*c.w : (y+1)*c.w]
		for len(row) > 0 && row[len(row)-1].r == ' ' {
			row = row[:len(row)-1]
		}
		current := inkText
		for _, cell := range row {
			if cell.ink != current && cell.r != ' ' {
				b.WriteString(p[current].after)
				b.WriteString(p[cell.ink].before)
				current = cell.ink
			}
			if cell.r != 0 {
				b.WriteRune(cell.r)
			}
		}
		b.WriteString(p[current].after)
	}
	return b.String()
}
