package explore

const (
	// shardCount is fixed, so that no result depends on the number of
	// workers. The shards of a large search fit the nearer caches, one at a
	// time.
	shardBits  = 6
	shardCount = 1 << shardBits
	firstSlots = 16
	// quickGrowth is the size below which a shard grows fourfold: entering
	// the keys again costs more than a few MiB.
	quickGrowth = 1 << 20 / shardCount
	// chunkEntries are looked up together.
	chunkEntries = 128
)

// shardOf is the shard of a hash: its highest bits.
func shardOf(hash uint32) uint32 { return hash >> (32 - shardBits) }

// shard is one part of the table, by hash: open addressing over full keys.
type shard[K comparable] struct {
	slots []K      // the zero value is a free slot
	index []uint32 // beside the slots, once numbered
	shift uint     // 32 less the bits of the number of slots
	used  int
	_     apart
}

// home is where a look-up begins.
func (s *shard[K]) home(hash uint32) uint32 { return hash << shardBits >> s.shift }

// room is how many entries a number of slots holds with quick look-ups: three
// quarters.
func room(slots int) int { return slots / 4 * 3 }

// sizeFor is the number of slots for so many entries.
func (s *shard[K]) sizeFor(entries int) int {
	slots := len(s.slots)
	for room(slots) < entries {
		if slots < quickGrowth {
			slots *= 2
		}
		slots *= 2
	}
	return slots
}

// resize enters everything again.
func (s *shard[K]) resize(slots int, packing *packing[K]) {
	old := s.slots
	s.slots = newSlots[K](slots)
	s.shift = 32
	for ; slots > 1; slots /= 2 {
		s.shift--
	}
	var free K
	var entries [chunkEntries]K
	var hashes [chunkEntries]uint32
	states := make([]edge, 0, chunkEntries)
	n := 0
	for i, entry := range old {
		if entry != free {
			entries[n] = entry
			n++
		}
		if n == chunkEntries || i == len(old)-1 {
			states = packing.unpack(entries[:n], states[:0])
			packing.pack(states, entries[:n], hashes[:n])
			for j := range n {
				s.slots[s.probe(s.home(hashes[j]), entries[j])] = entries[j]
			}
			n = 0
		}
	}
}

// newSlots makes free slots, and writes to each of their memory pages: a page
// that is read first must be mapped twice, and the second time all cores stop for
// it.
func newSlots[K comparable](n int) []K {
	var free K
	slots := make([]K, n)
	for i := 0; i < n; i += 256 {
		slots[i] = free
	}
	return slots
}

// probe finds where an entry is or belongs.
func (s *shard[K]) probe(i uint32, entry K) uint32 {
	var free K
	slots := s.slots
	mask := uint32(len(slots) - 1)
	for {
		i &= mask
		if found := slots[i]; found == free || found == entry {
			return i
		}
		i++
	}
}

// insert enters those entries that are new, in order, and keeps their places:
// it returns how many.
func (s *shard[K]) insert(entries []K, hashes []uint32, places []uint16, packing *packing[K]) int {
	var free K
	var near [chunkEntries]K
	kept := 0
	for from := 0; from < len(entries); from += chunkEntries {
		end := min(from+chunkEntries, len(entries))
		chunk, chunkHashes := entries[from:end], hashes[from:end]
		// The homes are all read before any of them matters, so that the
		// cache fetches them side by side.
		slots, shift, mask := s.slots, s.shift, uint32(len(s.slots)-1)
		for i, hash := range chunkHashes {
			near[i&(chunkEntries-1)] = slots[hash<<shardBits>>shift&mask]
		}
		for i, entry := range chunk {
			if near[i&(chunkEntries-1)] == entry {
				continue
			}
			at := s.probe(s.home(chunkHashes[i]), entry)
			if s.slots[at] != free {
				continue
			}
			s.slots[at] = entry
			places[kept] = places[from+i]
			kept++
			if s.used++; s.used > room(len(s.slots)) {
				s.resize(s.sizeFor(s.used), packing)
			}
		}
	}
	return kept
}
