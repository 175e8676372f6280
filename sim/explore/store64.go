package explore

import (
	"context"
	"math/bits"
)

// store64 is a store of states that fit one key of 64 bits.
type store64 struct {
	slotsBits uint
	limit     int64

	table   []uint64 // key + 1; 0 is a free slot
	shift   uint     // 64 less the bits of the table's size
	keys    column[uint64]
	parents column[uint32]
	index   []uint32 // beside the table, once numbered

	touched uint64 // keeps the compiler from dropping the early reads
}

func newStore64(slotsBits uint, limit int64) *store64 {
	s := &store64{slotsBits: slotsBits, limit: limit}
	s.resize(firstSlots)
	return s
}

func (s *store64) resize(size int) {
	old := s.table
	s.table = make([]uint64, size)
	s.shift = uint(64 - bits.TrailingZeros(uint(size)))
	for _, entry := range old {
		if entry != 0 {
			s.table[s.slot(entry)] = entry
		}
	}
}

// slot finds where an entry is or belongs.
func (s *store64) slot(entry uint64) int { return s.probe(int(mix(entry)>>s.shift), entry) }

// probe finds the same from the entry's home on.
func (s *store64) probe(i int, entry uint64) int {
	table := s.table
	for {
		if found := table[i]; found == 0 || found == entry {
			return i
		}
		i = (i + 1) & (len(table) - 1)
	}
}

func (s *store64) add(b *block) bool {
	for full(s.keys.n+len(b.edges), len(s.table)) {
		if !s.grow() {
			return false
		}
	}
	var homes [chunkEdges]int
	var entries [chunkEdges]uint64
	parent := 0
	for from := 0; from < len(b.edges); from += chunkEdges {
		chunk := b.edges[from:min(from+chunkEdges, len(b.edges))]
		// The homes are all read before any of them matters, so that the
		// cache fetches them side by side.
		touched := uint64(0)
		for i := range chunk {
			entry := (chunk[i].word<<s.slotsBits | chunk[i].slots) + 1
			home := int(mix(entry) >> s.shift)
			homes[i&(chunkEdges-1)], entries[i&(chunkEdges-1)] = home, entry
			touched |= s.table[home]
		}
		s.touched = touched
		for i := range chunk {
			for b.ends[parent] <= from+i {
				parent++
			}
			entry := entries[i&(chunkEdges-1)]
			if at := s.probe(homes[i&(chunkEdges-1)], entry); s.table[at] == 0 {
				s.table[at] = entry
				s.keys.append(entry - 1)
				s.parents.append(uint32(b.first + parent))
			}
		}
	}
	return true
}

// grow makes the table larger, unless the two tables together pass the limit.
func (s *store64) grow() bool {
	next := nextSize(len(s.table))
	if s.bytes()+int64(next)*8 > s.limit || s.keys.n >= maxStates/2 {
		return false
	}
	s.resize(next)
	return true
}

// view64 reads the keys of a store64.
type view64 struct {
	keys      column[uint64]
	slotsBits uint
}

func (v *view64) at(index uint32) (word, slots uint64) {
	key := v.keys.at(index)
	return key >> v.slotsBits, key & (1<<v.slotsBits - 1)
}

func (s *store64) view() view { return &view64{s.keys, s.slotsBits} }

func (s *store64) parent(index uint32) uint32 { return s.parents.at(index) }

func (s *store64) len() int { return s.keys.n }

func (s *store64) bytes() int64 {
	return int64(len(s.table))*8 + s.keys.capacity()*8 + s.parents.capacity()*4 + int64(len(s.index))*4
}

func (s *store64) tableSize() int64 { return int64(len(s.table)) }

func (s *store64) number(ctx context.Context) error {
	s.index = make([]uint32, len(s.table))
	var entries [chunkEdges]uint64
	var at [chunkEdges]int
	for from := 0; from < s.keys.n; from += chunkEdges {
		if from%pollEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		n := min(chunkEdges, s.keys.n-from)
		for i := range n {
			entries[i] = s.keys.at(uint32(from+i)) + 1
		}
		s.locate(entries[:n], at[:n])
		for i := range n {
			s.index[at[i]] = uint32(from + i)
		}
	}
	return nil
}

func (s *store64) find(edges []edge, out []uint32) []uint32 {
	var entries [chunkEdges]uint64
	var at [chunkEdges]int
	for len(edges) > 0 {
		n := min(chunkEdges, len(edges))
		for i := range n {
			entries[i] = (edges[i].word<<s.slotsBits | edges[i].slots) + 1
		}
		s.locate(entries[:n], at[:n])
		for i := range n {
			out = append(out, s.index[at[i]])
		}
		edges = edges[n:]
	}
	return out
}

// locate finds where entries are, all their homes read first as in add.
func (s *store64) locate(entries []uint64, at []int) {
	touched := uint64(0)
	for i, entry := range entries {
		at[i] = int(mix(entry) >> s.shift)
		touched |= s.table[at[i]]
	}
	s.touched = touched
	for i, entry := range entries {
		at[i] = s.probe(at[i], entry)
	}
}
