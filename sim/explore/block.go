package explore

import "context"

// blockStates are expanded at once: their successors fit the nearest cache.
const blockStates = 256

// grain says how the work is cut, in states. Nothing that a search finds depends
// on it.
type grain struct {
	part   int // one task for a worker, at most maxPart
	window int // expanded before any of their successors is looked up
	alone  int // up to so many, one worker is as fast
}

const (
	// maxPart keeps the places of a part's successors within 16 bits.
	maxPart = 8 * blockStates
	// windowParts make the look-ups of a window come together at each shard
	// of the table, and still take only milliseconds.
	windowParts = 32
)

// coarse is the grain of a search within so much memory: what waits to be looked
// up, a quarter MiB for each part, is to take no more than a sixteenth of it.
func coarse(memory int64) grain {
	return grain{part: maxPart, window: int(min(max(memory>>22, 1), windowParts)) * maxPart, alone: maxPart}
}

// partsOf is the number of parts of the states from first to end.
func (g grain) partsOf(first, end int) int { return (end - first + g.part - 1) / g.part }

// partOf is where a part of the states from first to end begins and ends.
func (g grain) partOf(number, first, end int) (from, to int) {
	from = first + number*g.part
	return from, min(from+g.part, end)
}

// block is a run of states and their successors.
type block struct {
	first  int    // index of the first state
	states []edge // themselves
	ends   []int  // where in edges the successors of each state end
	edges  []edge // in the order of the search
}

// expander expands states and counts what it sees. Each worker has one.
type expander struct {
	codec    *codec
	memo     *memo
	symmetry bool
	block    block

	sums
	_ apart
}

// sums are the numbers of expanded states.
type sums struct {
	states, edges, canonical, terminal int64
	double                             uint32 // the first state with two charges
	lost                               uint32 // the first end without a charge
}

// newExpander makes an expander with its own notes.
func newExpander(k *codec, symmetry bool) *expander {
	own := *k
	return &expander{codec: &own, memo: newMemo(&own), symmetry: symmetry, sums: sums{double: none, lost: none}}
}

// expand expands the states from first to end, a block at a time, until the
// context ends. A block holds until use returns.
func (x *expander) expand(ctx context.Context, states store, first, end int, use func(b *block)) {
	for ; first < end && ctx.Err() == nil; first += blockStates {
		x.fill(states, first, min(first+blockStates, end))
		use(&x.block)
	}
}

// fill expands one block.
func (x *expander) fill(states store, first, end int) {
	b := &x.block
	b.first, b.states, b.ends, b.edges = first, states.read(first, end, b.states[:0]), b.ends[:0], b.edges[:0]
	for i, state := range b.states {
		from := len(b.edges)
		b.edges = x.memo.expand(state.word, state.slots, b.edges)
		b.ends = append(b.ends, len(b.edges))
		if x.symmetry {
			for j := from; j < len(b.edges); j++ {
				b.edges[j].slots = x.codec.sort(b.edges[j].slots)
			}
		}
		x.count(uint32(first+i), state, len(b.edges)-from)
	}
}

// count counts a state and its edges.
func (x *expander) count(index uint32, state edge, edges int) {
	weight := int64(1)
	if x.symmetry {
		weight = x.codec.orders(state.slots)
	}
	x.states += weight
	x.edges += weight * int64(edges)
	if x.codec.sorted(state.slots) {
		x.canonical++
	}
	charges := x.codec.charges(state.word)
	if charges >= 2 && x.double == none {
		x.double = index
	}
	if edges == 0 {
		x.terminal += weight
		if charges == 0 && x.lost == none {
			x.lost = index
		}
	}
}

// add adds what another expander counted.
func (t *sums) add(other sums) {
	t.states += other.states
	t.edges += other.edges
	t.canonical += other.canonical
	t.terminal += other.terminal
	t.double = min(t.double, other.double)
	t.lost = min(t.lost, other.lost)
}
