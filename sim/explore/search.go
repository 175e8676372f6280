package explore

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"idemtui/sim"
)

// pollEvery is how many states of the second pass go by between looks at the
// context: well under a millisecond.
const pollEvery = 4096

// Result is what a search established. Where Complete is false the search
// stopped early: the numbers are lower bounds, a counterexample is still one,
// and its absence proves nothing.
type Result struct {
	Handler    *sim.Handler
	Deliveries int
	Budgets    Budgets
	Symmetry   bool

	Complete  bool
	States    int64 // reachable distinct states
	Edges     int64 // transitions
	Canonical int64 // states up to the order of the deliveries
	Terminal  int64 // states without a successor

	// MaxDepth is the longest interleaving, and the four counts are complete
	// interleavings, exact. They are nil where they were not counted; Notes
	// says why.
	MaxDepth      *int
	Interleavings *big.Int
	Double        *big.Int // of those, with two charges or more at the end
	Triple        *big.Int // with three or more
	Lost          *big.Int // with none, though every delivery was acknowledged

	ShortestDouble *Path // to the first state with two charges; nil if none was found
	ShortestLost   *Path // to the nearest end with no charge; nil if none was found

	Notes []string
}

// StoppedError says that a search stopped at its memory limit.
type StoppedError struct {
	Limit  int64 // bytes
	States int64 // found until then, as in the Result
	Depth  int   // the depth of the layer that was not finished
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("the search needs more than its %s of memory: stopped with %d states found, %d steps deep", formatBytes(e.Limit), e.States, e.Depth)
}

// search is one breadth-first run.
type search struct {
	config    Config
	codec     *codec
	store     store
	workers   crew
	grain     grain
	expanders []*expander // one for each worker
	result    Result

	start    State
	depth    int   // of the layer being expanded
	layers   []int // index of the first state of each layer, and of the next
	expanded int   // states whose successors are in the store
	double   uint32
	lost     uint32
}

// Run explores. A wrong config gives an error and no result. A context that
// ends gives its error, and a memory limit that is reached a *StoppedError,
// both with what was established until then.
func Run(ctx context.Context, config Config) (Result, error) {
	s, err := newSearch(config)
	if err != nil {
		return Result{}, err
	}
	err = s.finish(ctx)
	return s.result, err
}

// finish makes both passes.
func (s *search) finish(ctx context.Context) error {
	err := s.run(ctx)
	s.findPaths()
	if err != nil {
		s.note("the search did not end: the numbers are what it established until then, and what it did not find may still be reachable")
		return err
	}
	s.result.Complete = true
	switch {
	case s.config.Symmetry:
		s.note("schedules (interleavings) are not counted with symmetry")
	case s.config.VerdictOnly:
		s.note("schedules (interleavings) were not to be counted")
	default:
		return s.count(ctx)
	}
	return nil
}

func newSearch(config Config) (*search, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	k, err := newCodec(config)
	if err != nil {
		return nil, err
	}
	s := &search{config: config, codec: k, workers: crew(max(config.Workers, 1)), grain: coarse(config.maxMemory()), start: config.Start(), double: none, lost: none}
	for range s.workers {
		s.expanders = append(s.expanders, newExpander(k, config.Symmetry))
	}
	s.result = Result{Handler: config.Handler, Deliveries: config.Deliveries, Budgets: config.Budgets, Symmetry: config.Symmetry}
	if k.fits64() {
		s.store = newTable(packing64(k.slotsBits), config.maxMemory(), s.workers)
	} else {
		s.store = newTable(packing128(), config.maxMemory(), s.workers)
	}
	return s, nil
}

// run expands every state in the order in which it was found, a layer at a
// time.
func (s *search) run(ctx context.Context) error {
	err := s.layersFrom(ctx, s.start)
	var stopped *StoppedError
	if errors.As(err, &stopped) {
		s.countRest(ctx)
	}
	sum := sums{double: none, lost: none}
	tooLarge := s.codec.tooLarge
	for _, x := range s.expanders {
		sum.add(x.sums)
		tooLarge = tooLarge || x.codec.tooLarge
	}
	s.double, s.lost = sum.double, sum.lost
	r := &s.result
	r.States, r.Edges, r.Canonical, r.Terminal = sum.states, sum.edges, sum.canonical, sum.terminal
	if stopped != nil {
		stopped.States = r.States
	}
	if err == nil && tooLarge {
		err = fmt.Errorf("a counter of %s grew beyond its bound: this is a defect of the explorer", s.config.Handler.Name)
	}
	return err
}

func (s *search) layersFrom(ctx context.Context, start State) error {
	var first edge
	first.word, first.slots = s.codec.pack(&start)
	if s.config.Symmetry {
		first.slots = s.codec.sort(first.slots)
	}
	s.store.begin(1)
	s.store.take(0, 0, &block{edges: []edge{first}, ends: []int{1}})
	s.store.sort(0)
	s.enter(1, 1)
	s.layers = []int{0, 1}
	for ; s.layers[s.depth] < s.layers[s.depth+1]; s.depth++ {
		for s.expanded < s.layers[s.depth+1] {
			if err := s.window(ctx, min(s.expanded+s.grain.window, s.layers[s.depth+1])); err != nil {
				return err
			}
		}
		s.layers = append(s.layers, s.store.len())
	}
	return nil
}

// window expands the states up to end, and enters their successors.
func (s *search) window(ctx context.Context, end int) error {
	if s.config.Progress != nil {
		s.config.Progress(Progress{States: s.store.len(), Expanded: s.expanded, Depth: s.depth})
	}
	first, parts, workers := s.expanded, s.grain.partsOf(s.expanded, end), s.workers
	if end-first <= s.grain.alone {
		workers = 1
	}
	s.store.begin(parts)
	workers.each(parts, func(worker, part int) {
		from, to := s.grain.partOf(part, first, end)
		s.expanders[worker].expand(ctx, s.store, from, to, func(b *block) { s.store.take(worker, part, b) })
		s.store.sort(part)
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	s.expanded = end
	if !s.store.admit() {
		return &StoppedError{Limit: s.config.maxMemory(), Depth: s.depth}
	}
	s.enter(workers, parts)
	return nil
}

// enter enters the window's successors.
func (s *search) enter(workers crew, parts int) {
	workers.each(shardCount, func(_, shard int) { s.store.insert(shard) })
	s.store.extend()
	workers.each(parts, func(_, part int) { s.store.settle(part) })
}

// countRest counts those found states that a search that stopped has not
// expanded, and enters nothing more.
func (s *search) countRest(ctx context.Context) {
	first, end := s.expanded, s.store.len()
	s.workers.each(s.grain.partsOf(first, end), func(worker, part int) {
		from, to := s.grain.partOf(part, first, end)
		s.expanders[worker].expand(ctx, s.store, from, to, func(*block) {})
	})
}

func (s *search) note(format string, args ...any) {
	s.result.Notes = append(s.result.Notes, fmt.Sprintf(format, args...))
}

// formatBytes writes a size in GiB or MiB, rounded up to a tenth.
func formatBytes(n int64) string {
	unit, name := int64(1<<20), "MiB"
	if n >= 1<<30 {
		unit, name = 1<<30, "GiB"
	}
	tenths := (n*10 + unit - 1) / unit
	if tenths%10 == 0 {
		return fmt.Sprintf("%d %s", tenths/10, name)
	}
	return fmt.Sprintf("%d.%d %s", tenths/10, tenths%10, name)
}
