package player

import (
	"fmt"
	"strconv"
	"strings"

	"idemtui/sim"
	"idemtui/ui/text"
)

// besideStatement is the width from which the program stays beside the SQL.
const besideStatement = 110

// textLine is a line of a panel and what it means.
type textLine struct {
	text string
	ink  ink
}

// stepAtCursor is the step whose statement is shown: where the picked worker is,
// else the step of the last event, else where the payment's worker is.
func (v *view) stepAtCursor() int {
	if v.pinned > 0 {
		return v.pinned - 1
	}
	if lane, ok := v.pickedLane(); ok {
		if i, worker := lane.Worker(); worker {
			if line, at := lineOf(&v.state.Workers[i]); at {
				return line
			}
		}
	}
	if current := v.currentStep(); current >= 0 {
		return current
	}
	for i := range v.state.Workers {
		if w := &v.state.Workers[i]; w.Payment == v.focus {
			if line, at := lineOf(w); at {
				return line
			}
		}
	}
	return 0
}

// statementLines are the step's statement on a real database, what the losing
// side sees, and what it came to here, in lines of at most w cells.
func (v *view) statementLines(w int) []textLine {
	h := v.trace.Handler()
	pc := v.stepAtCursor()
	s, ok := h.Statement(uint8(pc))
	if !ok {
		return nil
	}
	lines := codeLines(s.Text, w, inkStrong)
	lines = append(lines, noteLines(s.Note, w)...)
	switch kind := h.Program[pc].Kind; {
	case h.ID == sim.HandlerNatural && kind == sim.OpCharge:
		lines = append(lines, beside(sim.HandlerIncrement, "increment, which is not idempotent, would be", w)...)
	case h.ID == sim.HandlerIncrement && kind == sim.OpCharge:
		lines = append(lines, beside(sim.HandlerNatural, "natural, which is idempotent, has three forms", w)...)
	case h.ID == sim.HandlerOneTx && kind == sim.OpCharge:
		lines = append(lines, noteLines(onlyRows(h), w)...)
	}
	return lines
}

// onlyRows is why the provider cannot join the transaction: the note on the
// commit says it.
func onlyRows(h *sim.Handler) string {
	for pc := range h.Steps {
		if h.Program[pc].Kind == sim.OpCommit {
			s, _ := h.Statement(uint8(pc))
			return "It cannot join the transaction. " + s.Note
		}
	}
	return ""
}

// beside is the statement of another handler's charge, for comparison.
func beside(id sim.HandlerID, title string, w int) []textLine {
	s, _ := id.Handler().Statement(0)
	lines := []textLine{{title + ":", inkMuted}}
	return append(append(lines, codeLines(s.Text, w, inkText)...), noteLines(s.Note, w)...)
}

// codeLines wraps a statement; what continues a line is set in.
func codeLines(code string, w int, k ink) []textLine {
	const inset = "    "
	var lines []textLine
	for line := range strings.SplitSeq(code, "\n") {
		if text.Width(line) <= w {
			lines = append(lines, textLine{line, k})
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for i, part := range text.Wrap(strings.TrimLeft(line, " "), w-len(inset)-len(indent)) {
			if i > 0 {
				part = inset + part
			}
			lines = append(lines, textLine{indent + part, k})
		}
	}
	return lines
}

func noteLines(note string, w int) []textLine {
	var lines []textLine
	for _, line := range text.Wrap(note, w) {
		lines = append(lines, textLine{line, inkInfo})
	}
	return lines
}

// statementHeight is how many lines drawStatement takes in a screen that is w
// cells wide, whatever the step is, so that nothing moves from step to step.
func (v *view) statementHeight(w int) int {
	most := 0
	for pc := range v.trace.Handler().Steps {
		one := *v
		one.pinned = pc + 1
		most = max(most, len(one.statementLines(w-2)))
	}
	return most + 1 + storyUnderStatement
}

// storyUnderStatement is how many lines the sentence about the last event has
// under a statement.
const storyUnderStatement = 2

// drawStatement shows the statement of the step at the cursor under its line of
// the program, and below it what it came to.
func (v *view) drawStatement(p pane) {
	h := v.trace.Handler()
	pc := v.stepAtCursor()
	y := v.section(p, 0, fmt.Sprintf("SQL of step %d: %s", pc+1, h.Program[pc].Kind))
	body := p.sub(1, y, p.rect.w-1, p.rect.h-y)
	lines := v.statementLines(body.rect.w - 1)
	if len(lines) > body.rect.h && body.rect.h > 0 {
		lines = append(lines[:body.rect.h-1:body.rect.h-1], textLine{text.Ellipsis + " a taller terminal shows the rest", inkMuted})
	}
	for i, line := range lines {
		body.cut(0, i, body.rect.w, line.text, line.ink)
	}
	if rest := body.rect.h - len(lines); v.statement && rest > 0 && v.n > 0 {
		y := len(lines)
		if rest > storyUnderStatement {
			y++
		}
		v.drawStory(body.sub(0, y, body.rect.w, body.rect.h-y))
	}
}

// drawStatements shows the statements of the whole program, the one at the
// cursor with its note; or where there is no room for them only that one.
func (v *view) drawStatements(p pane) {
	const code = 4 // columns for the step's number, as in the program
	h, current := v.trace.Handler(), v.stepAtCursor()
	var all []textLine
	most, first := 0, make(map[int]int)
	for pc := range h.Steps {
		s, _ := h.Statement(uint8(pc))
		note := noteLines(s.Note, p.rect.w-code-1)
		most = max(most, len(note))
		first[len(all)] = pc
		if pc != current {
			all = append(all, codeLines(s.Text, p.rect.w-code-1, inkMuted)...)
			continue
		}
		all = append(append(all, codeLines(s.Text, p.rect.w-code-1, inkStrong)...), note...)
	}
	longest := len(all) + most - len(v.currentNote(p.rect.w-code-1))
	if longest+1 > p.rect.h {
		if lines := v.statementHeight(p.rect.w) - storyUnderStatement; p.rect.h >= lines {
			v.drawStatement(p.sub(0, 0, p.rect.w, lines))
		}
		return
	}
	y := v.section(p, 0, "SQL of the program")
	for i, line := range all {
		if pc, ok := first[i]; ok {
			k := inkFaint
			if pc == current {
				k = inkAccent
			}
			p.put(1, y+i, strconv.Itoa(pc+1), k)
		}
		p.put(code, y+i, line.text, line.ink)
	}
}

// currentNote is the note on the statement at the cursor, in lines.
func (v *view) currentNote(w int) []textLine {
	s, _ := v.trace.Handler().Statement(uint8(v.stepAtCursor()))
	return noteLines(s.Note, w)
}
