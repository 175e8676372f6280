package player

import (
	"fmt"
	"strings"

	"idemtui/sim"
	"idemtui/ui/text"
)

// hasTable says whether the handler keeps a row for each payment.
func hasTable(h *sim.Handler) bool {
	for _, op := range h.Program[:h.Steps] {
		switch op.Kind {
		case sim.OpCheck, sim.OpClaim, sim.OpLeaseClaim, sim.OpOpenAndClaim:
			return true
		}
	}
	return false
}

// rowState is what the table says of a payment.
func rowState(h *sim.Handler, c sim.Cell) string {
	if !hasTable(h) {
		return "no table"
	}
	switch {
	case h.Program[0].Kind == sim.OpCheck && c.Seen:
		return "processed"
	case h.Program[0].Kind == sim.OpCheck || c.Rec == sim.RecAbsent:
		return "no row"
	case !h.Leased && c.Rec == sim.RecClaimed:
		return "claimed"
	case c.Rec == sim.RecHeld:
		return "a row in an open transaction"
	case h.Leased && c.Rec == sim.RecClaimed:
		lease := "lease lapsed"
		if c.Live {
			lease = "lease running"
		}
		return fmt.Sprintf("%s, token %d, %s", c.Rec, c.Gen, lease)
	}
	return c.Rec.String()
}

// drawFacts shows the payment's row and the provider's ledger at the cursor.
func (v *view) drawFacts(p pane) {
	if p.rect.h <= 0 || v.state.N == 0 && v.trace.Len() == 0 {
		return
	}
	name := sim.PaymentName(v.focus)
	c := v.state.Payments[v.focus]
	const column = 14
	y := 0
	line := func(label string) { p.put(1, y, label, inkMuted) }

	line("row of " + name)
	row := rowState(v.trace.Handler(), c.Cell)
	rowInk := inkStrong
	if row == "no row" || row == "no table" {
		rowInk = inkMuted
	}
	p.cut(column, y, p.rect.w-column, row, rowInk)
	y++

	line("ledger")
	switch {
	case c.Charges == 0:
		p.put(column, y, name+" not charged", inkMuted)
	case c.Charges == 1:
		p.put(column, y, "$ "+name+" charged once", inkOK)
	default:
		money := strings.TrimSpace(strings.Repeat("$ ", int(min(c.Charges, 4))))
		p.cut(column, y, p.rect.w-column, fmt.Sprintf("✗ %s %s charged %s", money, name, times(int64(c.Charges))), inkBad)
	}
	y++

	line("messages")
	parts := []string{fmt.Sprintf("%d delivered", c.Deliveries)}
	if c.AtWork > 0 {
		parts = append(parts, fmt.Sprintf("%d at work", c.AtWork))
	}
	if c.ToCome > 0 {
		parts = append(parts, fmt.Sprintf("%d to come", c.ToCome))
	}
	if done := c.Deliveries - c.AtWork; done > 0 {
		parts = append(parts, fmt.Sprintf("%d ended", done))
	}
	p.cut(column, y, p.rect.w-column, strings.Join(parts, ", "), inkText)
}

func times(n int64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return text.Count(n, true) + " times"
}

// outcome says in words what the finished run came to, and whether it went well.
func outcome(r sim.Result) (sentence string, good bool) {
	charges := text.Plural(r.Charges, "charge", "charges") + " for " + text.Plural(r.Payments, "payment", "payments")
	one := r.Payments == 1
	var wrong []string
	if r.ChargedTwice > 0 {
		if one {
			wrong = append(wrong, "the customer paid "+times(r.Charges))
		} else {
			wrong = append(wrong, text.Plural(r.ChargedTwice, "customer", "customers")+" paid twice or more")
		}
	}
	if r.NeverCharged > 0 {
		if one {
			wrong = append(wrong, "the payment was acknowledged and never taken")
		} else {
			wrong = append(wrong, text.Plural(r.NeverCharged, "payment was", "payments were")+" never taken")
		}
	}
	if r.Stuck > 0 {
		wrong = append(wrong, text.Plural(r.Stuck, "claim is", "claims are")+" left that nobody will finish")
	}
	if len(wrong) > 0 {
		return charges + ": " + strings.Join(wrong, ", and ") + ".", false
	}
	again := r.Deliveries - r.Payments
	switch {
	case again == 1:
		return charges + ": the second delivery did nothing.", true
	case again > 1:
		return charges + ": the " + text.Count(again, true) + " repeated deliveries did nothing.", true
	}
	return charges + ".", true
}
