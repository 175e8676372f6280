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

// drawProgram shows the handler's program like a debugger: each worker's marker
// stands at its line. It returns the number of lines.
func (v *view) drawProgram(p pane) int {
	h := v.trace.Handler()
	longest := 0
	for _, op := range h.Program[:h.Steps] {
		longest = max(longest, text.Width(op.Code))
	}
	const code = 4 // columns for the line's number
	y := 0
	for i, op := range h.Program[:h.Steps] {
		if y >= p.rect.h {
			break
		}
		markers := v.markers(i)
		at := code + longest + 2
		widest := 0
		for _, m := range markers {
			widest += text.Width(m.text) + 1
		}
		at = min(at, max(p.rect.w-max(widest, 8), code+10))
		number, k := inkFaint, inkText
		if len(markers) > 0 {
			number, k = inkAccent, inkStrong
		}
		p.put(1, y, fmt.Sprintf("%d", i+1), number)
		x := at
		for _, m := range markers {
			x = p.put(x, y, m.text, m.ink) + 1
		}
		lines := text.Wrap(op.Code, max(at-code-1, 8))
		for j, line := range lines {
			if y >= p.rect.h || j > 0 && p.rect.h-y <= h.Steps-1-i {
				break
			}
			indent := 0
			if j > 0 {
				indent = 2
			}
			p.cut(code+indent, y, at-code-1-indent, line, k)
			y++
		}
	}
	return y
}

// markers are the workers at a line. Those who work on the payment of the last
// event are told from the others.
func (v *view) markers(line int) []mark {
	var all []mark
	for i := range v.state.Workers {
		w := &v.state.Workers[i]
		if at, ok := lineOf(w); !ok || at != line {
			continue
		}
		m := mark{text: "▶" + sim.WorkerLane(i).String(), ink: inkMuted}
		if w.Payment == v.focus {
			m.ink = inkAccent
		}
		all = append(all, m)
	}
	const most = 8
	if len(all) > most {
		more := len(all) - most + 1
		all = append(all[:most-1], mark{text: fmt.Sprintf("+%d", more), ink: inkMuted})
	}
	return all
}
