package explore

import (
	"context"
	"math/bits"
	"slices"
)

// table is a store with entries of one type.
type table[K comparable] struct {
	packing packing[K]
	limit   int64
	shards  [shardCount]shard[K]
	keys    column[K] // as entries
	parents column[uint32]

	parts   []part[K] // of the window; more may wait for a larger one
	open    int       // how many the window has
	filters []filter[K]
}

// part is what a part of the window leads to: its successors, those left out
// that the same part has before. A successor's place is its number among them.
type part[K comparable] struct {
	first   int      // index of the first state
	ends    []uint16 // where the successors of each state end
	entries []K      // in the order of the search
	hashes  []uint32

	counts       [shardCount]uint16     // successors of each shard
	starts       [shardCount + 1]uint16 // where they start among the sorted ones
	sorted       []K                    // by shard, within it in the order of the search
	sortedHashes []uint32
	places       []uint16 // of the sorted ones; of each shard first the new ones'
	fresh        [shardCount]uint16

	base int // index of the first new state
	bits []uint64
	_    apart
}

// filter remembers some of the entries that its part has had. Near states lead
// to the same ones, so that this saves nearly half of the look-ups.
type filter[K comparable] struct {
	recent  [filterSize]K
	entries []K
	hashes  []uint32
	_       apart
}

const filterSize = 1 << 13

func newTable[K comparable](packing packing[K], limit int64, workers crew) *table[K] {
	t := &table[K]{packing: packing, limit: limit, filters: make([]filter[K], max(workers, 1))}
	for i := range t.shards {
		t.shards[i].resize(firstSlots, &t.packing)
	}
	return t
}

func (t *table[K]) begin(parts int) {
	for len(t.parts) < parts {
		t.parts = append(t.parts, part[K]{})
	}
	t.open = parts
	for i := range parts {
		p := &t.parts[i]
		p.ends, p.entries, p.hashes = p.ends[:0], p.entries[:0], p.hashes[:0]
		clear(p.counts[:])
	}
}

func (t *table[K]) take(worker, number int, b *block) {
	p, f := &t.parts[number], &t.filters[worker]
	if len(p.ends) == 0 {
		p.first = b.first
		clear(f.recent[:])
	}
	n := len(b.edges)
	if cap(f.entries) < n {
		f.entries, f.hashes = make([]K, 2*n), make([]uint32, 2*n)
	}
	entries, hashes := f.entries[:n], f.hashes[:n]
	t.packing.pack(b.edges, entries, hashes)
	to := len(p.entries)
	p.entries, p.hashes = slices.Grow(p.entries, n)[:to+n], slices.Grow(p.hashes, n)[:to+n]
	from := 0
	for _, end := range b.ends {
		// Each is written, and kept by going on: that is quicker than a
		// branch that nobody can foresee.
		for i, hash := range hashes[from:end] {
			entry := entries[from+i]
			recent := &f.recent[hash%filterSize]
			keep := 0
			if *recent != entry {
				keep = 1
			}
			*recent = entry
			p.entries[to], p.hashes[to] = entry, hash
			to += keep
			p.counts[shardOf(hash)] += uint16(keep)
		}
		from = end
		p.ends = append(p.ends, uint16(to))
	}
	p.entries, p.hashes = p.entries[:to], p.hashes[:to]
}

func (t *table[K]) sort(number int) {
	p := &t.parts[number]
	n := len(p.entries)
	if cap(p.places) < n {
		size := cap(p.entries)
		p.sorted, p.sortedHashes, p.places = make([]K, size), make([]uint32, size), make([]uint16, size)
		p.bits = make([]uint64, (size+63)/64)
	}
	sorted, sortedHashes, places := p.sorted[:n], p.sortedHashes[:n], p.places[:n]
	for i, count := range p.counts {
		p.starts[i+1] = p.starts[i] + count
	}
	next := p.starts
	for i, hash := range p.hashes {
		at := &next[shardOf(hash)]
		sorted[*at], sortedHashes[*at], places[*at] = p.entries[i], hash, uint16(i)
		*at++
	}
}

func (t *table[K]) admit() bool {
	more, all := int64(0), 0
	for i := range t.shards {
		s, candidates := &t.shards[i], 0
		for j := range t.open {
			candidates += int(t.parts[j].counts[i])
		}
		more += int64(s.sizeFor(s.used+candidates)-len(s.slots)) * t.packing.size
		all += candidates
	}
	more += int64(all) * (t.packing.size + 4)
	return t.bytes()+more <= t.limit && t.keys.n+all < maxStates
}

func (t *table[K]) insert(number int) {
	s := &t.shards[number]
	for i := range t.open {
		p := &t.parts[i]
		from, end := p.starts[number], p.starts[number+1]
		p.fresh[number] = uint16(s.insert(p.sorted[from:end], p.sortedHashes[from:end], p.places[from:end], &t.packing))
	}
}

func (t *table[K]) extend() {
	n := t.keys.n
	for i := range t.open {
		p := &t.parts[i]
		p.base = n
		for _, fresh := range p.fresh {
			n += int(fresh)
		}
	}
	t.parents.extend(n - t.keys.n)
	t.keys.extend(n - t.keys.n)
}

func (t *table[K]) settle(number int) {
	p := &t.parts[number]
	marks := p.bits[:(len(p.entries)+63)/64]
	clear(marks)
	for i, fresh := range p.fresh {
		for _, place := range p.places[p.starts[i]:][:fresh] {
			marks[place/64] |= 1 << (place % 64)
		}
	}
	to, parent := p.base, 0
	for i, mark := range marks {
		for ; mark != 0; mark &= mark - 1 {
			place := i*64 + bits.TrailingZeros64(mark)
			for int(p.ends[parent]) <= place {
				parent++
			}
			t.keys.set(to, p.entries[place])
			t.parents.set(to, uint32(p.first+parent))
			to++
		}
	}
}

func (t *table[K]) read(first, end int, out []edge) []edge {
	for first < end {
		run := t.keys.run(first, end)
		out = t.packing.unpack(run, out)
		first += len(run)
	}
	return out
}

func (t *table[K]) at(index uint32) edge {
	var one [1]edge
	return t.packing.unpack([]K{t.keys.at(int(index))}, one[:0])[0]
}

func (t *table[K]) parent(index uint32) uint32 { return t.parents.at(int(index)) }

func (t *table[K]) len() int { return t.keys.n }

func (t *table[K]) bytes() int64 {
	n := t.tableSize()*t.packing.size + t.keys.capacity()*t.packing.size + t.parents.capacity()*4
	for i := range t.shards {
		n += int64(len(t.shards[i].index)) * 4
	}
	for i := range t.parts {
		p := &t.parts[i]
		n += int64(cap(p.entries)+cap(p.sorted))*(t.packing.size+4) + int64(cap(p.places))*2
	}
	return n
}

func (t *table[K]) tableSize() int64 {
	n := int64(0)
	for i := range t.shards {
		n += int64(len(t.shards[i].slots))
	}
	return n
}

func (t *table[K]) number(ctx context.Context, workers crew) error {
	for i := range t.shards {
		s := &t.shards[i]
		s.index = make([]uint32, len(s.slots))
	}
	cut := coarse(t.limit)
	workers.each(cut.partsOf(0, t.keys.n), func(_, task int) {
		if ctx.Err() != nil {
			return
		}
		var entries [chunkEntries]K
		var hashes, found [chunkEntries]uint32
		states := make([]edge, 0, chunkEntries)
		for from, end := cut.partOf(task, 0, t.keys.n); from < end; from += chunkEntries {
			states = t.read(from, min(from+chunkEntries, end), states[:0])
			n := len(states)
			t.packing.pack(states, entries[:n], hashes[:n])
			t.locate(entries[:n], hashes[:n], found[:n])
			for i, at := range found[:n] {
				t.shards[shardOf(hashes[i])].index[at] = uint32(from + i)
			}
		}
	})
	return ctx.Err()
}

func (t *table[K]) find(edges []edge, out []uint32) []uint32 {
	var entries [chunkEntries]K
	var hashes, found [chunkEntries]uint32
	for len(edges) > 0 {
		n := min(chunkEntries, len(edges))
		t.packing.pack(edges[:n], entries[:n], hashes[:n])
		t.locate(entries[:n], hashes[:n], found[:n])
		for i, at := range found[:n] {
			out = append(out, t.shards[shardOf(hashes[i])].index[at])
		}
		edges = edges[n:]
	}
	return out
}

// locate finds the slots of entries, all their homes read first as in insert.
func (t *table[K]) locate(entries []K, hashes, out []uint32) {
	var near [chunkEntries]K
	for i, hash := range hashes {
		s := &t.shards[shardOf(hash)]
		near[i&(chunkEntries-1)] = s.slots[s.home(hash)]
	}
	for i, entry := range entries {
		s := &t.shards[shardOf(hashes[i])]
		out[i] = s.home(hashes[i])
		if near[i&(chunkEntries-1)] != entry {
			out[i] = s.probe(out[i], entry)
		}
	}
}
