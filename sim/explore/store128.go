package explore

import (
	"context"
	"math/bits"
)

// key128 is a key of two words.
type key128 struct{ word, slots uint64 }

// store128 is a store of states too wide for one key of 64 bits.
type store128 struct {
	limit int64

	table   []key128 // word + 1; 0 is a free slot
	shift   uint
	keys    column[key128]
	parents column[uint32]
	index   []uint32
}

func newStore128(limit int64) *store128 {
	s := &store128{limit: limit}
	s.resize(firstSlots)
	return s
}

func (s *store128) resize(size int) {
	old := s.table
	s.table = make([]key128, size)
	s.shift = uint(64 - bits.TrailingZeros(uint(size)))
	for _, entry := range old {
		if entry.word != 0 {
			s.table[s.slot(entry)] = entry
		}
	}
}

func (s *store128) slot(entry key128) int {
	mask := len(s.table) - 1
	i := int(mix(mix(entry.word)+entry.slots) >> s.shift)
	for s.table[i].word != 0 && s.table[i] != entry {
		i = (i + 1) & mask
	}
	return i
}

func (s *store128) add(b *block) bool {
	for full(s.keys.n+len(b.edges), len(s.table)) {
		if !s.grow() {
			return false
		}
	}
	parent := 0
	for i, e := range b.edges {
		for b.ends[parent] <= i {
			parent++
		}
		entry := key128{e.word + 1, e.slots}
		if at := s.slot(entry); s.table[at].word == 0 {
			s.table[at] = entry
			s.keys.append(key128(e))
			s.parents.append(uint32(b.first + parent))
		}
	}
	return true
}

func (s *store128) grow() bool {
	next := nextSize(len(s.table))
	if s.bytes()+int64(next)*16 > s.limit || s.keys.n >= maxStates/2 {
		return false
	}
	s.resize(next)
	return true
}

// view128 reads the keys of a store128.
type view128 struct{ keys column[key128] }

func (v *view128) at(index uint32) (word, slots uint64) {
	key := v.keys.at(index)
	return key.word, key.slots
}

func (s *store128) view() view { return &view128{s.keys} }

func (s *store128) parent(index uint32) uint32 { return s.parents.at(index) }

func (s *store128) len() int { return s.keys.n }

func (s *store128) bytes() int64 {
	return int64(len(s.table))*16 + s.keys.capacity()*16 + s.parents.capacity()*4 + int64(len(s.index))*4
}

func (s *store128) tableSize() int64 { return int64(len(s.table)) }

func (s *store128) number(ctx context.Context) error {
	s.index = make([]uint32, len(s.table))
	for i := range s.keys.n {
		if i%pollEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		key := s.keys.at(uint32(i))
		s.index[s.slot(key128{key.word + 1, key.slots})] = uint32(i)
	}
	return nil
}

func (s *store128) find(edges []edge, out []uint32) []uint32 {
	for _, e := range edges {
		out = append(out, s.index[s.slot(key128{e.word + 1, e.slots})])
	}
	return out
}
