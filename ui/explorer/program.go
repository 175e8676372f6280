package explorer

import (
	"fmt"
	"strconv"

	"idemtui/sim"
	"idemtui/ui/text"
)

// leftOf is the list of steps, and below it the program where there is room.
func (e *Explorer) leftOf(w, h int) []string {
	program := e.program(w)
	list := e.stepList(w, h)
	if len(list)+1+len(program) > h {
		return list
	}
	for len(list) < h-len(program) && len(list) < len(e.play.path.Steps)+2 {
		list = append(list, "")
	}
	return append(list, program...)
}

// program is the handler's program with each delivery at its line, and what
// table and provider hold.
func (e *Explorer) program(w int) []string {
	s := &e.play
	handler, state := s.path.Handler, s.here()
	lines := []string{section("program, table, ledger", w, e.styles)}
	for pc := range handler.Steps {
		markers := ""
		for d := range state.Count {
			if int(state.Deliveries[d].PC) == pc {
				markers += " ▶D" + strconv.Itoa(d+1)
			}
		}
		style := e.styles.Muted
		if markers != "" {
			style = e.styles.Strong
		}
		code := text.Cut(handler.Program[pc].Code, w-4-text.Width(markers))
		lines = append(lines, e.styles.Faint.Render(fmt.Sprintf("%2d  ", pc+1))+style.Render(code)+e.styles.Accent.Render(markers))
	}
	return append(lines, e.styles.Muted.Render("table   ")+rowText(handler, state.Cell), e.styles.Muted.Render("ledger  ")+e.ledgerText(state.Cell))
}

// rowText is the payment's row in words.
func rowText(h *sim.Handler, c sim.Cell) string {
	switch {
	case h.Program[0].Kind == sim.OpCharge:
		return "this handler keeps no table"
	case c.Seen:
		return "processed"
	case c.Rec == sim.RecAbsent:
		return "no row"
	case c.Rec == sim.RecClaimed && !h.Leased:
		return "claimed"
	case c.Rec == sim.RecClaimed && c.Live:
		return fmt.Sprintf("PROCESSING, token %d, lease running", c.Gen)
	case c.Rec == sim.RecClaimed:
		return fmt.Sprintf("PROCESSING, token %d, lease lapsed", c.Gen)
	case c.Rec == sim.RecHeld:
		return "a row in an open transaction"
	}
	return c.Rec.String()
}

// ledgerText is what the provider has, in words.
func (e *Explorer) ledgerText(c sim.Cell) string {
	switch c.Charges {
	case 0:
		return e.styles.Muted.Render("not charged")
	case 1:
		return e.styles.OK.Render("$ charged once")
	}
	return e.styles.Bad.Render("✗ charged " + times(int64(c.Charges)))
}
