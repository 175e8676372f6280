package lesson

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"

	"idemtui/sim"
	"idemtui/ui/player"
	"idemtui/ui/text"
)

// The sizes at which the screen unfolds.
const (
	tall       = 20 // for program, table and ledger under the text
	roomy      = 30 // for blank lines between the parts
	narrow     = 76 // below it columns stand closer together
	widest     = 96 // no line of prose is longer, or the eye loses it
	leastRun   = 7  // lines of the timeline with its counters, at least
	leastLower = 6  // lines of program and the rest, under dials or an exhibit
	leastRest  = 11 // lines of program and the rest, before lanes are set apart
)

// View draws the screen in w by h cells.
func (s *Screen) View(w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	var lines []string
	switch s.place.kind {
	case results:
		lines = s.viewResults(w, h)
	case closing:
		lines = s.viewClosing(w, h)
	default:
		if s.sequence() != nil {
			lines = s.viewSequence(w, h)
			break
		}
		lines = s.viewRun(w, h)
	}
	return strings.Join(lines[:min(len(lines), h)], "\n")
}

// viewRun is a page: heading, timeline, the page's text under a rule, and what
// there is room for below.
func (s *Screen) viewRun(w, h int) []string {
	lines := []string{s.heading(w)}
	block := s.block(w, h < tall)
	if h < tall {
		return append(lines, s.viewLow(w, h-1, block)...)
	}
	gap := 0
	if h >= roomy {
		lines, gap = append(lines, ""), 1
	}
	upper := s.player.UpperHeight(player.Close)
	for _, spread := range []player.Spread{player.Apart, player.Noted} {
		if apart := s.player.UpperHeight(spread); h-len(lines)-apart-len(block)-2*gap >= leastRest {
			upper = apart
		}
	}
	lines = append(lines, fitted(s.player.Upper(w, upper), upper)...)
	lines = append(lines, block...)
	if gap > 0 {
		lines = append(lines, "")
	}
	rest := h - len(lines)
	switch exhibit := s.exhibit(w); {
	case s.panel.Open:
		dials := s.panelLines(w, min(rest, len(s.dials())+1))
		lines = append(lines, dials...)
	case exhibit != nil:
		lines = append(lines, exhibit...)
	}
	if left := h - len(lines); left == rest || left > leastLower {
		if left < rest {
			lines, left = append(lines, ""), left-1
		}
		lines = append(lines, fitted(s.player.Lower(w, left), left)...)
	}
	return lines
}

// viewLow is a page on a low screen: the timeline over the text, the dials or
// the step's SQL in the place of the text, an exhibit in that of the timeline.
func (s *Screen) viewLow(w, h int, block []string) []string {
	if s.panel.Open {
		block = s.panelLines(w, h-leastRun)
	}
	if (s.player.Statement() || s.player.Filtered()) && !s.panel.Open {
		block = fitted(s.player.Lower(w, h-leastRun), h-leastRun)
	}
	block = block[:min(len(block), h)]
	upper := h - len(block)
	above := fitted(s.player.Upper(w, upper), upper)
	if exhibit := s.exhibit(w); exhibit != nil && !s.panel.Open {
		above = fitted(strings.Join(exhibit, "\n"), upper)
	}
	return append(above, block...)
}

// fitted are the lines of a picture, exactly so many.
func fitted(picture string, h int) []string {
	lines := strings.Split(picture, "\n")
	for len(lines) < h {
		lines = append(lines, "")
	}
	return lines[:max(h, 0)]
}

// heading says which lesson this is, and at the right how far one is.
func (s *Screen) heading(w int) string {
	l := s.lesson()
	right := ""
	switch {
	case s.place.kind == page, s.place.kind == asking:
		right = s.tokenAndSpeed(w - len(" lesson 1 of 7  ") - text.Width(l.Title) - 2)
	case s.place.kind == results || s.place.kind == closing:
		right = s.styles.Muted.Render(fmt.Sprintf("seed %d ", s.config.Seed))
	}
	left := " " + s.styles.Title.Render(fmt.Sprintf("lesson %d of %d", l.N, len(s.list))) + "  "
	if title := s.styles.Strong.Render(l.Title); text.Width(left+title+right) < w {
		left += title
		return left + strings.Repeat(" ", w-text.Width(left+right)) + right
	}
	return text.Cut(left+s.styles.Strong.Render(l.Title), w)
}

// tokenAndSpeed is what stands on the right of a page's heading, in w cells: the
// token, which has the seed, and the speed where there is room for it too.
func (s *Screen) tokenAndSpeed(w int) string {
	muted, speed := s.styles.Muted, ""
	if s.sequence() == nil {
		speed = "speed " + s.player.Speed().String() + " "
	}
	token := s.token()
	if token == "" {
		return muted.Render(speed)
	}
	const least = len("l1.4.10.…") // a token of a changed run is long, and is cut
	seed := "token "
	if s.config.Seed != sim.DefaultScenario().Seed {
		seed = fmt.Sprintf("seed %d  token ", s.config.Seed)
	}
	for _, beside := range []struct{ before, after string }{{seed, "  " + speed}, {"token ", "  " + speed}, {"token ", " "}, {"", " "}} {
		if room := w - text.Width(beside.before+beside.after); room >= min(text.Width(token), least) {
			return muted.Render(beside.before) + s.styles.Text.Render(text.Cut(token, room)) + muted.Render(beside.after)
		}
	}
	return muted.Render(speed)
}

// rule heads a part: its name and what else there is to say, on a line.
func (s *Screen) rule(name, more string, w int) string {
	line := " " + s.styles.Title.Render(name) + " "
	if more != "" {
		line += s.styles.Faint.Render("·") + " " + more + " "
	}
	line = text.Cut(line, w)
	return line + s.styles.Faint.Render(strings.Repeat("─", max(w-1-text.Width(line), 0)))
}

// block is the page's text, or the question, under a rule, and what to press,
// which on a low screen gives way to the text. It is as tall on one page as on
// the next, so that nothing jumps.
func (s *Screen) block(w int, low bool) []string {
	l := s.lesson()
	width := min(w-5, widest)
	name := fmt.Sprintf("page %d of %d", s.pageOf(s.place)+1, len(l.Pages))
	if s.place.kind == asking {
		name = "a question first"
		if s.book().chosen >= 0 {
			name = "the answer"
		}
	}
	more := ""
	if s.scene.lesson == s.at && s.sequence() == nil {
		more = s.styles.Muted.Render(s.present().Title)
		if changes := s.changes(); changes != "" {
			more = s.styles.Warn.Render("changed: " + changes)
		}
	}
	lines := []string{s.rule(name, more, w)}
	body, hint := s.body(width)
	const longestUsual = 270 // cells of a page's text, with what is filled in
	longest := max(longestUsual, l.Longest())
	room := longest/width + 2
	if low {
		room--
	}
	for len(body) < room-1 {
		body = append(body, "")
	}
	if !low || len(body) < room {
		body = append(body, text.Cut(hint, width))
	}
	for _, line := range body {
		lines = append(lines, s.barred(line))
	}
	return lines
}

// changes lists what the viewer has changed in the present scene.
func (s *Screen) changes() string {
	changed, ok := s.book().changed[s.scene.i]
	if !ok {
		return ""
	}
	own := s.present()
	var parts []string
	if changed.Handler != own.Scenario.Handler {
		parts = append(parts, "handler "+changed.Handler.String())
	}
	for _, p := range own.Parameters {
		if v := p.Value(changed); v != p.Value(own.Scenario) {
			parts = append(parts, p.String()+" "+v)
		}
	}
	return strings.Join(parts, ", ")
}

// body is what stands beside the bar, and the line about what to press.
func (s *Screen) body(width int) (lines []string, hint string) {
	if s.place.kind == asking {
		return s.questionBody(width)
	}
	if s.waiting() {
		return nil, ""
	}
	said := s.say()
	style := s.styles.Text
	if !said.Own {
		style = s.styles.Muted
	}
	for _, line := range text.Wrap(said.Text, width) {
		lines = append(lines, style.Render(line))
	}
	return lines, s.pageHint(width)
}

// pageHint says how to go on, and what can be done with the run, as far as there
// is room in w cells.
func (s *Screen) pageHint(w int) string {
	k, p := s.keys.Lesson, s.keys.Player
	on := "next page"
	if after, ok := s.next(s.place); ok && after.kind == results {
		on = "the results"
	}
	hints := []string{s.press(k.Next.Help().Key, on)}
	add := func(b key.Binding, does string) { hints = append(hints, s.press(b.Help().Key, does)) }
	if _, changed := s.book().changed[s.scene.i]; changed && s.sequence() == nil {
		add(k.Reset, k.Reset.Help().Desc)
	}
	if s.playing() {
		add(p.Play, "pause")
	} else {
		add(p.Play, "play")
	}
	hints = append(hints, s.press(p.Back.Help().Key+" "+p.Step.Help().Key, "step"))
	if s.sequence() == nil {
		add(p.NextHandler, "handler")
		add(p.Compare, "compare")
		add(p.Statement, "SQL")
	}
	line := ""
	for _, hint := range hints {
		if text.Width(line)+text.Width(hint) > w {
			break
		}
		line += hint + "   "
	}
	return strings.TrimRight(line, " ")
}

// press is a key and what it does.
func (s *Screen) press(key, does string) string {
	return s.styles.Key.Render(key) + " " + s.styles.Info.Render(does)
}

// questionBody is the question with its choices, or the answer.
func (s *Screen) questionBody(width int) (lines []string, hint string) {
	q, b, k := &s.lesson().Question, s.book(), s.keys.Lesson
	if b.chosen >= 0 {
		style, glyph := s.styles.Warn, "✗ "
		if s.right() {
			style, glyph = s.styles.OK, "● "
		}
		for _, line := range text.Wrap(glyph+s.verdict(), width) {
			lines = append(lines, style.Render(line))
		}
		return lines, s.press(k.Next.Help().Key, "see why")
	}
	for _, line := range text.Wrap(q.Text, width) {
		lines = append(lines, s.styles.Strong.Render(line))
	}
	row := ""
	for i, c := range q.Choices {
		mark, style := "  ", s.styles.Text
		if i == b.marked {
			mark, style = s.styles.Accent.Render("> "), s.styles.Accent
		}
		row += mark + s.styles.Key.Render(fmt.Sprint(i+1)) + " " + style.Render(c.Text) + "  "
	}
	lines = append(lines, text.Cut(row, width))
	hint = s.press("1-"+fmt.Sprint(len(q.Choices)), "or") + " " + s.press("← → and enter", "answer") + "   " + s.press(k.Next.Help().Key, "skip the question")
	if b.marked >= 0 {
		hint = s.press("← →", "mark") + "   " + s.press("↓ or enter", "answer") + "   " + s.press("n", "skip")
	}
	return lines, hint
}

// exhibit is the small table that belongs to the page, nil on most pages.
func (s *Screen) exhibit(w int) []string {
	if s.place.kind != page || s.waiting() {
		return nil
	}
	e := s.lesson().Pages[s.place.i].Exhibit
	if e == nil || !s.say().Own {
		return nil
	}
	widths := make([]int, len(e.Titles))
	for _, row := range append([][]string{e.Titles}, e.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], text.Width(cell))
		}
	}
	gap := "   "
	if w < narrow {
		gap = " "
	}
	var lines []string
	for i, row := range append([][]string{e.Titles}, e.Rows...) {
		line := gap
		for j, cell := range row {
			line += text.Left(cell, widths[j]) + gap
		}
		style := s.styles.Text
		if i == 0 {
			style = s.styles.Muted
		}
		lines = append(lines, style.Render(text.Cut(strings.TrimRight(line, " "), w)))
	}
	return lines
}
