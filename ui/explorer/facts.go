package explorer

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"idemtui/sim/explore"
	"idemtui/ui/text"
)

// facts is what is known of the marked cell, the most important first, in at
// most h lines of w cells.
func (e *Explorer) facts(w, h int) []string {
	j := e.matrix.selected()
	title := j.handler.Handler().Title + ", " + budgetsText(j.budgets)
	if j.handler.Handler().Title != j.handler.String() && text.Width(title)+len(j.handler.String())+2 <= w-2 {
		title = j.handler.String() + ": " + title
	}
	parts := [][]string{{section(text.Cut(title, w-2), w, e.styles)}}
	if line := e.progressText(); line != "" {
		parts = append(parts, wrapped(line, w, 2, e.styles.Info))
	}
	f, ok := e.searches.found[j]
	switch {
	case e.notice != "":
		parts = append(parts, wrapped(e.notice, w, 0, e.styles.Info))
	case !ok && e.searches.running != nil && e.searches.running.job == j && !e.searches.running.dropped:
	case !ok && (e.matrix.column < len(faults) || !e.matrix.large || e.matrix.wanted[j]):
		parts = append(parts, wrapped("Its turn comes soon.", w, 0, e.styles.Muted))
	case !ok:
		parts = append(parts, wrapped("Not searched yet: "+e.keys.Explorer.Choose.Help().Key+" searches it.", w, 0, e.styles.Muted))
	case f.cancelled && f.result.Handler == nil:
		parts = append(parts, wrapped("The search was cancelled. "+e.keys.Explorer.Again.Help().Key+" searches again.", w, 0, e.styles.Muted))
	default:
		parts = append(parts, e.resultText(j, f, w)...)
	}
	return stack(parts, h)
}

// stack puts the parts below each other, with blank lines between them where
// all fit; what does not fit is left out.
func stack(parts [][]string, h int) []string {
	all := 0
	for _, part := range parts {
		all += len(part)
	}
	apart := all+len(parts)-2 <= h
	var lines []string
	for i, part := range parts {
		if len(lines)+len(part) > h {
			if room := h - len(lines); room > 0 {
				lines = append(lines, part[:room]...)
			}
			break
		}
		if apart && i > 1 {
			lines = append(lines, "")
		}
		lines = append(lines, part...)
	}
	return lines
}

// resultText is what a search found.
func (e *Explorer) resultText(j job, f finding, w int) [][]string {
	r := f.result
	v := verdictOf(r.Verdict(), e.styles)
	var parts [][]string
	if f.err != nil {
		parts = append(parts, wrapped("✗ "+stoppedText(f), w, 2, e.styles.Warn))
	}
	parts = append(parts, wrapped(v.glyph+" "+groupDigits(r.Headline()), w, 2, v.style))
	if said := e.teaches(j); said != "" {
		parts = append(parts, wrapped(groupDigits(said), w, 0, e.styles.Text))
	}
	if r.Interleavings != nil {
		parts = append(parts, e.scheduleCounts(r, w))
	}
	for _, shortest := range []struct {
		name string
		path *explore.Path
	}{{"shortest double charge", r.ShortestDouble}, {"shortest loss", r.ShortestLost}} {
		if shortest.path != nil {
			parts = append(parts, wrapped(fmt.Sprintf("%s, %s: %s", shortest.name, steps(shortest.path.Len()), shortest.path), w, 2, e.styles.Muted))
		}
	}
	if r.Interleavings == nil {
		parts = append(parts, wrapped(fmt.Sprintf("%s states, %s edges", text.Count(r.States, true), text.Count(r.Edges, true)), w, 0, e.styles.Muted))
	}
	for _, note := range r.Notes {
		if f.err == nil {
			parts = append(parts, wrapped(note, w, 0, e.styles.Muted))
		}
	}
	return parts
}

// stoppedText says why a search did not end.
func stoppedText(f finding) string {
	var stopped *explore.StoppedError
	switch {
	case errors.As(f.err, &stopped):
		return "The search stopped at its " + size(stopped.Limit) + " of memory, with " + text.Count(stopped.States, true) + " states found, " + steps(stopped.Depth) + " deep."
	case f.cancelled:
		return "The search was cancelled after " + text.Count(f.result.States, true) + " states."
	}
	return "The search failed: " + f.err.Error() + "."
}

// scheduleCounts is a bar of all schedules, and its numbers in words.
func (e *Explorer) scheduleCounts(r explore.Result, w int) []string {
	good := new(big.Int).Sub(r.Interleavings, r.Double)
	good.Sub(good, r.Lost)
	words := grouped(r.Interleavings) + many(r.Interleavings, " schedule", " schedules")
	words += ": " + grouped(r.Double) + many(r.Double, " charges", " charge") + " twice, " +
		grouped(r.Lost) + many(r.Lost, " loses", " lose") + ", " + grouped(good) + many(good, " charges", " charge") + " once"
	words += fmt.Sprintf(" · %s states, %s edges", text.Count(r.States, true), text.Count(r.Edges, true))
	lines := wrapped(words, w, 2, e.styles.Strong)
	width := min(w, 60)
	bar := ""
	left := width
	for i, part := range []struct {
		n     *big.Int
		glyph string
	}{{r.Double, "█"}, {r.Lost, "▓"}, {good, "░"}} {
		cells := left
		if i < 2 {
			cells = share(part.n, r.Interleavings, width, left)
		}
		left -= cells
		style := e.styles.Faint
		switch i {
		case 0:
			style = e.styles.Bad
		case 1:
			style = e.styles.Warn
		}
		bar += style.Render(strings.Repeat(part.glyph, cells))
	}
	return append(lines, bar)
}

// many chooses the form that goes with a number.
func many(n *big.Int, one, more string) string {
	if n.IsInt64() && n.Int64() == 1 {
		return one
	}
	return more
}

// share is a part of all in cells: at least one where the part is not nothing,
// and all only where it is all.
func share(part, all *big.Int, width, left int) int {
	if part.Sign() == 0 || left == 0 {
		return 0
	}
	n := new(big.Int).Mul(part, big.NewInt(int64(width)))
	cells := int(n.Div(n, all).Int64())
	if part.Cmp(all) < 0 {
		cells = min(cells, width-1)
	}
	return min(max(cells, 1), left)
}

// progressText says how far a long search is.
func (e *Explorer) progressText() string {
	if !e.searches.long() {
		return ""
	}
	r := e.searches.running
	what := "states"
	if r.seen.Counting {
		what = "states counted"
	}
	rate := int64(r.seen.States) * 1000 / max(r.elapsed.Milliseconds(), 1)
	line := fmt.Sprintf("↻ searching %s, %s: %s %s, %s a second, %s deep", r.handler, budgetsText(r.budgets),
		text.Count(int64(r.seen.States), true), what, text.Count(rate, true), steps(r.seen.Depth))
	return line + ". " + e.keys.Explorer.Back.Help().Key + " cancels."
}
