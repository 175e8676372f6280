package explore

import (
	"context"
	"math"
)

// none marks that no state was found.
const none = math.MaxUint32

// maxStates is the largest number of states that an index can name.
const maxStates = math.MaxUint32 - 1

// store holds the states found so far: their keys in the order of the search,
// the index of the state from which each was first reached, and an
// open-addressing table over the full keys. A hash alone would be no proof.
type store interface {
	// add enters those successors of a block that are new, in order. It
	// returns false where the table would have to grow beyond the limit.
	add(b *block) bool
	// view reads the states found until now, also while more are added.
	view() view
	parent(index uint32) uint32
	len() int
	// bytes is the memory held now.
	bytes() int64
	// tableSize is the number of slots of the table.
	tableSize() int64
	// number prepares find; it takes four bytes for each slot.
	number(ctx context.Context) error
	// find appends the indices of states that are in the store.
	find(edges []edge, out []uint32) []uint32
}

// view reads states by index.
type view interface {
	at(index uint32) (word, slots uint64)
}

const (
	pageBits   = 12
	pageSize   = 1 << pageBits
	firstSlots = 1 << 10
	// quickGrowth is the table size below which it grows fourfold: entering
	// the keys again costs more than a few MiB.
	quickGrowth = 1 << 20
	// chunkEdges are looked up together: the table's lines for them fit the
	// nearest cache.
	chunkEdges = 128
)

// column is a growing list of values in pages, so that growing copies nothing
// and needs no second copy of a large list, and a copy of the column goes on
// reading what was there.
type column[T any] struct {
	pages []*[pageSize]T
	n     int
}

func (c *column[T]) append(value T) {
	if c.n&(pageSize-1) == 0 {
		c.pages = append(c.pages, new([pageSize]T))
	}
	c.pages[c.n>>pageBits][c.n&(pageSize-1)] = value
	c.n++
}

func (c *column[T]) at(i uint32) T { return c.pages[i>>pageBits][i&(pageSize-1)] }

// capacity is how many values the pages have room for.
func (c *column[T]) capacity() int64 { return int64(len(c.pages)) * pageSize }

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

// nextSize is the size to which a table grows.
func nextSize(slots int) int {
	if slots < quickGrowth {
		return slots * 4
	}
	return slots * 2
}
