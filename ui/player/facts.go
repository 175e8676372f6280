package player

import (
	"fmt"
	"strings"

	"idemtui/sim"
	"idemtui/ui/text"
)

// The words for a payment of which the table says nothing.
const (
	noRow   = "no row"
	noTable = "this handler keeps no table"
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
		return noTable
	}
	switch {
	case h.Program[0].Kind == sim.OpCheck && c.Seen:
		return "processed"
	case h.Program[0].Kind == sim.OpCheck || c.Rec == sim.RecAbsent:
		return noRow
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

// facts is the number of lines that drawFacts takes.
const facts = 3

// factColumn is where the facts stand beside their names.
const factColumn = 12

// drawFacts shows the payment's row and the provider's ledger at the cursor,
// and returns the number of lines.
func (v *view) drawFacts(p pane) int {
	name := sim.PaymentName(v.focus)
	c := v.state.Payments[v.focus]

	p.put(1, 0, "table", inkMuted)
	row, k := rowState(v.trace.Handler(), c.Cell), inkStrong
	if row == noRow || row == noTable {
		k = inkMuted
	}
	p.cut(factColumn, 0, p.rect.w, row, k)

	p.put(1, 1, "ledger", inkMuted)
	switch {
	case c.Charges == 0:
		p.put(factColumn, 1, name+" not charged", inkMuted)
	case c.Charges == 1:
		p.put(factColumn, 1, "$ "+name+" charged once", inkOK)
	default:
		money := strings.Repeat("$ ", int(min(c.Charges, 4)))
		p.cut(factColumn, 1, p.rect.w, fmt.Sprintf("✗ %s%s charged %s", money, name, times(int64(c.Charges))), inkBad)
	}

	p.put(1, 2, "deliveries", inkMuted)
	var parts []string
	for _, part := range []struct {
		n    int32
		word string
	}{{c.Deliveries - c.AtWork, "ended"}, {c.AtWork, "at work"}, {c.ToCome, "to come"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	p.cut(factColumn, 2, p.rect.w, strings.Join(parts, ", "), inkText)
	return min(facts, p.rect.h)
}

// drawHands lists what each worker has in its hands, in as many columns as it
// takes.
func (v *view) drawHands(p pane) {
	const narrowest = 17
	count := len(v.state.Workers)
	columns := min((count+p.rect.h-1)/p.rect.h, p.rect.w/narrowest)
	if columns == 0 {
		return
	}
	width := p.rect.w / columns
	for i := range count {
		if i/p.rect.h < columns {
			v.drawHand(p.sub(i/p.rect.h*width, i%p.rect.h, width, 1), i)
		}
	}
}

func (v *view) drawHand(p pane, i int) {
	w := &v.state.Workers[i]
	p.put(1, 0, sim.WorkerLane(i).String(), v.workerInk(i))
	if w.Payment < 0 {
		p.cut(5, 0, p.rect.w, w.Phase.String(), inkMuted)
		return
	}
	x := p.put(5, 0, sim.PaymentName(w.Payment), inkText) + 1
	roomy := p.rect.w > 40
	if roomy {
		x = max(x, factColumn)
	}
	line, ok := lineOf(w)
	op := v.trace.Handler().Program[line].Kind
	switch {
	case !ok || w.Phase == sim.PhasePickUp:
		p.cut(x, 0, p.rect.w-x, w.Phase.String(), inkMuted)
	case !roomy:
		p.cut(x, 0, p.rect.w-x, op.String(), stepInk(op))
	case w.Phase == sim.PhaseBetween:
		x = p.put(x, 0, "goes on to ", inkMuted)
		p.cut(x, 0, p.rect.w-x, op.String(), stepInk(op))
	default:
		x = p.put(x, 0, op.String(), stepInk(op))
		p.cut(x, 0, p.rect.w-x, ", "+w.Phase.String(), inkMuted)
	}
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
