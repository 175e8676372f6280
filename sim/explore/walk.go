package explore

import (
	"context"
	"math/big"
)

// Walk makes a complete schedule by choosing among the enabled moves. choose is
// given how many there are and returns the index of one.
func Walk(config Config, choose func(n int) int) (*Path, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	path := &Path{Handler: config.Handler, Start: config.Start()}
	state := path.Start
	for {
		list := state.Moves(config.Handler)
		if len(list) == 0 {
			return path, nil
		}
		m := list[choose(len(list))]
		path.Steps = append(path.Steps, newPathStep(m))
		state = state.After(m)
	}
}

// Odds are the exact probabilities that a schedule of uniform choices ends in
// a double charge, and in a loss.
type Odds struct {
	Double *big.Rat
	Lost   *big.Rat
}

// WalkOdds computes the odds over the whole graph. The fractions grow with the
// graph: it is for small ones.
func WalkOdds(ctx context.Context, config Config) (Odds, error) {
	config.Symmetry = false
	s, err := newSearch(config)
	if err != nil {
		return Odds{}, err
	}
	if err := s.run(ctx); err != nil {
		return Odds{}, err
	}
	g, err := s.newGraph(ctx)
	if err != nil {
		return Odds{}, err
	}
	odds := Odds{Double: new(big.Rat), Lost: new(big.Rat)}
	reach := make([]*big.Rat, len(g.order))
	reach[0] = big.NewRat(1, 1)
	err = g.walk(ctx, func(from uint32, next []uint32) bool {
		here := reach[from]
		reach[from] = nil
		if len(next) == 0 {
			if charges := s.codec.charges(s.store.at(from).word); charges >= 2 {
				odds.Double.Add(odds.Double, here)
			} else if charges == 0 {
				odds.Lost.Add(odds.Lost, here)
			}
			return true
		}
		each := new(big.Rat).Mul(here, big.NewRat(1, int64(len(next))))
		for _, to := range next {
			if reach[to] == nil {
				reach[to] = new(big.Rat)
			}
			reach[to].Add(reach[to], each)
		}
		return true
	})
	return odds, err
}
