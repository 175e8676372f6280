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
	states, edges, limit := s.result.States, s.result.Edges, s.config.maxMemory()
	base := s.store.bytes() + s.store.tableSize()*4 + graphBytes(states, edges)
	need := func(limbs int) int64 { return base + states*8*int64(limbs) }
	if edges >= none || need(limbsAtFirst) > limit {
		s.note("schedules (interleavings) and the longest run are not counted: that needs %s of memory, and the limit is %s", formatBytes(need(limbsAtFirst)), formatBytes(limit))
		return nil
	}
	g, err := s.newGraph(ctx)
	if err != nil {
		return err
	}
	depth, err := g.longest(ctx)
	if err != nil {
		return err
	}
	s.result.MaxDepth = &depth
	for limbs := limbsAtFirst; ; limbs *= 2 {
		if need(limbs) > limit {
			s.note("schedules (interleavings) are not counted: they pass %d bits, and that needs %s of memory; the limit is %s", 64*limbs/2, formatBytes(need(limbs)), formatBytes(limit))
			return nil
		}
		if fits, err := s.sumWays(ctx, g, limbs); err != nil || fits {
			return err
		}
	}
}

// newGraph expands every state once more and looks its successors up.
func (s *search) newGraph(ctx context.Context) (*graph, error) {
	if err := s.store.number(ctx, s.workers); err != nil {
		return nil, err
	}
	n := s.store.len()
	g := &graph{first: make([]uint32, n+1), successors: make([]uint32, 0, s.result.Edges)}
	incoming := make([]uint32, n)
	// The numbers of the first pass stand: this one only looks up.
	again := make([]*expander, s.workers)
	for i := range again {
		again[i] = &expander{codec: s.codec, memo: s.expanders[i].memo}
	}
	found := make([][]uint32, s.grain.window/s.grain.part)
	for from := 0; from < n; from += s.grain.window {
		end := min(from+s.grain.window, n)
		s.workers.each(s.grain.partsOf(from, end), func(worker, part int) {
			first, to := s.grain.partOf(part, from, end)
			found[part] = found[part][:0]
			again[worker].expand(ctx, s.store, first, to, func(b *block) {
				found[part] = s.store.find(b.edges, found[part])
				g.note(b)
			})
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, successors := range found[:s.grain.partsOf(from, end)] {
			g.successors = append(g.successors, successors...)
			for _, next := range successors {
				incoming[next]++
			}
		}
		if s.config.Progress != nil {
			s.config.Progress(Progress{Counting: true, States: n, Expanded: end, Depth: s.depth})
		}
	}
	for i := range n {
		g.first[i+1] += g.first[i]
	}
	return g, g.sort(ctx, incoming)
}

// note notes how many successors each state of a block has, one place after its
// own: their sums are where the successors begin.
func (g *graph) note(b *block) {
	from := 0
	for i, to := range b.ends {
		g.first[b.first+i+1] = uint32(to - from)
		from = to
	}
}

// sort finds a topological order: a state follows when all that lead to it have
// come. Not every graph is layered, so that the order of the search is none.
func (g *graph) sort(ctx context.Context, incoming []uint32) error {
	g.order = append(make([]uint32, 0, len(incoming)), 0)
	return g.walk(ctx, func(_ uint32, next []uint32) bool {
		for _, to := range next {
			if incoming[to]--; incoming[to] == 0 {
				g.order = append(g.order, to)
			}
		}
		return true
	})
}

// walk visits the states in order, also those that visit appends to it, until
// visit returns false.
func (g *graph) walk(ctx context.Context, visit func(from uint32, next []uint32) bool) error {
	for i := 0; i < len(g.order); i++ {
		if i%pollEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		from := g.order[i]
		if !visit(from, g.successors[g.first[from]:g.first[from+1]]) {
			return nil
		}
	}
	return nil
}

// longest is the length of the longest path from the start.
func (g *graph) longest(ctx context.Context) (int, error) {
	depth := make([]uint32, len(g.order))
	longest := uint32(0)
	err := g.walk(ctx, func(from uint32, next []uint32) bool {
		longest = max(longest, depth[from])
		for _, to := range next {
			depth[to] = max(depth[to], depth[from]+1)
		}
		return true
	})
	return int(longest), err
}

// sumWays counts the label sequences that lead to each terminal state, in
// numbers of this many 64-bit limbs, and enters the sums in the result. fits is
// false if a number overflowed.
func (s *search) sumWays(ctx context.Context, g *graph, limbs int) (fits bool, err error) {
	ways := make([]uint64, len(g.order)*limbs)
	ways[0] = 1
	total, double, triple, lost := make([]uint64, limbs), make([]uint64, limbs), make([]uint64, limbs), make([]uint64, limbs)
	fits = true
	err = g.walk(ctx, func(from uint32, next []uint32) bool {
		here := ways[int(from)*limbs:][:limbs]
		for _, to := range next {
			fits = addLimbs(ways[int(to)*limbs:][:limbs], here) && fits
		}
		if len(next) > 0 {
			return fits
		}
		// The other three are parts of the total: they fit if it does.
		fits = addLimbs(total, here) && fits
		switch charges := s.codec.charges(s.store.at(from).word); {
		case charges == 0:
			addLimbs(lost, here)
		case charges >= 3:
			addLimbs(triple, here)
			addLimbs(double, here)
		case charges == 2:
			addLimbs(double, here)
		}
		return fits
	})
	if err != nil || !fits {
		return fits, err
	}
	s.result.Interleavings, s.result.Double, s.result.Triple, s.result.Lost = bigOf(total), bigOf(double), bigOf(triple), bigOf(lost)
	return true, nil
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
