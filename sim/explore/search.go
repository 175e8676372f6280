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
	config Config
	codec  *codec
	memo   *memo
	store  store
	result Result

	start  State
	depth  int   // of the layer being expanded
	layers []int // index of the first state of each layer, and of the next
	double uint32
	lost   uint32

	edges [blockEdges]edge
	ends  [blockStates]int
}

// none marks that a counterexample was not found.
const none = noParent

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
	s := &search{config: config, codec: k, memo: newMemo(k), start: config.Start(), double: none, lost: none}
	s.result = Result{Handler: config.Handler, Deliveries: config.Deliveries, Budgets: config.Budgets, Symmetry: config.Symmetry}
	if k.fits64() {
		s.store = newStore64(k.slotsBits, config.maxMemory())
	} else {
		s.store = newStore128(config.maxMemory())
	}
	return s, nil
}

// run expands every state in the order in which it was found, a block at a
// time; a block never spans two layers.
func (s *search) run(ctx context.Context) error {
	first := &s.edges[0]
	first.word, first.slots = s.codec.pack(&s.start)
	if s.config.Symmetry {
		first.slots = s.codec.sort(first.slots)
	}
	s.store.add(s.edges[:1], []int{1}, noParent)
	s.layers = []int{0, 1}
	if s.codec.charges(first.word) >= 2 {
		s.double = 0
	}
	for i, polled := 0, 0; i < s.store.len(); {
		if i == s.layers[s.depth+1] {
			s.layers = append(s.layers, s.store.len())
			s.depth++
		}
		if i >= polled {
			polled = i + pollEvery
			if err := s.poll(ctx); err != nil {
				return err
			}
		}
		end := min(i+blockStates, s.layers[s.depth+1])
		if !s.expand(i, end) {
			return s.stopped()
		}
		i = end
	}
	if s.codec.tooLarge {
		return fmt.Errorf("a counter of %s grew beyond its bound: this is a defect of the explorer", s.config.Handler.Name)
	}
	return nil
}

// expand enters the successors of the states from first to end. It returns
// false at the memory limit.
func (s *search) expand(first, end int) bool {
	n, ends := 0, s.ends[:0]
	for i := first; i < end; i++ {
		word, slots := s.store.at(uint32(i))
		from := n
		n += s.memo.expand(word, slots, s.edges[n:])
		ends = append(ends, n)
		s.tally(uint32(i), word, slots, s.edges[from:n])
	}
	before := s.store.len()
	if !s.store.add(s.edges[:n], ends, uint32(first)) {
		return false
	}
	if s.double == none {
		for i := before; i < s.store.len(); i++ {
			if word, _ := s.store.at(uint32(i)); s.codec.charges(word) >= 2 {
				s.double = uint32(i)
				break
			}
		}
	}
	return true
}

// tally counts a state and its edges. With symmetry it sorts the successors.
func (s *search) tally(index uint32, word, slots uint64, edges []edge) {
	weight := int64(1)
	if s.config.Symmetry {
		weight = s.codec.orders(slots)
		for i := range edges {
			edges[i].slots = s.codec.sort(edges[i].slots)
		}
	}
	s.result.States += weight
	s.result.Edges += weight * int64(len(edges))
	if s.codec.sorted(slots) {
		s.result.Canonical++
	}
	if len(edges) == 0 {
		s.result.Terminal += weight
		if s.lost == none && s.codec.charges(word) == 0 {
			s.lost = index
		}
	}
}

// poll looks at the outside world.
func (s *search) poll(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.config.Progress != nil {
		s.config.Progress(Progress{States: s.store.len(), Edges: s.result.Edges, Depth: s.depth})
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
