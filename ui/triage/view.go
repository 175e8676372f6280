package triage

import (
	"strings"

	"idemtui/inspect"
	"idemtui/ui/frame"
	"idemtui/ui/text"
)

// View draws the screen for w by h cells.
func (s *Screen) View(w, h int) string {
	l := newLayout(w, h)
	switch {
	case s.mode == diagnosing, s.mode == remembering:
		return s.healthView(l)
	case s.mode == plain:
		return s.plainView(l)
	case s.mode == reading && l.sideW == 0:
		return s.readingView(l)
	}
	if s.groups.by != "" {
		l.rows, l.peek = l.rows+l.peek, 0
	}
	lines := s.headView(l)
	head, rows := s.headings(l), s.rowsView(l)
	if s.groups.by != "" {
		head, rows = s.groupsView(l)
		lines[len(lines)-1] = head
	}
	body := strings.Split(frame.Fit(rows, l.listW, l.rows), "\n")
	if s.groups.by == "" && s.foldLines() > 0 {
		body[len(body)-1] = s.foldLine(l.listW)
	}
	if l.peek > 0 {
		body = append(body, strings.Split(frame.Fit(s.peekView(l), l.listW, l.peek), "\n")...)
	}
	if l.sideW > 0 {
		body = s.beside(l, append([]string{head}, body...))
		lines = lines[:len(lines)-1]
	}
	lines = append(lines, body...)
	return strings.Join(append(lines, s.statusLine(w)), "\n")
}

// beside puts the detail to the right of the list's lines.
func (s *Screen) beside(l layout, left []string) []string {
	rule := s.styles.Faint.Render("│")
	if s.mode == reading {
		rule = s.styles.Accent.Render("┃")
	}
	right := strings.Split(frame.Fit(s.detail.view(s.styles), l.sideW-2, len(left)), "\n")
	for i := range left {
		left[i] = text.Left(left[i], l.listW) + rule + " " + right[i]
	}
	return left
}

// readingView is the detail in place of the list.
func (s *Screen) readingView(l layout) string {
	title := s.styles.Title.Render(" claim ") + s.styles.Muted.Render(text.Sanitise(s.cfg.Table.FullName()))
	lines := []string{s.headerLine(l.w), spread(title, s.asOf(), l.w)}
	for _, line := range strings.Split(frame.Fit(s.detail.view(s.styles), l.w-2, l.h-3), "\n") {
		lines = append(lines, " "+line)
	}
	return strings.Join(append(lines, s.statusLine(l.w)), "\n")
}

// headings is the line of column heads; the sorted one is marked.
func (s *Screen) headings(l layout) string {
	c := newColumnWidths(l.listW)
	head := func(by column, w int, right bool) string {
		style, name := s.styles.Muted, names[by].head
		if by == s.list.order.by {
			style = s.styles.Accent
		}
		if right {
			return style.Render(text.Right(name, w))
		}
		return style.Render(text.Left(name, w))
	}
	cells := []string{head(byKey, c.key, false)}
	if c.owner > 0 {
		cells = append(cells, head(byOwner, c.owner, false))
	}
	cells = append(cells, head(byClaimed, c.claimed, true), head(byLapsed, c.lapsed, true), head(byTries, c.tries, true), head(byVerdict, c.verdict, false))
	return "   " + strings.Join(cells, "  ")
}

// rowsView draws the rows in sight, or says why there are none.
func (s *Screen) rowsView(l layout) string {
	if len(s.list.shown) == 0 {
		return s.emptyView(l)
	}
	c := newColumnWidths(l.listW)
	window := s.list.window()
	lines := make([]string, 0, len(window))
	for i, r := range window {
		lines = append(lines, s.rowLine(r, c, s.list.top+i == s.list.index, l.listW))
	}
	return strings.Join(lines, "\n")
}

func (s *Screen) rowLine(r row, c columnWidths, selected bool, w int) string {
	st, shift := s.styles, s.list.shift
	cursor, mark := " ", " "
	if selected {
		cursor = ">"
	}
	if s.list.marked[r.claim.Key] {
		mark = "*"
	}
	cells := []string{scrolled(r.key, c.key, shift)}
	if r.gone != "" {
		line := cursor + mark + " " + cells[0] + "  → " + r.gone
		if selected {
			return st.Selected.Render(text.Left(line, w))
		}
		return st.Faint.Render(text.Cut(line, w))
	}
	if c.owner > 0 {
		cells = append(cells, scrolled(r.owner, c.owner, shift))
	}
	cells = append(cells, text.Right(r.claimed, c.claimed), text.Right(r.lapsed, c.lapsed), text.Right(r.tries, c.tries))
	fixed := strings.Join(cells, "  ") + "  "
	word, why := text.Left(r.verdict, c.verdict), ""
	if room := c.verdict - verdictWord - 2; room > 0 {
		word, why = text.Left(r.verdict, verdictWord), "  "+scrolled(r.why, room, shift)
	}
	if selected {
		return st.Selected.Render(text.Left(cursor+mark+" "+fixed+word+why, w))
	}
	return st.Text.Render(cursor) + st.Accent.Render(mark) + " " + fixed + verdictStyle(r.claim, st).Render(word) + st.Muted.Render(why)
}

// peekView is what matters about the selected claim, uncut, below the list.
func (s *Screen) peekView(l layout) string {
	r, ok := s.list.selected()
	if !ok {
		return s.styles.Faint.Render(strings.Repeat("─", l.w))
	}
	st := s.styles
	key := text.Cut(r.key, l.w-8)
	rule := st.Faint.Render("── ") + st.Strong.Render(key) + " " + st.Faint.Render(strings.Repeat("─", max(0, l.w-4-text.Width(key))))
	p := &page{w: l.w - 2, styles: st}
	if r.gone != "" {
		p.wrap(st.Info, " ", r.gone)
		return rule + "\n" + strings.Join(p.lines, "\n")
	}
	lead := verdictStyle(r.claim, st).Render(r.verdict) + "  "
	p.hanging(lead, text.Width(r.verdict)+2, st.Text, r.why)
	for _, line := range freesText(r.claim, s.current().snapshot.At) {
		p.wrap(st.Muted, "", line)
	}
	if room := l.peek - 1 - len(p.lines); room > 1 {
		p.blank()
		for _, e := range r.claim.Evidence[:min(room-1, len(r.claim.Evidence))] {
			p.rung(e)
		}
	}
	for i := range p.lines {
		p.lines[i] = " " + p.lines[i]
	}
	return rule + "\n" + strings.Join(p.lines, "\n")
}

// emptyView says why there is no row: still asking, failing, filtered away, or
// nothing is stuck.
func (s *Screen) emptyView(l layout) string {
	st := s.styles
	p := &page{w: l.listW - 3, styles: st}
	look := s.looks[s.tab]
	switch {
	case !look.ok && s.load.err != nil:
		p.wrap(st.Bad, "", "no answer yet: "+faultText(s.load.err))
		p.wrap(st.Muted, "", "trying again every few seconds; "+s.keys.Refresh.Help().Key+" tries now")
	case !look.ok:
		p.wrap(st.Muted, "", "asking "+text.Sanitise(s.cfg.Database.ID)+" for its claims …")
	case s.list.filter != "" && len(s.list.all) > 0:
		p.wrap(st.Warn, "", "no row matches \""+text.Sanitise(s.list.filter)+"\": "+text.Plural(int64(len(s.list.all)), "row is hidden", "rows are hidden")+"; esc clears the filter")
	default:
		s.emptyReasons(p, look.snapshot)
	}
	for i := range p.lines {
		p.lines[i] = "   " + p.lines[i]
	}
	return "\n" + strings.Join(p.lines, "\n")
}

func (s *Screen) emptyReasons(p *page, snapshot inspect.Snapshot) {
	st, sum := s.styles, snapshot.Summary
	q := s.cfg.Query
	switch {
	case inspect.WhyEmpty(snapshot) != "": // it stands among the notes
	case s.cfg.Table.RowSecurity:
		p.wrap(st.Warn, "", "no claim is listed, but row-level security may hide some from this role")
	case s.oneState() != "" || q.Owner.OK || q.Key.OK || !q.Since.IsZero() || !q.Until.IsZero():
		p.wrap(st.OK, "", "no claim matches what was asked for")
	case sum.Claimed.Rows == 0 && sum.Claimed.Exact:
		p.wrap(st.OK, "", "nothing is claimed: no row is PROCESSING")
	case s.tab == tabStuck && sum.Held > 0:
		p.wrap(st.OK, "", "nothing is stuck: "+text.Count(sum.Held, true)+" of "+text.Count(sum.Claimed.Rows, sum.Claimed.Exact)+" claimed are held, as they should be")
		p.wrap(st.Muted, "", s.keys.Claims.Help().Key+" shows them")
	default:
		p.wrap(st.OK, "", "no claim is stuck")
	}
	for _, note := range snapshot.Notes {
		p.wrap(st.Muted, "", text.Sanitise(note))
	}
}

// spread puts left and right on one line of w cells; the left gives way.
func spread(left, right string, w int) string {
	room := w - text.Width(right)
	if room <= 0 {
		return text.Cut(right, w)
	}
	return text.Left(left, room) + right
}
