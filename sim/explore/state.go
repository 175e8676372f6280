package explore

import "idemtui/sim"

// The budgets of a state, in order.
const (
	budgetFail = iota
	budgetTimeout
	budgetCrash
	budgetSlow
	budgetForget
	budgetCount
	noBudget // spent by a step that is no fault
)

// State is everything that an interleaving can depend on: what the deliveries
// share, where each of them is, and the faults that are left.
type State struct {
	Cell       sim.Cell
	Deliveries [MaxDeliveries]sim.Delivery // the first Count are used
	Count      int
	Budget     [budgetCount]uint32 // fail, timeout, crash, slow, forget
}

// Start is the state before the first step.
func (c Config) Start() State {
	s := State{Count: c.Deliveries}
	for i, n := range c.Budgets.list() {
		s.Budget[i] = uint32(n)
	}
	return s
}

// Choice names one way to go on: a digit of a token. 0 to 11 are the steps of
// the deliveries, three for each (the charge works, is refused, or its answer
// is lost; any other step is the first of the three); 12 to 15 crash one of
// them; 16 lets the lease lapse; 17 forgets.
type Choice uint8

// The choices that are not a delivery's own step.
const (
	choiceCrash  Choice = 3 * MaxDeliveries
	choiceExpire Choice = choiceCrash + MaxDeliveries
	choiceForget Choice = choiceExpire + 1
	choiceCount         = choiceForget + 1
)

// Delivery is the delivery that a choice moves or crashes, from 0, or -1 for
// the environment.
func (c Choice) Delivery() int {
	switch {
	case c < choiceCrash:
		return int(c) / 3
	case c < choiceExpire:
		return int(c - choiceCrash)
	}
	return -1
}

// Move is one enabled transition and what it leads to.
type Move struct {
	Choice Choice
	Label  sim.Label

	cell     sim.Cell
	delivery sim.Delivery // of the delivery that moved
	spent    uint8        // which budget it took one from
}

// moves lists the enabled transitions in the order in which they are tried:
// the deliveries from the first to the last, then crashes, then expire, then
// forget. It is the only place that says what is enabled.
func moves(h *sim.Handler, s *State, out *[choiceCount]Move) int {
	count := 0
	add := func(choice Choice, label sim.Label, c sim.Cell, d sim.Delivery, spent uint8) {
		out[count] = Move{Choice: choice, Label: label, cell: c, delivery: d, spent: spent}
		count++
	}
	holderAlive := false
	for i := range s.Count {
		d := &s.Deliveries[i]
		if d.PC == sim.End {
			continue
		}
		holderAlive = holderAlive || d.Tok == s.Cell.Gen
		c, after := s.Cell, *d
		label, busy := h.Step(&c, &after, sim.OK)
		if busy {
			continue
		}
		add(Choice(3*i), label, c, after, noBudget)
		if !h.CanFault(&s.Cell, d) {
			continue
		}
		if s.Budget[budgetFail] > 0 {
			c, after = s.Cell, *d
			label, _ = h.Step(&c, &after, sim.Fail)
			add(Choice(3*i+1), label, c, after, budgetFail)
		}
		if s.Budget[budgetTimeout] > 0 {
			c, after = s.Cell, *d
			label, _ = h.Step(&c, &after, sim.Timeout)
			add(Choice(3*i+2), label, c, after, budgetTimeout)
		}
	}
	if s.Budget[budgetCrash] > 0 {
		for i := range s.Count {
			c, after := s.Cell, s.Deliveries[i]
			if label, ok := h.Crash(&c, &after); ok {
				add(choiceCrash+Choice(i), label, c, after, budgetCrash)
			}
		}
	}
	c := s.Cell
	if label, ok := h.Expire(&c, holderAlive); ok {
		if !holderAlive {
			add(choiceExpire, label, c, sim.Delivery{}, noBudget)
		} else if s.Budget[budgetSlow] > 0 {
			add(choiceExpire, label, c, sim.Delivery{}, budgetSlow)
		}
	}
	if s.Budget[budgetForget] > 0 {
		c = s.Cell
		if label, ok := h.Forget(&c); ok {
			add(choiceForget, label, c, sim.Delivery{}, budgetForget)
		}
	}
	return count
}

// Moves lists what can happen next, in the order of the search.
func (s State) Moves(h *sim.Handler) []Move {
	var out [choiceCount]Move
	return append([]Move(nil), out[:moves(h, &s, &out)]...)
}

// After is the state after a move that Moves listed for this state.
func (s State) After(m Move) State {
	s.Cell = m.cell
	if i := m.Choice.Delivery(); i >= 0 {
		s.Deliveries[i] = m.delivery
	}
	if m.spent != noBudget {
		s.Budget[m.spent]--
	}
	return s
}
