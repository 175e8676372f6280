package explore

import (
	"context"
	"fmt"
	"math/big"

	"idemtui/sim"
)

// pollEvery is how many states pass between looks at the context, the memory
// and the progress callback: well under a millisecond.
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
	States int64 // found until then
	Depth  int   // the depth of the layer that was not finished
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("the search needs more than its %s of memory: stopped at %d states, %d steps deep", formatBytes(e.Limit), e.States, e.Depth)
}

// search is one breadth-first run.
type search struct {
	config   Config
	codec    *codec
	store    store
	expander expander
	result   Result

	start  State
	depth  int   // of the layer being expanded
	layers []int // index of the first state of each layer, and of the next
	double uint32
	polled int
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
		s.note("interleavings are not counted with symmetry")
	case s.config.VerdictOnly:
		s.note("interleavings were not asked for")
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
	s := &search{config: config, codec: k, start: config.Start(), double: none}
	s.expander = expander{codec: k, memo: newMemo(k), symmetry: config.Symmetry, lost: none}
	s.result = Result{Handler: config.Handler, Deliveries: config.Deliveries, Budgets: config.Budgets, Symmetry: config.Symmetry}
	if k.fits64() {
		s.store = newStore64(k.slotsBits, config.maxMemory())
	} else {
		s.store = newStore128(config.maxMemory())
	}
	return s, nil
}

// run expands every state in the order in which it was found, a layer at a
// time.
func (s *search) run(ctx context.Context) error {
	err := s.layersFrom(ctx, s.start)
	x := &s.expander
	r := &s.result
	r.States, r.Edges, r.Canonical, r.Terminal = x.states, x.edges, x.canonical, x.terminal
	if err == nil && s.codec.tooLarge {
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
	s.store.add(&block{edges: []edge{first}, ends: []int{1}})
	s.findDouble(0)
	s.layers = []int{0, 1}
	for ; s.layers[s.depth] < s.layers[s.depth+1]; s.depth++ {
		err := s.expander.each(s.store.view(), s.layers[s.depth], s.layers[s.depth+1], s.config.Workers, func(b *block) error {
			return s.enter(ctx, b)
		})
		if err != nil {
			return err
		}
		s.layers = append(s.layers, s.store.len())
	}
	return nil
}

// enter enters a block's successors, and looks at the outside world now and
// then.
func (s *search) enter(ctx context.Context, b *block) error {
	if b.first >= s.polled {
		s.polled = b.first + pollEvery
		if err := s.poll(ctx, b.first); err != nil {
			return err
		}
	}
	before := s.store.len()
	if !s.store.add(b) {
		return s.stopped()
	}
	s.findDouble(before)
	return nil
}

// findDouble looks for the first double charge among the states from an index
// on.
func (s *search) findDouble(from int) {
	if s.double != none {
		return
	}
	states := s.store.view()
	for i := from; i < s.store.len(); i++ {
		if word, _ := states.at(uint32(i)); s.codec.charges(word) >= 2 {
			s.double = uint32(i)
			return
		}
	}
}

// poll looks at the context, the memory and the progress callback.
func (s *search) poll(ctx context.Context, expanded int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.config.Progress != nil {
		s.config.Progress(Progress{States: s.store.len(), Expanded: expanded, Depth: s.depth})
	}
	if s.store.bytes() > s.config.maxMemory() {
		return s.stopped()
	}
	return nil
}

func (s *search) stopped() error {
	return &StoppedError{Limit: s.config.maxMemory(), States: int64(s.store.len()), Depth: s.depth}
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
