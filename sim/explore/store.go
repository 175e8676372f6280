package explore

import "math"

// noParent is the parent of the first state.
const noParent = math.MaxUint32

// maxStates is the largest number of states that an index can name.
const maxStates = math.MaxUint32 - 1

// store holds the states found so far: their keys in the order of the search,
// the index of the state from which each was first reached, and an
// open-addressing table over the full keys. A hash alone would be no proof.
type store interface {
	// add enters those successors of a block of states that are new, in
	// order: those of state first+i end at ends[i]. It returns false where
	// the table would have to grow beyond the limit.
	add(edges []edge, ends []int, first uint32) bool
	// at gives the state with this index.
	at(index uint32) (word, slots uint64)
	parent(index uint32) uint32
	len() int
	// bytes is the memory held now.
	bytes() int64
	// tableSize is the number of slots of the table.
	tableSize() int64
	// number prepares find; it takes four bytes for each slot.
	number()
	// find gives the index of a state that is in the store.
	find(word, slots uint64) uint32
}

// A search expands its states in blocks.
const (
	blockStates = 32
	blockEdges  = blockStates * int(choiceCount)
)

const (
	pageBits   = 16
	pageSize   = 1 << pageBits
	firstSlots = 1 << 10
)

// column is a growing list of values in pages, so that growing copies nothing
// and needs no second copy of a large list.
type column[T any] struct {
	pages [][]T
	n     int
}

func (c *column[T]) append(value T) {
	if c.n&(pageSize-1) == 0 {
		size := pageSize
		if c.n == 0 {
			// A small graph needs no whole page.
			size = firstSlots
		}
		c.pages = append(c.pages, make([]T, 0, size))
	}
	page := &c.pages[c.n>>pageBits]
	*page = append(*page, value)
	c.n++
}

func (c *column[T]) at(i uint32) T { return c.pages[i>>pageBits][i&(pageSize-1)] }

// capacity is how many values the pages have room for.
func (c *column[T]) capacity() int64 {
	total := 0
	for _, page := range c.pages {
		total += cap(page)
	}
	return int64(total)
}

// mix spreads a key over all bits; the table uses the highest ones.
func mix(key uint64) uint64 {
	key ^= key >> 32
	key *= 0x9e3779b97f4a7c15
	key ^= key >> 29
	return key * 0xbf58476d1ce4e5b9
}

// full says whether a table of this many slots holds too many keys for quick
// look-ups: three quarters.
func full(keys, slots int) bool { return keys >= slots/4*3 }
