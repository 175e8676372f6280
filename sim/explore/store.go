package explore

import (
	"context"
	"math"
)

// none marks that no state was found. It is larger than every index.
const none = math.MaxUint32

// maxStates is the largest number of states that an index can name.
const maxStates = math.MaxUint32 - 1

// store holds the states found so far: their keys in the order of the search,
// the index of the state from which each was first reached, and open-addressing
// tables over the full keys. A hash alone would be no proof.
//
// States are expanded a window at a time, and a window has parts. Its successors
// go through take and sort, part by part; admit; insert, shard by shard; extend;
// and settle, part by part. Different parts may be taken, sorted and settled side
// by side, and different shards inserted: the new states are those of a search
// that takes one state after another, in the same order.
type store interface {
	// begin begins a window of so many parts.
	begin(parts int)
	// take takes the successors of a part's next block. A worker finishes a
	// part before it takes another.
	take(worker, part int, b *block)
	// sort sorts a part's successors by shard, once all are taken.
	sort(part int)
	// admit says whether the window's successors keep the store within its
	// limit, should all of them be new.
	admit() bool
	// insert enters those successors of a shard that are new.
	insert(shard int)
	// extend makes room for the new states, and settle puts a part's there.
	extend()
	settle(part int)

	// read appends the states from first to end.
	read(first, end int, out []edge) []edge
	at(index uint32) edge
	parent(index uint32) uint32
	len() int
	// bytes is the memory held now.
	bytes() int64
	// tableSize is the number of slots of the tables.
	tableSize() int64
	// number prepares find; it takes four bytes for each slot.
	number(ctx context.Context, workers crew) error
	// find appends the indices of states that are in the store.
	find(edges []edge, out []uint32) []uint32
}

const (
	pageBits = 12
	pageSize = 1 << pageBits
)

// column is a growing list of values in pages, so that growing copies nothing
// and needs no second copy of a large list.
type column[T any] struct {
	pages []*[pageSize]T
	n     int
}

// extend makes the column longer.
func (c *column[T]) extend(by int) {
	c.n += by
	for len(c.pages)<<pageBits < c.n {
		c.pages = append(c.pages, new([pageSize]T))
	}
}

func (c *column[T]) set(i int, value T) { c.pages[i>>pageBits][i&(pageSize-1)] = value }

func (c *column[T]) at(i int) T { return c.pages[i>>pageBits][i&(pageSize-1)] }

// run is the values from i to end, or to the end of i's page.
func (c *column[T]) run(i, end int) []T {
	from := i & (pageSize - 1)
	return c.pages[i>>pageBits][from:min(from+end-i, pageSize)]
}

// capacity is how many values the pages have room for.
func (c *column[T]) capacity() int64 { return int64(len(c.pages)) * pageSize }

// mix spreads a key over all bits; the highest ones are the best.
func mix(key uint64) uint64 {
	key ^= key >> 32
	key *= 0x9e3779b97f4a7c15
	key ^= key >> 29
	return key * 0xbf58476d1ce4e5b9
}
