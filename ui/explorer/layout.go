package explorer

import (
	"strings"

	"charm.land/lipgloss/v2"

	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// The sizes at which the screen unfolds.
const (
	wideEnough = 76  // for two columns under a timeline
	veryWide   = 150 // for the facts beside the matrix
	tallEnough = 20  // for headings
	roomy      = 30  // for blank lines between the parts
)

// wrapped is a text in styled lines of at most w cells; the lines after the
// first are indented.
func wrapped(s string, w, indent int, style lipgloss.Style) []string {
	var lines []string
	for i, line := range text.Wrap(s, max(w, 1)) {
		if i > 0 && indent > 0 {
			rest := strings.Join(text.Wrap(s, max(w, 1))[i:], " ")
			for _, line := range text.Wrap(rest, max(w-indent, 1)) {
				lines = append(lines, strings.Repeat(" ", indent)+style.Render(line))
			}
			return lines
		}
		lines = append(lines, style.Render(line))
	}
	return lines
}

// section is a heading on a rule.
func section(title string, w int, s theme.Styles) string {
	rule := max(w-text.Width(title)-1, 0)
	return s.Title.Render(title) + " " + s.Faint.Render(strings.Repeat("─", rule))
}

// beside puts two blocks side by side, each line cut or filled to its width.
func beside(left, right []string, leftWidth, gap, rightWidth, h int) []string {
	lines := make([]string, 0, h)
	for i := range h {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = text.Cut(right[i], rightWidth)
		}
		if r == "" {
			lines = append(lines, text.Cut(l, leftWidth))
			continue
		}
		lines = append(lines, text.Left(l, leftWidth)+strings.Repeat(" ", gap)+r)
	}
	return lines
}

// indented puts a margin before each line.
func indented(lines []string, margin int) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		if line != "" {
			out[i] = strings.Repeat(" ", margin) + line
		}
	}
	return out
}

// heading is the first line: whose screen it is and what it shows, and a note
// at the right.
func heading(what, note string, w int, s theme.Styles) string {
	left := " " + s.Title.Render("idemtui explore") + "   "
	room := w - text.Width(left) - text.Width(note) - 3
	what = text.Cut(what, room)
	pad := strings.Repeat(" ", max(w-text.Width(left)-text.Width(what)-text.Width(note)-1, 1))
	return left + what + pad + s.Muted.Render(note)
}

// window is the first of the shown rows, so that the marked one is among them.
func window(marked, shown, all int) int {
	return min(max(marked-shown/2, 0), max(all-shown, 0))
}
