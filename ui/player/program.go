package player

import (
	"fmt"

	"idemtui/sim"
	"idemtui/ui/text"
)

// lineOf is the program line at which a worker is, and whether it is at one.
func lineOf(w *sim.WorkerState) (line int, ok bool) {
	if w.Payment < 0 {
		return 0, false
	}
	switch w.Phase {
	case sim.PhasePickUp:
		return 0, true
	case sim.PhaseBefore, sim.PhaseAfter:
		return int(w.Step), true
	case sim.PhaseBetween, sim.PhasePaused:
		if w.PC == sim.End {
			return int(w.Step), true
		}
		return int(w.PC), true
	}
	return 0, false
}

// codeColumn is where the program's code stands, behind the line's number.
const codeColumn = 4

// markerColumn is where the workers' markers stand in w cells.
func (v *view) markerColumn(w int) int {
	const markers = 11 // the least for the markers: two workers and a number
	h := v.trace.Handler()
	longest := 0
	for _, op := range h.Program[:h.Steps] {
		longest = max(longest, text.Width(op.Code))
	}
	return min(codeColumn+longest+2, max(w-markers, codeColumn+markers))
}

// programLines is how many lines the whole program takes in w cells.
func (v *view) programLines(w int) int {
	h := v.trace.Handler()
	lines := 0
	for _, op := range h.Program[:h.Steps] {
		lines += len(text.Wrap(op.Code, v.markerColumn(w)-codeColumn-1))
	}
	return lines
}

// drawProgram shows the handler's program like a debugger: each worker's marker
// stands at its line. It returns the number of lines.
func (v *view) drawProgram(p pane) int {
	const code = codeColumn
	h := v.trace.Handler()
	current := v.currentStep()
	column := v.markerColumn(p.rect.w)
	y := 0
	for i, op := range h.Program[:h.Steps] {
		if y >= p.rect.h {
			break
		}
		all := v.markers(i, p.rect.w-column)
		number, k := inkFaint, inkText
		if len(all) > 0 {
			number, k = inkAccent, inkStrong
		}
		if i == current {
			k = inkAccent
		}
		p.put(1, y, fmt.Sprintf("%d", i+1), number)
		x := column
		for _, m := range all {
			x = p.put(x, y, m.text, m.ink) + 1
		}
		lines := text.Wrap(op.Code, column-code-1)
		if spare := p.rect.h - y - (h.Steps - i - 1); len(lines) > max(spare, 1) {
			lines = []string{text.Cut(op.Code, column-code-1)}
		}
		for j, line := range lines {
			p.put(code+min(j, 1), y, line, k)
			y++
		}
	}
	return y
}

// currentStep is the step that the last event was part of, or -1.
func (v *view) currentStep() int {
	if v.n == 0 {
		return -1
	}
	switch e := v.trace.Event(v.n - 1); e.Kind {
	case sim.EventStart, sim.EventEffect, sim.EventBusy, sim.EventAnswer, sim.EventAckLate:
		return int(e.PC)
	}
	return -1
}

// markers are the workers at a line, in so many cells: all by name, or those
// who work on the payment of the last event by name and the others as a number.
func (v *view) markers(line, room int) []mark {
	var all, named []mark
	width := 0
	for i := range v.state.Workers {
		w := &v.state.Workers[i]
		if at, ok := lineOf(w); !ok || at != line {
			continue
		}
		m := mark{text: "▶" + sim.WorkerLane(i).String(), ink: inkMuted}
		if w.Payment == v.focus {
			m.ink = inkAccent
			named = append(named, m)
		}
		all = append(all, m)
		width += text.Width(m.text) + 1
	}
	if width <= room {
		return all
	}
	named = named[:min(len(named), 2)]
	count := fmt.Sprintf("+%d", len(all)-len(named))
	if len(named) == 0 {
		count = fmt.Sprintf("▶%d workers", len(all))
	}
	return append(named, mark{text: count, ink: inkMuted})
}
