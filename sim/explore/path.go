package explore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"idemtui/sim"
)

// PathStep is one step of a schedule: who, and what happened.
type PathStep struct {
	By     string // D1.. or env
	Label  sim.Label
	Choice Choice
}

// Path is a schedule: the state it starts from, and each step. The state is
// that before the first delivery, except in what [Ahead] finds.
type Path struct {
	Handler *sim.Handler
	Start   State
	Steps   []PathStep
}

// newPathStep names a move.
func newPathStep(m Move) PathStep {
	by := "env"
	if d := m.Choice.Delivery(); d >= 0 {
		by = "D" + strconv.Itoa(d+1)
	}
	return PathStep{By: by, Label: m.Label, Choice: m.Choice}
}

// Replay makes the path of a list of choices. It fails at the first choice that
// is not enabled.
func Replay(config Config, choices []Choice) (*Path, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	path := &Path{Handler: config.Handler, Start: config.Start()}
	state := path.Start
	for i, choice := range choices {
		m, ok := state.move(config.Handler, choice)
		if !ok {
			return nil, fmt.Errorf("step %d of the schedule is not possible there", i+1)
		}
		path.Steps = append(path.Steps, newPathStep(m))
		state = state.After(m)
	}
	return path, nil
}

// move finds the enabled move of a choice.
func (s State) move(h *sim.Handler, choice Choice) (Move, bool) {
	for _, m := range s.Moves(h) {
		if m.Choice == choice {
			return m, true
		}
	}
	return Move{}, false
}

// States lists the states along the path, the start first: one more than steps.
func (p *Path) States() []State {
	state := p.Start
	states := []State{state}
	for _, step := range p.Steps {
		m, ok := state.move(p.Handler, step.Choice)
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

// String is the schedule in words: "D1 check-new, D1 charge, env expire".
func (p *Path) String() string {
	words := make([]string, len(p.Steps))
	for i, step := range p.Steps {
		words[i] = step.By + " " + step.Label.String()
	}
	return strings.Join(words, ", ")
}

// findPaths turns the found states into counterexamples.
func (s *search) findPaths() {
	s.layers = append(s.layers, s.store.len()) // where the search stopped within a layer
	double := func(word uint64, _ int) bool { return s.codec.charges(word) >= 2 }
	lost := func(word uint64, successors int) bool { return successors == 0 && s.codec.charges(word) == 0 }
	s.result.ShortestDouble = s.pathTo(s.double, double)
	s.result.ShortestLost = s.pathTo(s.lost, lost)
}

// goal says whether a state, by its shared word and its number of successors,
// is what is looked for.
type goal func(word uint64, successors int) bool

// pathTo follows the parents from a state back to the start and names the
// moves.
func (s *search) pathTo(index uint32, goal goal) *Path {
	if index == none {
		return nil
	}
	if s.config.Symmetry {
		return s.firstPath(index, goal)
	}
	var back []uint32
	for i := index; i != 0; i = s.store.parent(i) {
		back = append(back, i)
	}
	path := &Path{Handler: s.config.Handler, Start: s.start}
	state := s.start
	for i := len(back) - 1; i >= 0; i-- {
		want := s.store.at(back[i])
		state = path.step(state, func(next State) bool {
			word, slots := s.codec.pack(&next)
			return edge{word, slots} == want
		})
	}
	return path
}

// step goes on by the first move whose result is wanted.
func (p *Path) step(state State, wanted func(State) bool) State {
	for _, m := range state.Moves(p.Handler) {
		if next := state.After(m); wanted(next) {
			p.Steps = append(p.Steps, newPathStep(m))
			return next
		}
	}
	return state
}

// firstPath finds the same path where the stored states stand for all orders of
// the deliveries. A breadth-first tree holds, of all the shortest ways to the
// goal, the first in the order of the moves. So it marks which stored states
// lie on a shortest way, and then walks from the start by the first move that
// leads to a marked one.
func (s *search) firstPath(index uint32, goal goal) *Path {
	depth := 0
	for s.layers[depth+1] <= int(index) {
		depth++
	}
	// A counterexample that was found is worth its short way back even if the
	// search was cancelled.
	_ = s.store.number(context.Background(), s.workers)
	marked := make([]bool, s.layers[depth+1])
	memo := s.expanders[0].memo
	var edges []edge
	var found []uint32
	for i := len(marked) - 1; i >= 0; i-- {
		state := s.store.at(uint32(i))
		edges = memo.expand(state.word, state.slots, edges[:0])
		if i >= s.layers[depth] {
			marked[i] = goal(state.word, len(edges))
			continue
		}
		for j := range edges {
			edges[j].slots = s.codec.sort(edges[j].slots)
		}
		found = s.store.find(edges, found[:0])
		// What lies in an earlier layer has no mark yet: a way back to it is
		// no part of a shortest one.
		marked[i] = slices.ContainsFunc(found, func(next uint32) bool { return int(next) < len(marked) && marked[next] })
	}
	path := &Path{Handler: s.config.Handler, Start: s.start}
	state := s.start
	for at := range depth {
		state = path.step(state, func(next State) bool {
			word, slots := s.codec.pack(&next)
			found = s.store.find([]edge{{word, s.codec.sort(slots)}}, found[:0])
			i := int(found[0])
			return i >= s.layers[at+1] && i < s.layers[at+2] && marked[i]
		})
	}
	return path
}
