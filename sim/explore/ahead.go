package explore

import "context"

// Outlook says what can still happen from a state: the shortest ways on to a
// double charge and to a loss, nil where none is left.
type Outlook struct {
	Double *Path
	Lost   *Path
}

// Ahead looks on from a state of this config. It searches up to the order of
// the deliveries, since it reports no counts.
func Ahead(ctx context.Context, config Config, from State) (Outlook, error) {
	config.Symmetry = true
	s, err := newSearch(config)
	if err != nil {
		return Outlook{}, err
	}
	s.start = from
	if err := s.run(ctx); err != nil {
		return Outlook{}, err
	}
	s.findPaths()
	return Outlook{Double: s.result.ShortestDouble, Lost: s.result.ShortestLost}, nil
}
