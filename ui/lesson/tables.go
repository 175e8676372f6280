package lesson

import (
	"fmt"
	"strings"

	"idemtui/sim/lessons"
	"idemtui/ui/text"
)

// viewResults is a table of results at full size.
func (s *Screen) viewResults(w, h int) []string {
	t, state := s.currentTable(), &s.book().tables[s.place.i]
	name := "the results at full size"
	if n := len(s.lesson().Tables); n > 1 {
		name = fmt.Sprintf("results %d of %d", s.place.i+1, n)
	}
	gap := h >= tall
	lines := []string{s.heading(w)}
	add := func(more ...string) { lines = append(lines, more...) }
	if gap {
		add("")
	}
	more := ""
	if state.changed != nil {
		more = s.styles.Warn.Render("changed: " + s.tableChanges())
	}
	if gap || more != "" {
		add(s.rule(name, more, w))
	}
	for _, line := range text.Wrap(t.Title, min(w-2, widest)) {
		add(" " + s.styles.Strong.Render(line))
	}
	if gap {
		add("")
	}
	add(s.grid(t, state, w, !gap)...)
	if gap {
		add("")
	}
	block := s.tableBlock(t, state, w)
	if room := h - len(lines); len(block) > room && len(block) > 1 {
		block = block[:len(block)-1] // what to press is in the footer, too
	}
	if s.panel.Open {
		if room := h - len(lines); gap && room >= len(block)+len(s.dials())+2 {
			add(block...)
			add("")
			block = nil
		}
		return append(lines, s.panelLines(w, max(h-len(lines), 3))...)
	}
	return append(lines, block...)
}

// tableBlock is what to see in the table, beside the bar.
func (s *Screen) tableBlock(t lessons.Table, state *table, w int) []string {
	width := min(w-5, widest)
	k := s.keys.Lesson
	var note string
	style := s.styles.Text
	switch {
	case state.failure != "":
		note, style = "✗ The runs could not be made: "+state.failure+".", s.styles.Bad
	case len(state.results) < len(t.Rows):
		note, style = fmt.Sprintf("%d of %d runs are made.", len(state.results), len(t.Rows)), s.styles.Muted
	case state.changed != nil:
		note, style = "You have changed this workload, so what the lesson says of it may not fit. The numbers are of the workload as it is now.", s.styles.Muted
	default:
		note = t.Note(state.results)
	}
	var lines []string
	for _, line := range text.Wrap(note, width) {
		lines = append(lines, s.barred(style.Render(line)))
	}
	on := "the last word"
	if after, ok := s.next(s.place); ok && after.kind == results {
		on = "the next table"
	}
	hint := s.press(k.Next.Help().Key, on) + "   " + s.press(k.Change.Help().Key, "change the workload")
	if state.changed != nil {
		hint += "   " + s.press(k.Reset.Help().Key, "put it back")
	}
	return append(lines, s.barred(text.Cut(hint, width)))
}

// barred puts the bar before a line.
func (s *Screen) barred(line string) string { return " " + s.styles.Accent.Render("▌") + " " + line }

// tableChanges lists what the viewer has changed in the table's workload.
func (s *Screen) tableChanges() string {
	scenario, own := s.dialled()
	var parts []string
	for _, p := range s.dials() {
		if v := p.Value(scenario); v != p.Value(own) {
			parts = append(parts, p.String()+" "+v)
		}
	}
	return strings.Join(parts, ", ")
}

// shortHeads are the columns' heads where there is one line for them.
var shortHeads = map[lessons.Column]string{
	lessons.ChargedTwice: "twice", lessons.NeverCharged: "never", lessons.FailedFirst: "failed",
}

// headOf is a column's head in two lines, or in one.
func headOf(c lessons.Column, low bool) (top, bottom string) {
	name := c.String()
	if short, ok := shortHeads[c]; ok && low {
		return "", short
	}
	if first, second, two := strings.Cut(name, " "); two && !low {
		return first, second
	}
	return "", name
}

// grid draws the table: its heads, and a line for each row, whose numbers come
// as its run is made.
func (s *Screen) grid(t lessons.Table, state *table, w int, low bool) []string {
	widths, total := make([]int, len(t.Columns)), 0
	heads, gap := [2]string{}, 2
	if w < narrow {
		gap = 1
	}
	for i, c := range t.Columns {
		top, bottom := headOf(c, low)
		widths[i] = max(text.Width(top), text.Width(bottom), 6) + gap
		heads[0] += text.Right(top, widths[i])
		heads[1] += text.Right(bottom, widths[i])
		total += widths[i]
	}
	label := s.labelWidth(t, w-total-1)
	var lines []string
	for _, head := range heads {
		if strings.TrimSpace(head) != "" {
			lines = append(lines, " "+strings.Repeat(" ", label)+s.styles.Muted.Render(head))
		}
	}
	for i, row := range t.Rows {
		name := row.Label
		if text.Width(name) > label {
			name = row.Short()
		}
		line := " " + s.styles.Text.Render(text.Left(name, label))
		for j, c := range t.Columns {
			if i >= len(state.results) {
				line += s.styles.Faint.Render(text.Right("·", widths[j]))
				continue
			}
			n := c.Of(state.results[i])
			style, number := s.styles.Strong, text.Count(n, true)
			if n > 0 && (c == lessons.ChargedTwice || c == lessons.NeverCharged || c == lessons.Stuck) {
				style, number = s.styles.Bad, "✗ "+number
			}
			line += style.Render(text.Right(number, widths[j]))
		}
		lines = append(lines, line)
	}
	return lines
}

// labelWidth is how wide the labels are: as the longest, or as there is room.
func (s *Screen) labelWidth(t lessons.Table, room int) int {
	longest, short := 0, 0
	for _, row := range t.Rows {
		longest, short = max(longest, text.Width(row.Label)), max(short, text.Width(row.Short()))
	}
	if longest <= room {
		return longest
	}
	return max(min(max(short, room), longest, room), 1)
}

// viewClosing is the last word, and what to take home.
func (s *Screen) viewClosing(w, h int) []string {
	l := s.lesson()
	lines := []string{s.heading(w)}
	if h >= tall {
		lines = append(lines, "")
	}
	lines = append(lines, s.rule("the last word", "", w))
	width := min(w-5, widest)
	if !s.low || s.place.i == 0 {
		for _, line := range text.Wrap(l.Closing, width) {
			lines = append(lines, s.barred(line))
		}
	}
	gap := h-len(lines) >= 2*len(l.Checklist)+4
	for i, question := range l.Checklist {
		if s.low && s.place.i == 0 {
			break
		}
		if gap {
			lines = append(lines, s.barred(""))
		}
		indent := s.styles.Accent.Render(fmt.Sprintf("%d ", i+1))
		for j, line := range text.Wrap(question, width-2) {
			if j > 0 {
				indent = "  "
			}
			lines = append(lines, s.barred(indent+s.styles.Strong.Render(line)))
		}
	}
	if h >= tall {
		lines = append(lines, s.barred(""))
	}
	k := s.keys.Lesson
	hint := "This was the last lesson. " + s.press(k.Menu.Help().Key, "the lessons") + "   " + s.press(k.All.Help().Key, "play with all handlers")
	switch _, more := s.next(s.place); {
	case more:
		hint = s.press(k.Next.Help().Key, fmt.Sprintf("the list, %d questions", len(l.Checklist)))
	case s.at+1 < len(s.list):
		hint = s.press(k.Next.Help().Key, fmt.Sprintf("lesson %d, %s", l.N+1, s.list[s.at+1].Title))
	}
	return append(lines, s.barred(text.Cut(hint, width)))
}
