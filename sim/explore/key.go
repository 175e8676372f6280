package explore

// key128 is a key of two words.
type key128 struct{ word, slots uint64 }

// packing turns states into the entries of a table and back. An entry is never
// the zero value, which is a free slot. Beside it comes 32 bits of its hash.
type packing[K comparable] struct {
	size   int64 // bytes of an entry
	pack   func(states []edge, entries []K, hashes []uint32)
	unpack func(entries []K, out []edge) []edge
}

// packing64 packs states that fit one key of 64 bits: an entry is the key + 1.
func packing64(slotsBits uint) packing[uint64] {
	return packing[uint64]{
		size: 8,
		pack: func(states []edge, entries []uint64, hashes []uint32) {
			entries, hashes = entries[:len(states)], hashes[:len(states)]
			for i, e := range states {
				entry := (e.word<<slotsBits | e.slots) + 1
				entries[i], hashes[i] = entry, uint32(mix(entry)>>32)
			}
		},
		unpack: func(entries []uint64, out []edge) []edge {
			for _, entry := range entries {
				out = append(out, edge{(entry - 1) >> slotsBits, (entry - 1) & (1<<slotsBits - 1)})
			}
			return out
		},
	}
}

// packing128 packs wider states: the first word of an entry is one more.
func packing128() packing[key128] {
	return packing[key128]{
		size: 16,
		pack: func(states []edge, entries []key128, hashes []uint32) {
			entries, hashes = entries[:len(states)], hashes[:len(states)]
			for i, e := range states {
				entries[i] = key128{e.word + 1, e.slots}
				hashes[i] = uint32(mix(mix(e.word+1)+e.slots) >> 32)
			}
		},
		unpack: func(entries []key128, out []edge) []edge {
			for _, entry := range entries {
				out = append(out, edge{entry.word - 1, entry.slots})
			}
			return out
		},
	}
}
