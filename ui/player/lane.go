package player

import (
	"fmt"
	"strings"

	"idemtui/sim"
	"idemtui/ui/text"
)

// pickLane moves the mark to another lane.
func (p *Player) pickLane(by int) {
	count := len(p.trace.Lanes())
	switch {
	case p.lane == 0 && by < 0:
		p.lane = count
	default:
		p.lane = min(max(p.lane+by, 1), count)
	}
}

// pickedLane is the lane with the mark.
func (p *Player) pickedLane() (lane sim.Lane, ok bool) {
	if p.lane == 0 || p.trace == nil {
		return 0, false
	}
	lanes := p.trace.Lanes()
	return lanes[min(p.lane, len(lanes))-1], true
}

// laneName is the lane's name in full.
func laneName(lane sim.Lane) string {
	if i, ok := lane.Worker(); ok {
		return "worker " + text.Count(int64(i)+1, true)
	}
	return lane.String()
}

// laneInk tells the lanes of the last event, and the picked one, from the
// others.
func (v *view) laneInk(lane sim.Lane) ink {
	if picked, ok := v.pickedLane(); ok && picked == lane {
		return inkAccent
	}
	if v.n == 0 {
		return inkMuted
	}
	e := v.trace.Event(v.n - 1)
	if i, ok := lane.Worker(); e.Lane == lane || ok && int(e.Worker) == i {
		return inkAccent
	}
	return inkMuted
}

// fact is a line of what is known: a name and what it is.
type fact struct {
	name, value string
	ink         ink
}

// laneFacts are the details of a lane, in as many lines as drawFacts takes.
func (v *view) laneFacts(lane sim.Lane) [facts]fact {
	if i, ok := lane.Worker(); ok {
		return v.workerFacts(i)
	}
	switch lane {
	case sim.LaneBroker:
		return v.brokerFacts()
	case sim.LaneTable:
		return v.tableFacts()
	}
	return v.providerFacts()
}

// workerFacts are what a worker holds, where it is, and what it has done.
func (v *view) workerFacts(i int) [facts]fact {
	w := &v.state.Workers[i]
	started := 0
	for _, s := range v.trace.Spans(sim.WorkerLane(i), 0, v.now) {
		if s.Kind == sim.SpanPickUp && int(s.FirstSeq) < v.n {
			started++
		}
	}
	since := fact{"since", v.clock(w.Since) + "; " + text.Plural(int64(started), "delivery", "deliveries") + " so far", inkText}
	if w.Payment < 0 {
		return [facts]fact{{"holds", "nothing", inkMuted}, {"is", w.Phase.String(), inkText}, since}
	}
	holds := fmt.Sprintf("%s, delivery %d of it", sim.PaymentName(w.Payment), w.Ordinal)
	if w.Copy > 0 {
		holds += ", by the copy"
	}
	if v.trace.Handler().Leased && w.Tok > 0 {
		holds += fmt.Sprintf(", token %d", w.Tok)
	}
	is := w.Phase.String()
	if line, ok := lineOf(w); ok && w.Phase != sim.PhasePickUp {
		op := v.trace.Handler().Program[line].Kind.String()
		is = op + ": " + is
		if w.Phase == sim.PhaseBetween {
			is = "goes on to " + op
		}
	}
	return [facts]fact{{"holds", holds, inkStrong}, {"is", is, inkText}, since}
}

// brokerFacts are what waits at the broker, and what has come back to it.
func (v *view) brokerFacts() [facts]fact {
	waiting := v.trace.Waiting(*v.state, 1<<30)
	line := text.Plural(int64(len(waiting)), "message", "messages")
	var next []string
	for _, place := range waiting[:min(len(waiting), 3)] {
		next = append(next, sim.PaymentName(place.Payment))
	}
	if len(next) > 0 {
		line += ": " + strings.Join(next, " ") + " next"
	}
	var back []string
	for _, r := range v.state.Returned {
		back = append(back, sim.PaymentName(r.Payment))
	}
	returned := fact{"to return", "none", inkMuted}
	if len(back) > 0 {
		returned = fact{"to return", strings.Join(back, " "), inkWarn}
	}
	c := v.state.Counters
	delivered := fmt.Sprintf("%d, of them %d again", c.Deliveries, c.Deliveries-c.Payments)
	if c.DeadLetters > 0 {
		delivered += fmt.Sprintf(", dead letters %d", c.DeadLetters)
	}
	return [facts]fact{{"waiting", line, inkText}, returned, {"delivered", delivered, inkText}}
}

// rowStates are the states of a claim as they are counted.
var rowStates = map[sim.ClaimState]string{
	sim.ClaimRunning: "PROCESSING", sim.ClaimLapsed: "lapsed", sim.ClaimUnknown: "unknown outcome", sim.ClaimFailed: "FAILED",
	sim.ClaimFailedForGood: "FAILED for good", sim.ClaimDone: "DONE", sim.ClaimWithoutLease: "claimed", sim.ClaimInTransaction: "in an open transaction",
}

// tableFacts are the row of the payment at the cursor, what the next delivery of
// it does, and all rows by their state.
func (v *view) tableFacts() [facts]fact {
	h := v.trace.Handler()
	if !hasTable(h) {
		return [facts]fact{v.rowFact("table")}
	}
	counts := map[string]int64{}
	var order []string
	for i := range v.state.Payments {
		state := rowStates[v.trace.Claim(v.state, int32(i)).State]
		if state == "DONE" && h.Program[0].Kind == sim.OpCheck {
			state = "processed"
		}
		if state == "" {
			continue
		}
		if counts[state] == 0 {
			order = append(order, state)
		}
		counts[state]++
	}
	rows := fact{"rows", "none yet", inkMuted}
	var parts []string
	for _, state := range order {
		parts = append(parts, fmt.Sprintf("%d %s", counts[state], state))
	}
	if n := v.state.Counters.Takeovers; n > 0 {
		parts = append(parts, text.Plural(n, "takeover", "takeovers"))
	}
	if len(parts) > 0 {
		rows = fact{"rows", strings.Join(parts, ", "), inkText}
	}
	next := fact{"the next", v.trace.Claim(v.state, v.focus).Next(), inkText}
	return [facts]fact{v.rowFact(sim.PaymentName(v.focus)), next, rows}
}

// providerFacts are the ledger, and whom it has charged more than once.
func (v *view) providerFacts() [facts]fact {
	c := v.state.Counters
	var twice []string
	charged := int64(0)
	for i := range v.state.Payments {
		if n := v.state.Payments[i].Charges; n > 0 {
			charged++
			if n > 1 {
				twice = append(twice, sim.PaymentName(int32(i)))
			}
		}
	}
	again := fact{"again", "nobody is charged twice", inkOK}
	if len(twice) > 0 {
		again = fact{"again", "✗ " + strings.Join(twice, " "), inkBad}
	}
	cell := v.state.Payments[v.focus]
	own := "not charged"
	if cell.Charges > 0 {
		own = "charged " + times(int64(cell.Charges))
	}
	return [facts]fact{
		{sim.PaymentName(v.focus), own, inkStrong},
		{"ledger", fmt.Sprintf("%s of %s", text.Plural(c.Charges, "charge", "charges"), text.Plural(charged, "payment", "payments")), inkText},
		again,
	}
}
