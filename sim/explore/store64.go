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
func (s *store64) slot(entry uint64) int {
	mask := len(s.table) - 1
	i := int(mix(entry) >> s.shift)
	for s.table[i] != 0 && s.table[i] != entry {
		i = (i + 1) & mask
	}
	return i
}

func (s *store64) add(edges []edge, parent uint32) bool {
	if full(s.keys.n+len(edges), len(s.table)) && !s.grow() {
		return false
	}
	for i := range edges {
		entry := (edges[i].word<<s.slotsBits | edges[i].slots) + 1
		at := s.slot(entry)
		if s.table[at] == 0 {
			s.table[at] = entry
			s.keys.append(entry - 1)
			s.parents.append(parent)
		}
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
