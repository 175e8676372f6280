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

// facts is the number of lines that drawFacts takes.
const facts = 3

// factColumn is where the facts stand beside their names.
const factColumn = 12

// drawFacts shows the payment's row and the provider's ledger at the cursor, or
// the details of the picked lane, and returns the number of lines. What the last
// event changed is marked.
func (v *view) drawFacts(p pane) int {
	lines := v.paymentFacts()
	touched := v.touched()
	if lane, ok := v.pickedLane(); ok {
		lines, touched = v.laneFacts(lane), -1
	}
	for y, f := range lines {
		k := inkMuted
		if y == touched {
			k = inkAccent
			p.put(0, y, "▶", k)
		}
		p.put(1, y, f.name, k)
		value := f.value
		for _, spare := range [][2]string{{"lease ", ""}, {"unknown outcome", "unknown"}} {
			if text.Width(value) > p.rect.w-factColumn {
				value = strings.Replace(value, spare[0], spare[1], 1)
			}
		}
		p.cut(factColumn, y, p.rect.w, value, f.ink)
	}
	return min(facts, p.rect.h)
}

// touched is which of the payment's facts the last event was about, or -1.
func (v *view) touched() int {
	if v.n == 0 {
		return -1
	}
	switch e := v.trace.Event(v.n - 1); {
	case e.Payment != v.focus:
		return -1
	case e.Lane == sim.LaneTable:
		return 0
	case e.Lane == sim.LaneProvider:
		return 1
	case e.Lane == sim.LaneBroker:
		return 2
	}
	return -1
}

// paymentFacts are the row, the ledger and the deliveries of the payment at the
// cursor.
func (v *view) paymentFacts() [facts]fact {
	name := sim.PaymentName(v.focus)
	c := v.state.Payments[v.focus]
	row := v.rowFact("table")
	ledger := fact{"ledger", name + " not charged", inkMuted}
	switch {
	case c.Charges == 1:
		ledger.value, ledger.ink = "$ "+name+" charged once", inkOK
	case c.Charges > 1:
		money := strings.Repeat("$ ", int(min(c.Charges, 4)))
		ledger.value, ledger.ink = fmt.Sprintf("✗ %s%s charged %s", money, name, times(int64(c.Charges))), inkBad
	}
	var parts []string
	for _, part := range []struct {
		n    int32
		word string
	}{{c.Deliveries - c.AtWork, "ended"}, {c.AtWork, "at work"}, {c.ToCome, "to come"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	return [facts]fact{row, ledger, {"deliveries", strings.Join(parts, ", "), inkText}}
}

// rowFact is what the table says of the payment at the cursor. A state that needs
// a person is marked.
func (v *view) rowFact(name string) fact {
	claim := v.trace.Claim(v.state, v.focus)
	row := fact{name, claim.Row(), inkStrong}
	switch claim.State {
	case sim.ClaimNoRow, sim.ClaimNoTable:
		row.ink = inkMuted
	case sim.ClaimUnknown, sim.ClaimFailedForGood:
		row.ink = inkWarn
	}
	return row
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
	p.put(1, 0, sim.WorkerLane(i).String(), v.laneInk(sim.WorkerLane(i)))
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
