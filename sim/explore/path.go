package explore

import (
	"fmt"
	"strconv"

	"idemtui/sim"
)

// PathStep is one step of a schedule: who, and what happened.
type PathStep struct {
	By     string    `json:"by"` // D1.. or env
	Label  sim.Label `json:"-"`
	Step   string    `json:"step"` // the label's name
	Choice Choice    `json:"-"`
}

// Path is a schedule from the start: the choices, and each step with its label.
type Path struct {
	Config Config // handler, deliveries and budgets
	Steps  []PathStep
}

// newPathStep names a move.
func newPathStep(m Move) PathStep {
	by := "env"
	if d := m.Choice.Delivery(); d >= 0 {
		by = "D" + strconv.Itoa(d+1)
	}
	return PathStep{By: by, Label: m.Label, Step: m.Label.String(), Choice: m.Choice}
}

// Replay makes the path of a list of choices. It fails at the first choice that
// is not enabled.
func Replay(config Config, choices []Choice) (*Path, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	path := &Path{Config: Config{Handler: config.Handler, Deliveries: config.Deliveries, Budgets: config.Budgets}}
	state := config.Start()
	for i, choice := range choices {
		m, ok := findMove(state, config.Handler, choice)
		if !ok {
			return nil, fmt.Errorf("step %d of the schedule is not possible there", i+1)
		}
		path.Steps = append(path.Steps, newPathStep(m))
		state = state.After(m)
	}
	return path, nil
}

func findMove(s State, h *sim.Handler, choice Choice) (Move, bool) {
	for _, m := range s.Moves(h) {
		if m.Choice == choice {
			return m, true
		}
	}
	return Move{}, false
}

// States lists the states along the path, the start first: one more than steps.
func (p *Path) States() []State {
	state := p.Config.Start()
	states := []State{state}
	for _, step := range p.Steps {
		m, ok := findMove(state, p.Config.Handler, step.Choice)
		if !ok {
			break
		}
		state = state.After(m)
		states = append(states, state)
	}
	return states
}

// Len is the number of steps.
func (p *Path) Len() int { return len(p.Steps) }

// findPaths turns the found states into counterexamples.
func (s *search) findPaths() {
	s.result.ShortestDouble = s.pathTo(s.double, func(st State) bool { return st.Cell.Charges >= 2 })
	s.result.ShortestLost = s.pathTo(s.lost, func(st State) bool {
		return st.Cell.Charges == 0 && len(st.Moves(s.config.Handler)) == 0
	})
}

// pathTo follows the parents from a state back to the start and replays the
// way. With symmetry the stored states stand for all orders of the deliveries,
// so that the way is looked for again, by its length and goal.
func (s *search) pathTo(index uint32, goal func(State) bool) *Path {
	if index == none {
		return nil
	}
	var back []uint32
	for i := index; i != noParent; i = s.store.parent(i) {
		back = append(back, i)
	}
	if s.config.Symmetry {
		return s.firstPath(len(back)-1, goal)
	}
	path := &Path{Config: Config{Handler: s.config.Handler, Deliveries: s.config.Deliveries, Budgets: s.config.Budgets}}
	state := s.config.Start()
	for i := len(back) - 2; i >= 0; i-- {
		wantWord, wantSlots := s.store.at(back[i])
		for _, m := range state.Moves(s.config.Handler) {
			next := state.After(m)
			if word, slots := s.codec.pack(&next); word == wantWord && slots == wantSlots {
				path.Steps = append(path.Steps, newPathStep(m))
				state = next
				break
			}
		}
	}
	return path
}

// firstPath finds the first path of this length to the goal, in the order of
// the search: the one that a search without symmetry reports, because a
// breadth-first tree holds the first of the shortest ways to each state.
func (s *search) firstPath(length int, goal func(State) bool) *Path {
	type visit struct {
		state State
		left  int
	}
	hopeless := map[visit]bool{}
	path := &Path{Config: Config{Handler: s.config.Handler, Deliveries: s.config.Deliveries, Budgets: s.config.Budgets}}
	var walk func(state State, left int) bool
	walk = func(state State, left int) bool {
		if left == 0 {
			return goal(state)
		}
		at := visit{state, left}
		if hopeless[at] {
			return false
		}
		for _, m := range state.Moves(s.config.Handler) {
			path.Steps = append(path.Steps, newPathStep(m))
			if walk(state.After(m), left-1) {
				return true
			}
			path.Steps = path.Steps[:len(path.Steps)-1]
		}
		hopeless[at] = true
		return false
	}
	walk(s.config.Start(), length)
	return path
}
