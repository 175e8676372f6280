package cli

import (
	"errors"
	"io"
	"strings"

	"idemtui/ui/text"
)

// widest is the most cells that one value makes all lines of a column wide.
const widest = 64

// textTable is an aligned table for people. Every cell is made printable;
// nothing is cut, because a key that cannot be copied whole is of no use: what
// is wider than [widest] pushes the rest of its own line alone. The last column
// runs free.
type textTable struct {
	titles []string
	right  map[int]bool // columns of numbers
	rows   [][]string
}

func newTextTable(titles ...string) *textTable {
	return &textTable{titles: titles, right: map[int]bool{}}
}

// alignRight marks the columns with these titles as numbers.
func (t *textTable) alignRight(titles ...string) *textTable {
	for i, title := range t.titles {
		for _, wanted := range titles {
			if title == wanted {
				t.right[i] = true
			}
		}
	}
	return t
}

// add adds a row of as many cells as there are titles.
func (t *textTable) add(cells ...string) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = text.Sanitise(cell)
	}
	t.rows = append(t.rows, row)
}

// String lays the table out with two spaces between columns.
func (t *textTable) String() string {
	var out strings.Builder
	_ = t.writeTo(&out, func(f func([]string) bool) error { // a builder takes everything
		for _, row := range t.rows {
			f(row)
		}
		return nil
	})
	return out.String()
}

// writeTo lays out rows that are kept elsewhere; each gives them, printable, twice.
func (t *textTable) writeTo(out io.Writer, each func(func([]string) bool) error) error {
	widths := make([]int, len(t.titles))
	widen := func(row []string) bool {
		for i, cell := range row {
			widths[i] = max(widths[i], min(text.Width(cell), widest))
		}
		return true
	}
	widen(t.titles)
	if err := each(widen); err != nil {
		return err
	}
	_, failed := io.WriteString(out, t.line(t.titles, widths))
	err := each(func(row []string) bool {
		if failed == nil {
			_, failed = io.WriteString(out, t.line(row, widths))
		}
		return failed == nil
	})
	return errors.Join(err, failed)
}

func (t *textTable) line(cells []string, widths []int) string {
	var line strings.Builder
	for i, cell := range cells {
		if i > 0 {
			line.WriteString("  ")
		}
		switch {
		case text.Width(cell) > widths[i]:
			line.WriteString(cell)
		case t.right[i]:
			line.WriteString(text.Right(cell, widths[i]))
		default:
			line.WriteString(text.Left(cell, widths[i]))
		}
	}
	return strings.TrimRight(line.String(), " ") + "\n"
}

// markdownTable writes the same table in Markdown, at most limit rows of it.
func (t *textTable) markdownTable(limit int) string {
	var out strings.Builder
	row := func(cells []string) {
		escaped := make([]string, len(cells))
		for i, cell := range cells {
			escaped[i] = markdownEscape(cell)
		}
		out.WriteString("| " + strings.Join(escaped, " | ") + " |\n")
	}
	row(t.titles)
	out.WriteString("|" + strings.Repeat(" --- |", len(t.titles)) + "\n")
	for _, cells := range t.rows[:min(limit, len(t.rows))] {
		row(cells)
	}
	return out.String()
}

// markdownEscape keeps text from the table from becoming markup.
func markdownEscape(cell string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`).Replace(cell)
}
