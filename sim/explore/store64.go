package explore

import "math/bits"

// store64 is a store of states that fit one key of 64 bits.
type store64 struct {
	slotsBits uint
	limit     int64

	table   []uint64 // key + 1; 0 is a free slot
	shift   uint     // 64 less the bits of the table's size
	keys    column[uint64]
	parents column[uint32]
	index   []uint32 // beside the table, once numbered

	homes, entries [blockEdges]uint64 // of the edges being added
	touched        uint64             // keeps the compiler from dropping the reads
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
	mask := len(s.table) - 1
	for s.table[i] != 0 && s.table[i] != entry {
		i = (i + 1) & mask
	}
	return i
}

func (s *store64) add(edges []edge, ends []int, first uint32) bool {
	if full(s.keys.n+len(edges), len(s.table)) && !s.grow() {
		return false
	}
	// The homes are all read before any of them matters, so that the cache
	// fetches them side by side.
	touched := uint64(0)
	for i := range edges {
		entry := (edges[i].word<<s.slotsBits | edges[i].slots) + 1
		home := mix(entry) >> s.shift
		s.homes[i], s.entries[i] = home, entry
		touched |= s.table[home]
	}
	s.touched = touched
	from := 0
	for parent, end := range ends {
		for i := from; i < end; i++ {
			if at := s.probe(int(s.homes[i]), s.entries[i]); s.table[at] == 0 {
				s.table[at] = s.entries[i]
				s.keys.append(s.entries[i] - 1)
				s.parents.append(first + uint32(parent))
			}
		}
		from = end
	}
	return true
}

// grow doubles the table, unless the two tables together pass the limit.
func (s *store64) grow() bool {
	next := int64(len(s.table)) * 2
	if s.bytes()+next*8 > s.limit || s.keys.n >= maxStates/2 {
		return false
	}
	s.resize(int(next))
	return true
}

func (s *store64) at(index uint32) (word, slots uint64) {
	key := s.keys.at(index)
	return key >> s.slotsBits, key & (1<<s.slotsBits - 1)
}

func (s *store64) parent(index uint32) uint32 { return s.parents.at(index) }

func (s *store64) len() int { return s.keys.n }

func (s *store64) bytes() int64 {
	return int64(len(s.table))*8 + s.keys.capacity()*8 + s.parents.capacity()*4 + int64(len(s.index))*4
}

func (s *store64) tableSize() int64 { return int64(len(s.table)) }

func (s *store64) number() {
	s.index = make([]uint32, len(s.table))
	for i := range s.keys.n {
		s.index[s.slot(s.keys.at(uint32(i))+1)] = uint32(i)
	}
}

func (s *store64) find(word, slots uint64) uint32 {
	return s.index[s.slot((word<<s.slotsBits|slots)+1)]
}
