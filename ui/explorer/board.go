package explorer

import (
	"fmt"
	"math/big"
	"strings"

	"idemtui/sim"
	"idemtui/sim/explore"
	"idemtui/ui/text"
)

// The width of the handlers' names, and the widths of a cell of the matrix at
// which its words are short, whole, and with numbers, and at most.
const (
	nameWidth   = 11
	leastCell   = 9
	wholeCell   = 18
	countedCell = 26
	widestCell  = 34
)

// viewMatrix lays out heading, matrix, facts of the marked cell, and where there
// is room what the numbers teach.
func (e *Explorer) viewMatrix(w, h int) string {
	lines := []string{heading(e.matrixTitle(w), deliveriesText(e.matrix.deliveries), w, e.styles)}
	if h >= roomy {
		lines = append(lines, "")
	}
	rest := h - len(lines)
	if w >= veryWide && h >= roomy {
		board := e.board(w, len(e.matrix.handlers)+1, h >= 2*len(e.matrix.handlers)+roomy)
		lines = append(append(lines, board...), "")
		rest := h - len(lines)
		left := w * 2 / 5
		right := w - left - 4
		return strings.Join(append(lines, beside(indented(e.facts(left-1, rest), 1), e.taught(right, rest), left, 3, right, rest)...), "\n")
	}
	const leastFacts = 5
	rows := min(len(e.matrix.handlers), max(rest-1-leastFacts, 3))
	lines = append(lines, e.board(w, rows+1, false)...)
	if h-len(lines) > leastFacts+2 {
		lines = append(lines, "")
	}
	facts := e.facts(w-2, h-len(lines))
	lines = append(lines, indented(facts, 1)...)
	if room := h - len(lines) - 1; room >= 4 {
		lines = append(append(lines, ""), indented(e.taught(w-2, room), 1)...)
	}
	return strings.Join(lines, "\n")
}

// matrixTitle says what the matrix is, and how much of it is known.
func (e *Explorer) matrixTitle(w int) string {
	known, all := 0, 0
	for row := range e.matrix.handlers {
		for column := range e.matrix.columns {
			all++
			if _, ok := e.searches.found[e.matrix.cell(row, column)]; ok {
				known++
			}
		}
	}
	title := "every order of the steps, one fault at most"
	switch {
	case w < wideEnough:
		title = "every order"
	case w < labelled:
		title = "every order, one fault at most"
	}
	if known < all {
		title += e.styles.Muted.Render(fmt.Sprintf("   %d of %d", known, all))
	}
	return title
}

// board is the matrix, heads included, in at most h lines; apart puts a blank
// line after each row.
func (e *Explorer) board(w, h int, apart bool) []string {
	m := &e.matrix
	shown := min(len(m.columns), max((w-1-nameWidth)/leastCell, 1))
	first := window(m.column, shown, len(m.columns))
	width := min((w-1-nameWidth)/shown, widestCell)
	head := " " + strings.Repeat(" ", nameWidth)
	for column := first; column < first+shown; column++ {
		style := e.styles.Muted
		if column == m.column {
			style = e.styles.Accent
		}
		head += style.Render(text.Left(" "+m.columns[column].name, width))
	}
	lines := []string{head}
	rows := min(len(m.handlers), h-1)
	top := window(m.row, rows, len(m.handlers))
	for row := top; row < top+rows; row++ {
		style := e.styles.Text
		if row == m.row {
			style = e.styles.Accent
		}
		line := " " + style.Render(text.Left(m.handlers[row].String(), nameWidth))
		for column := first; column < first+shown; column++ {
			line += e.cellText(m.cell(row, column), width, row == m.row && column == m.column)
		}
		lines = append(lines, line)
		if apart {
			lines = append(lines, "")
		}
	}
	return lines
}

// cellText is one cell in w cells, its marker included.
func (e *Explorer) cellText(j job, w int, marked bool) string {
	v := e.cellVerdict(j, w)
	marker := " "
	style := v.style
	if marked {
		marker = "▶"
		style = style.Reverse(true)
	}
	word := v.short
	if w >= wholeCell {
		word = v.long
	}
	body := text.Cut(marker+v.glyph+" "+word, w-1)
	if marked {
		body += " "
	}
	return style.Render(body) + strings.Repeat(" ", max(w-text.Width(body), 0))
}

// cellVerdict is how a cell looks now: its verdict, or how far its search is.
func (e *Explorer) cellVerdict(j job, w int) verdict {
	f, ok := e.searches.found[j]
	r := e.searches.running
	switch {
	case !ok && r != nil && r.job == j && !r.dropped:
		word := "..."
		if r.elapsed >= longAfter {
			word = about(int64(r.seen.States))
			word = strings.TrimSuffix(strings.TrimPrefix(word, "about "), " states")
		}
		return verdict{"↻", word, word, e.styles.Info}
	case !ok:
		return verdict{"·", "", "", e.styles.Faint}
	case f.cancelled && f.result.Verdict() == explore.Undecided:
		return verdict{"·", "ended", "cancelled", e.styles.Muted}
	}
	v := verdictOf(f.result.Verdict(), e.styles)
	counts := countsText(f.result)
	if w < countedCell || counts == "" {
		return v
	}
	const marker = 4 // the marker, the glyph, and a blank after each
	for _, word := range []string{text.Left(v.long, len("charges twice")), v.short} {
		if line := word + "  " + counts; text.Width(line)+marker <= w {
			v.long = line
			break
		}
	}
	return v
}

// countsText is how many schedules go wrong, of how many.
func countsText(r explore.Result) string {
	if r.Interleavings == nil {
		return ""
	}
	switch r.Verdict() {
	case explore.Safe:
		return "0 of " + grouped(r.Interleavings)
	case explore.ChargesTwice:
		return grouped(r.Double) + " of " + grouped(r.Interleavings)
	case explore.Loses:
		return grouped(r.Lost) + " of " + grouped(r.Interleavings)
	case explore.Both:
		return grouped(r.Double) + "+" + grouped(r.Lost) + " of " + grouped(r.Interleavings)
	}
	return ""
}

// grouped writes a number with its thousands apart.
func grouped(n *big.Int) string { return groupDigits(n.String()) }

// groupDigits puts the thousands of every number in a sentence apart.
func groupDigits(sentence string) string {
	var b strings.Builder
	isDigit := func(i int) bool { return i < len(sentence) && sentence[i] >= '0' && sentence[i] <= '9' }
	for i := 0; i < len(sentence); i++ {
		b.WriteByte(sentence[i])
		after := 0
		for isDigit(i + 1 + after) {
			after++
		}
		if isDigit(i) && after > 0 && after%3 == 0 {
			b.WriteByte(',')
		}
	}
	return b.String()
}

// lessons are the cells that prove what is worth taking home.
var lessons = []struct {
	handler sim.HandlerID
	budgets explore.Budgets
}{
	{sim.HandlerCheck, explore.Budgets{}},
	{sim.HandlerClaim, explore.Budgets{Fail: 1}},
	{sim.HandlerRelease, explore.Budgets{Crash: 1}},
	{sim.HandlerRelease, explore.Budgets{Timeout: 1}},
	{sim.HandlerLease, explore.Budgets{Crash: 1}},
	{sim.HandlerLease, explore.Budgets{Slow: 1}},
	{sim.HandlerFence, explore.Budgets{Slow: 1}},
	{sim.HandlerOneTx, explore.Budgets{Crash: 1}},
	{sim.HandlerKey, explore.Budgets{Slow: 1}},
	{sim.HandlerKeyOnly, explore.Budgets{Crash: 1}},
	{sim.HandlerNatural, explore.Budgets{Crash: 1}},
}

// taught lists what the searches so far have proved, each with the cell that
// proves it, in at most h lines.
func (e *Explorer) taught(w, h int) []string {
	lines := []string{section("what the numbers teach", w, e.styles)}
	for _, lesson := range lessons {
		j := job{lesson.handler, e.matrix.deliveries, lesson.budgets}
		said := e.teaches(j)
		if said == "" {
			continue
		}
		const column = 18
		where := text.Left(lesson.handler.String()+" "+onlyFault(lesson.budgets), column)
		block := text.Wrap(groupDigits(said), max(w-column, 20))
		if len(lines)+len(block) > h {
			break
		}
		for i, line := range block {
			if i > 0 {
				where = strings.Repeat(" ", column)
			}
			lines = append(lines, e.styles.Muted.Render(where)+line)
		}
	}
	if len(lines) == 1 {
		return nil
	}
	return lines
}

// onlyFault names the one fault of a cell.
func onlyFault(b explore.Budgets) string {
	for _, f := range faults[1:] {
		if f.budgets == b {
			return f.name
		}
	}
	return ""
}

// teaches is the statement that a cell proves, if it does.
func (e *Explorer) teaches(j job) string {
	f, ok := e.searches.found[j]
	if !ok {
		return ""
	}
	return f.result.Teaches(func(h sim.HandlerID) (explore.Result, bool) {
		other, ok := e.searches.found[job{h, j.deliveries, j.budgets}]
		return other.result, ok
	})
}
