package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Ellipsis marks a text that was cut.
const Ellipsis = "…"

// Width returns how many terminal cells s takes, escape sequences not counted.
func Width(s string) int { return ansi.StringWidth(s) }

// Cut shortens s to at most w cells and marks the cut with [Ellipsis]. A wide
// character is never cut in half. Styled text keeps its styles.
func Cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return ansi.Truncate(s, w, Ellipsis)
}

// Left returns s in exactly w cells: cut with an ellipsis, or padded on the
// right.
func Left(s string, w int) string {
	s = Cut(s, w)
	return s + strings.Repeat(" ", max(0, w-Width(s)))
}

// Right returns s in exactly w cells: cut with an ellipsis, or padded on the
// left, as numbers are.
func Right(s string, w int) string {
	s = Cut(s, w)
	return strings.Repeat(" ", max(0, w-Width(s))) + s
}

// Wrap breaks s at spaces into lines of at most w cells; a word longer than
// that is broken where it must be.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	return strings.Split(ansi.Wrap(s, w, ""), "\n")
}

// CutLeft removes the first n cells of s and marks the cut with [Ellipsis].
func CutLeft(s string, n int) string {
	if n <= 0 {
		return s
	}
	return ansi.TruncateLeft(s, n+1, Ellipsis)
}
