package explore

import (
	"context"
	"math/big"
	"math/bits"
)

// graph is the explored graph with its edges stored: successors[first[i]:
// first[i+1]] are those of state i, one for each transition, and order is a
// topological order. The graph has no cycle, since each transition either moves
// a delivery on or spends a fault.
type graph struct {
	first      []uint32
	successors []uint32
	order      []uint32
}

// graphBytes is the memory of the graph with its working lists.
func graphBytes(states, edges int64) int64 { return edges*4 + states*(4+4+4) }

// limbsAtFirst is the width of the first try at counting: 128 bits hold the
// counts of most graphs.
const limbsAtFirst = 2

// count is the second pass: it stores the edges, orders the states so that each
// comes after all its predecessors, and adds up the ways that lead to each.
func (s *search) count(ctx context.Context) error {
	states, edges := s.result.States, s.result.Edges
	need := s.store.bytes() + s.store.tableSize()*4 + graphBytes(states, edges) + states*8*limbsAtFirst
	if edges >= none || need > s.config.maxMemory() {
		s.note("interleavings are not counted: that needs %s of memory, and the limit is %s", formatBytes(need), formatBytes(s.config.maxMemory()))
		return nil
	}
	g, err := s.newGraph(ctx)
	if err != nil {
		return err
	}
	depth := g.longest()
	s.result.MaxDepth = &depth
	for limbs := limbsAtFirst; ; limbs *= 2 {
		need += states * 8 * int64(limbs-limbsAtFirst)
		if need > s.config.maxMemory() {
			s.note("interleavings are not counted: they pass %d bits, and that needs %s of memory; the limit is %s", 64*limbs/2, formatBytes(need), formatBytes(s.config.maxMemory()))
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.sumWays(g, limbs) {
			return nil
		}
	}
}

// newGraph expands every state once more and looks its successors up.
func (s *search) newGraph(ctx context.Context) (*graph, error) {
	s.store.number()
	n := s.store.len()
	g := &graph{first: make([]uint32, n+1), successors: make([]uint32, 0, s.result.Edges)}
	incoming := make([]uint32, n)
	// The counters of the first pass stand: this one only looks up.
	again := expander{codec: s.codec, memo: s.expander.memo, lost: none}
	err := again.each(s.store.view(), 0, n, s.config.Workers, func(b *block) error {
		for i, end := range b.ends {
			g.first[b.first+i+1] = uint32(len(g.successors) + end)
		}
		from := len(g.successors)
		g.successors = s.store.find(b.edges, g.successors)
		for _, next := range g.successors[from:] {
			incoming[next]++
		}
		if s.config.Progress != nil && b.first%pollEvery == 0 {
			s.config.Progress(Progress{Counting: true, States: n, Expanded: b.first, Depth: s.depth})
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	g.sort(incoming)
	return g, nil
}

// sort finds a topological order: a state follows when all that lead to it have
// come. Not every graph is layered, so that the order of the search is none.
func (g *graph) sort(incoming []uint32) {
	g.order = append(make([]uint32, 0, len(incoming)), 0)
	for i := 0; i < len(g.order); i++ {
		from := g.order[i]
		for _, next := range g.successors[g.first[from]:g.first[from+1]] {
			if incoming[next]--; incoming[next] == 0 {
				g.order = append(g.order, next)
			}
		}
	}
}

// longest is the length of the longest path from the start.
func (g *graph) longest() int {
	depth := make([]uint32, len(g.order))
	longest := uint32(0)
	for _, from := range g.order {
		next := depth[from] + 1
		longest = max(longest, depth[from])
		for _, to := range g.successors[g.first[from]:g.first[from+1]] {
			depth[to] = max(depth[to], next)
		}
	}
	return int(longest)
}

// sumWays counts the label sequences that lead to each terminal state, in
// numbers of this many 64-bit limbs, and enters the sums in the result. It
// returns false if a number overflowed.
func (s *search) sumWays(g *graph, limbs int) bool {
	ways := make([]uint64, len(g.order)*limbs)
	ways[0] = 1
	states := s.store.view()
	total, double, triple, lost := make([]uint64, limbs), make([]uint64, limbs), make([]uint64, limbs), make([]uint64, limbs)
	for _, from := range g.order {
		here := ways[int(from)*limbs:][:limbs]
		next := g.successors[g.first[from]:g.first[from+1]]
		for _, to := range next {
			if !addLimbs(ways[int(to)*limbs:][:limbs], here) {
				return false
			}
		}
		if len(next) > 0 {
			continue
		}
		if !addLimbs(total, here) {
			return false
		}
		// The rest are parts of the total, and cannot overflow.
		word, _ := states.at(from)
		switch charges := s.codec.charges(word); {
		case charges == 0:
			addLimbs(lost, here)
		case charges >= 3:
			addLimbs(triple, here)
			addLimbs(double, here)
		case charges == 2:
			addLimbs(double, here)
		}
	}
	s.result.Interleavings, s.result.Double, s.result.Triple, s.result.Lost = bigOf(total), bigOf(double), bigOf(triple), bigOf(lost)
	return true
}

// addLimbs adds b to a, the lowest limb first. It returns false on overflow.
func addLimbs(a, b []uint64) bool {
	carry := uint64(0)
	for i := range a {
		a[i], carry = bits.Add64(a[i], b[i], carry)
	}
	return carry == 0
}

// bigOf converts limbs, the lowest first.
func bigOf(limbs []uint64) *big.Int {
	n := new(big.Int)
	for i := len(limbs) - 1; i >= 0; i-- {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(limbs[i]))
	}
	return n
}
