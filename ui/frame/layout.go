package frame

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"

	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// Fit returns content as exactly h lines of at most w cells: longer lines are
// cut, missing lines are blank.
func Fit(content string, w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	lines := strings.Split(content, "\n")
	if len(lines) > h {
		lines = lines[:h]
	}
	for i, line := range lines {
		if ansi.StringWidth(line) > w {
			lines[i] = ansi.Truncate(line, w, text.Ellipsis)
		}
	}
	for len(lines) < h {
		lines = append(lines, "")
	}
	return strings.Join(lines, "\n")
}

// TooSmall is the frame of a terminal below the minimum. It says what to do, in
// one line where that fits, and else a word a line.
func TooSmall(w, h int) string {
	needed := fmt.Sprintf("%dx%d", MinWidth, MinHeight)
	for _, line := range []string{
		fmt.Sprintf("idemtui needs %s, this is %dx%d: enlarge the terminal", needed, w, h),
		fmt.Sprintf("enlarge to %s, this is %dx%d", needed, w, h),
		"enlarge to " + needed,
	} {
		if text.Width(line) <= w {
			return Fit(line, w, h)
		}
	}
	if h < 3 {
		return Fit(needed, w, h)
	}
	return Fit("enlarge\nto\n"+needed, w, h)
}

// Overlay draws box over background, centred. Both are styled text; background
// is w by h cells.
func Overlay(background, box string, w, h int) string {
	lines := strings.Split(Fit(background, w, h), "\n")
	rows := strings.Split(box, "\n")
	boxWidth := 0
	for _, row := range rows {
		boxWidth = max(boxWidth, ansi.StringWidth(row))
	}
	top, left := max(0, (h-len(rows))/2), max(0, (w-boxWidth)/2)
	for i, row := range rows {
		if top+i >= len(lines) {
			break
		}
		under := lines[top+i]
		right := rightOf(under, left+boxWidth)
		lines[top+i] = text.Left(ansi.Truncate(under, left, ""), left) + "\x1b[m" +
			text.Left(row, min(boxWidth, w-left)) + "\x1b[m" + right
	}
	return strings.Join(lines, "\n")
}

// rightOf returns what stands in line from this column on. A wide character
// that begins before the column and reaches over it becomes a blank.
func rightOf(line string, column int) string {
	right := ansi.TruncateLeft(line, column, "")
	if ansi.StringWidth(right) > max(0, ansi.StringWidth(line)-column) {
		right = " " + ansi.TruncateLeft(line, column+1, "")
	}
	return right
}

// Footer draws keys and what they do on one line of at most w cells. What does
// not fit is left out whole; the help key, given last, always fits.
func Footer(keys []key.Binding, always []key.Binding, w int, s theme.Styles) string {
	const gap = "  "
	tail := make([]string, 0, len(always))
	room := w - 1 + len(gap) // a blank before the first, a gap between any two
	for _, b := range always {
		hint := keyHint(b, s)
		tail = append(tail, hint)
		room -= text.Width(hint) + len(gap)
	}
	var parts []string
	for _, b := range keys {
		if !b.Enabled() || b.Help().Key == "" {
			continue
		}
		hint := keyHint(b, s)
		if text.Width(hint)+len(gap) > room {
			break
		}
		room -= text.Width(hint) + len(gap)
		parts = append(parts, hint)
	}
	return text.Cut(" "+strings.Join(append(parts, tail...), gap), w)
}

func keyHint(b key.Binding, s theme.Styles) string {
	return s.Key.Render(b.Help().Key) + " " + s.KeyText.Render(b.Help().Desc)
}

// HelpBox draws the groups of keys in as many columns as fit into w cells. What
// is taller than h is drawn page by page; it says how many pages there are, and
// draws one of them, counted from 0, or the last.
func HelpBox(groups []KeyGroup, page, w, h int, s theme.Styles) (box string, pages int) {
	inner := w - 4
	blocks := make([][]string, 0, len(groups))
	widest := 0
	for _, g := range groups {
		block := helpBlock(g, s)
		for _, line := range block {
			widest = max(widest, text.Width(line))
		}
		blocks = append(blocks, block)
	}
	columns := max(1, min(len(blocks), (inner+3)/(widest+3)))
	cells := spread(blocks, columns)
	tallest := 0
	for _, column := range cells {
		tallest = max(tallest, len(column))
	}
	room := max(h-2, 1)
	pages = 1
	if tallest > room {
		room = max(room-1, 1) // for the line that says so
		pages = (tallest + room - 1) / room
	}
	page = min(max(page, 0), pages-1)
	lines := make([]string, 0, room+1)
	for i := page * room; i < min(tallest, (page+1)*room); i++ {
		row := make([]string, columns)
		for c, column := range cells {
			line := ""
			if i < len(column) {
				line = column[i]
			}
			row[c] = text.Left(line, min(widest, inner))
		}
		lines = append(lines, strings.TrimRight(strings.Join(row, "   "), " "))
	}
	if pages > 1 {
		for len(lines) < room {
			lines = append(lines, "")
		}
		lines = append(lines, s.Faint.Render(text.Cut(fmt.Sprintf("page %d of %d, ↓ the next, ↑ the one before", page+1, pages), inner)))
	}
	return s.Box.Render(strings.Join(lines, "\n")), pages
}

func helpBlock(g KeyGroup, s theme.Styles) []string {
	width := 0
	for _, b := range g.Keys {
		width = max(width, text.Width(b.Help().Key))
	}
	block := []string{s.Title.Render(g.Title)}
	for _, b := range g.Keys {
		if b.Help().Key == "" {
			continue
		}
		block = append(block, s.Key.Render(text.Left(b.Help().Key, width))+"  "+s.KeyText.Render(b.Help().Desc))
	}
	return block
}

// spread deals the blocks into columns, each to the shortest column so far, in
// order, with a blank line between two blocks.
func spread(blocks [][]string, columns int) [][]string {
	cells := make([][]string, columns)
	for _, block := range blocks {
		shortest := 0
		for c := range cells {
			if len(cells[c]) < len(cells[shortest]) {
				shortest = c
			}
		}
		if len(cells[shortest]) > 0 {
			cells[shortest] = append(cells[shortest], "")
		}
		cells[shortest] = append(cells[shortest], block...)
	}
	return cells
}
