package explore

// blockStates is how many states are expanded before their successors are
// looked up. One goroutine can expand a block while another looks up the one
// before it.
const blockStates = 256

// pipelineFrom is the number of states from which a second goroutine is worth
// its start.
const pipelineFrom = 8 * blockStates

// block is a run of states and their successors.
type block struct {
	first int    // index of the first state
	ends  []int  // where in edges the successors of each state end
	edges []edge // in the order of the search
}

// expander expands states and counts what it sees. It is used by one goroutine
// at a time.
type expander struct {
	codec    *codec
	memo     *memo
	symmetry bool

	states, edges, canonical, terminal int64
	lost                               uint32 // the first end without a charge
}

// fill expands the states from first to end.
func (x *expander) fill(b *block, states view, first, end int) {
	b.first, b.ends, b.edges = first, b.ends[:0], b.edges[:0]
	for i := first; i < end; i++ {
		word, slots := states.at(uint32(i))
		from := len(b.edges)
		b.edges = x.memo.expand(word, slots, b.edges)
		b.ends = append(b.ends, len(b.edges))
		if x.symmetry {
			for j := from; j < len(b.edges); j++ {
				b.edges[j].slots = x.codec.sort(b.edges[j].slots)
			}
		}
		x.tally(uint32(i), word, slots, len(b.edges)-from)
	}
}

// tally counts a state and its edges.
func (x *expander) tally(index uint32, word, slots uint64, edges int) {
	weight := int64(1)
	if x.symmetry {
		weight = x.codec.orders(slots)
	}
	x.states += weight
	x.edges += weight * int64(edges)
	if x.codec.sorted(slots) {
		x.canonical++
	}
	if edges == 0 {
		x.terminal += weight
		if x.lost == none && x.codec.charges(word) == 0 {
			x.lost = index
		}
	}
}

// each expands the states from first to end and hands their blocks on, in
// order. With a second worker the next block is expanded meanwhile.
func (x *expander) each(states view, first, end, workers int, use func(*block) error) error {
	if workers < 2 || end-first < pipelineFrom {
		var b block
		for ; first < end; first += blockStates {
			x.fill(&b, states, first, min(first+blockStates, end))
			if err := use(&b); err != nil {
				return err
			}
		}
		return nil
	}
	free, filled, quit := make(chan *block, 3), make(chan *block, 3), make(chan struct{})
	for range cap(free) {
		free <- new(block)
	}
	go func() {
		defer close(filled)
		for ; first < end; first += blockStates {
			select {
			case b := <-free:
				x.fill(b, states, first, min(first+blockStates, end))
				filled <- b
			case <-quit:
				return
			}
		}
	}()
	for b := range filled {
		if err := use(b); err != nil {
			close(quit)
			for range filled { // until the other goroutine has ended
			}
			return err
		}
		free <- b
	}
	return nil
}
