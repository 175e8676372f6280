package explorer

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"idemtui/sim"
	"idemtui/sim/explore"
	"idemtui/ui/player"
	"idemtui/ui/text"
)

// The steps of a page of the timeline: the fewest, so that the first steps of a
// schedule that grows do not move at once, by how many a page grows, and how
// many cells a step has at least.
const (
	fewestSteps = 8
	moreSteps   = 4
	leastStep   = 6
)

// roomBelow is what must be left below the timeline for its lanes to stand
// apart.
const roomBelow = 17

// labelled is the width from which the steps have their labels beside the words.
const labelled = 110

// viewSchedule lays out heading, timeline and outlook over the list of steps
// and what can happen next.
func (e *Explorer) viewSchedule(w, h int) string {
	s := &e.play
	title := s.handler.Handler().Title
	note := deliveriesText(s.deliveries) + ", " + budgetsText(s.budgets)
	if w < wideEnough {
		note = deliveriesText(s.deliveries)
	}
	lines := []string{heading(e.styles.Accent.Render(title), note, w, e.styles)}
	if h >= tallEnough {
		lines = append(lines, e.whichLine(w))
	}
	if h >= roomy {
		lines = append(lines, "")
	}
	lines = append(lines, e.timeline(w, h-len(lines))...)
	sentence, style := e.outlookText()
	if e.notice != "" && w < wideEnough {
		sentence, style = e.notice, e.styles.Info
	}
	if h >= roomy {
		lines = append(lines, "")
	}
	for i, line := range wrapped(sentence, w-2, 2, style) {
		if i < 2 {
			lines = append(lines, " "+line)
		}
	}
	if h >= tallEnough+s.deliveries {
		lines = append(lines, "")
	}
	rest := h - len(lines)
	if w < wideEnough {
		return strings.Join(append(lines, indented(e.choices(w-2, rest, false), 1)...), "\n")
	}
	left := 38
	if w >= labelled {
		left = 58
	}
	right := w - left - 4
	lines = append(lines, beside(indented(e.leftOf(left-1, rest), 1), e.rightOf(right, rest), left, 2, right, rest)...)
	return strings.Join(lines, "\n")
}

// whichLine says which schedule is shown, and where the cursor stands.
func (e *Explorer) whichLine(w int) string {
	s := &e.play
	what := e.styles.Strong.Render("you are the scheduler: choose what happens next")
	if s.which >= 0 {
		what = e.styles.Strong.Render(s.list[s.which].title)
		if len(s.list) > 1 {
			what += e.styles.Muted.Render(fmt.Sprintf("   %d of %d", s.which+1, len(s.list)))
		}
	}
	where := fmt.Sprintf("after step %d of %d", s.at, s.path.Len())
	switch {
	case s.which < 0 && s.at == s.path.Len():
		where = "after " + steps(s.at)
	case s.at == 0:
		where = "before step 1 of " + strconv.Itoa(s.path.Len())
	}
	if s.playing {
		where = "▶ playing, " + where
	}
	pad := strings.Repeat(" ", max(w-2-text.Width(what)-text.Width(where), 1))
	return " " + what + pad + e.styles.Muted.Render(where)
}

// timeline is the schedule on the player's timeline.
func (e *Explorer) timeline(w, room int) []string {
	s := &e.play
	if s.trace == nil {
		return wrapped("✗ This schedule cannot be drawn: "+s.failure.Error()+".", w, 2, e.styles.Bad)
	}
	most := max(player.StripRoom(w)/leastStep-1, 1)
	page := min(max((s.path.Len()+moreSteps-1)/moreSteps*moreSteps, fewestSteps), most)
	first := 0
	if s.at > page { // a quarter of the page before stays in view
		turn := max(page-page/4, 1)
		first = (s.at - page + turn - 1) / turn * turn
	}
	chosen := -1
	if s.at > 0 {
		chosen = s.path.Steps[s.at-1].Choice.Delivery()
	}
	lanes := make([]string, s.deliveries)
	for i := range lanes {
		lanes[i] = fmt.Sprintf("D%d at w%d", i+1, i+1)
	}
	height := player.StripHeight(s.deliveries, false)
	if apart := player.StripHeight(s.deliveries, true); room-apart >= roomBelow {
		height = apart
	} else if room < height+5 {
		height--
	}
	view := e.strip.View(player.Schedule{
		Trace: s.trace, Now: explore.TraceTime(s.at), Tick: explore.TraceTime(1) - explore.TraceTime(0),
		Steps: page, First: first, Lanes: lanes, Chosen: chosen,
	}, w, height)
	return strings.Split(view, "\n")
}

// outlookText says what can still happen, and how near it is; at the end, what
// the schedule came to.
func (e *Explorer) outlookText() (string, lipgloss.Style) {
	s := &e.play
	charges := int64(s.here().Cell.Charges)
	st := e.styles
	if len(s.moves) == 0 {
		switch charges {
		case 0:
			return "✗ The end: every delivery is acknowledged, and the customer was never charged. The payment is lost.", st.Bad
		case 1:
			return "● The end: every delivery is acknowledged, and the customer was charged once.", st.OK
		}
		return "✗ The end: the customer was charged " + times(charges) + ".", st.Bad
	}
	if charges >= 2 {
		return "✗ The customer has been charged " + times(charges) + ". Nothing that follows can undo it.", st.Bad
	}
	o, known := s.ahead[s.here()]
	switch {
	case !known:
		return "↻ Looking ahead.", st.Faint
	case o.err != nil:
		return "? Too many states lie ahead to say what can still be reached.", st.Muted
	case o.Double == nil && o.Lost == nil:
		if start, ok := s.ahead[s.states[0]]; ok && start.err == nil && start.Double == nil && start.Lost == nil {
			return "● It cannot be broken: whatever you choose, no double charge and no loss can be reached.", st.OK
		}
		return "● It cannot be broken any more: no double charge and no loss can be reached from here.", st.OK
	case o.Lost == nil:
		return "▶ A double charge is " + steps(o.Double.Len()) + " away; a loss cannot be reached.", st.Warn
	case o.Double == nil:
		return "▶ A loss is " + steps(o.Lost.Len()) + " away; a double charge cannot be reached.", st.Warn
	}
	return "▶ A double charge is " + steps(o.Double.Len()) + " away, and a loss is " + steps(o.Lost.Len()) + " away.", st.Warn
}

// times is a number of charges in words.
func times(n int64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return text.Count(n, true) + " times"
}

// stepList lists the steps of the schedule; those that are still to come are
// faint.
func (e *Explorer) stepList(w, h int) []string {
	s := &e.play
	if h <= 1 {
		return nil
	}
	lines := []string{section("the schedule", w, e.styles)}
	n, shown := s.path.Len(), h-1
	if n == 0 {
		return append(lines, e.styles.Muted.Render("Nothing has happened yet."))
	}
	first, label := window(s.at-1, shown, n), 0
	for _, step := range s.path.Steps {
		label = max(label, len(step.Label.String()))
	}
	for i := first; i < min(first+shown, n); i++ {
		step := s.path.Steps[i]
		words := said(step.Label, s.states[i], s.states[i+1])
		style := e.styles.Text
		marker := " "
		switch {
		case i == s.at-1:
			marker, style = "▶", e.styles.Strong
		case i >= s.at:
			style = e.styles.Faint
		}
		bad := s.states[i+1].Cell.Charges > s.states[i].Cell.Charges && s.states[i+1].Cell.Charges > 1
		if bad {
			words = "✗ " + words
			if i < s.at {
				style = e.styles.Bad
			}
		}
		line := fmt.Sprintf("%2d  %-3s  ", i+1, step.By)
		if w > labelled/2 {
			line += text.Left(step.Label.String(), label) + "  "
		}
		lines = append(lines, e.styles.Accent.Render(marker)+style.Render(text.Cut(line+words, w-1)))
	}
	return lines
}

// rightOf is what happened and what can happen next.
func (e *Explorer) rightOf(w, h int) []string {
	s := &e.play
	var lines []string
	story := 0
	if need := len(s.moves) + 2; h-need >= 3 {
		story = min(max(h-need, 3), 5)
	}
	if story > 0 {
		lines = append(lines, section("what happened", w, e.styles))
		told := wrapped(e.story(), w, 0, e.styles.Text)
		lines = append(lines, told[:min(len(told), story-1)]...)
		for len(lines) < story {
			lines = append(lines, "")
		}
	}
	return append(lines, e.choices(w, h-len(lines), true)...)
}

// story tells the step behind the cursor.
func (e *Explorer) story() string {
	s := &e.play
	if e.notice != "" {
		return e.notice
	}
	if s.at == 0 || s.trace == nil {
		return "One payment, and the broker has delivered it " + times(int64(s.deliveries)) + ". Nobody has begun."
	}
	if step := s.path.Steps[s.at-1]; step.Label == sim.LabelForget {
		return "The table forgets the payment: its retention is over. To the next step it is new, and the provider still has its charge."
	}
	labelled := 0
	for i := range s.trace.Len() {
		if s.trace.Event(i).Label == sim.NoLabel {
			continue
		}
		if labelled++; labelled == s.at {
			return s.trace.Narrate(i + 1)
		}
	}
	return ""
}

// choices lists what can happen next, the marked one with its arrow.
func (e *Explorer) choices(w, h int, headed bool) []string {
	s := &e.play
	var lines []string
	if headed && h > 1 {
		lines = append(lines, section("what happens next?", w, e.styles))
	}
	if len(s.moves) == 0 {
		k := e.keys.Schedule
		hint := k.Undo.Help().Key + " takes a step back, " + k.Begin.Help().Key + " begins again"
		return append(lines, e.styles.Muted.Render(text.Cut("Nothing: every delivery is done.", w)), e.styles.Muted.Render(text.Cut(hint, w)))
	}
	waiting := s.waiting()
	shown := h - len(lines)
	first := window(s.choice, shown, len(s.moves))
	for i := first; i < min(first+shown, len(s.moves)); i++ {
		m := s.moves[i]
		by := "env"
		if d := m.Choice.Delivery(); d >= 0 {
			by = "D" + strconv.Itoa(d+1)
		}
		number := " "
		if i < 9 {
			number = strconv.Itoa(i + 1)
		}
		marker, style := " ", e.styles.Text
		if i == s.choice {
			marker, style = "▶", e.styles.Accent
		}
		line := marker + e.styles.Key.Render(number) + "  " + style.Render(fmt.Sprintf("%-3s  ", by)+said(m.Label, s.here(), s.here().After(m)))
		if left := s.left(m); left != "" {
			line += e.styles.Muted.Render("  " + left)
		}
		lines = append(lines, text.Cut(line, w))
	}
	if len(lines) < h && waiting != "" {
		lines = append(lines, e.styles.Faint.Render(text.Cut("    "+waiting, w)))
	}
	return lines
}

// waiting names the deliveries that cannot move.
func (s *schedule) waiting() string {
	var names []string
	state := s.here()
	for d := range state.Count {
		moves := false
		for _, m := range s.moves {
			moves = moves || m.Choice.Delivery() == d && m.Label != sim.LabelCrash
		}
		if !moves && state.Deliveries[d].PC != sim.End {
			names = append(names, "D"+strconv.Itoa(d+1))
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " waits: the claim is held"
	}
	return strings.Join(names, ", ") + " wait: the claim is held"
}

// left says how many faults of a move's kind are left, where it is one.
func (s *schedule) left(m explore.Move) string {
	before, after := s.here().Budget, s.here().After(m).Budget
	for i := range before {
		if after[i] != before[i] {
			return fmt.Sprintf("(a fault; %d left)", before[i])
		}
	}
	return ""
}
