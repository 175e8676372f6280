package explore

import "idemtui/sim"

// memo remembers what moves says, in packed form. A delivery's next step
// depends on what is shared and on that delivery alone, and there are few such
// pairs: 5,137 behind the 502,141 states of four deliveries under a fence with
// each fault once. The table is filled by calling moves; it has no rule of its
// own about what a step does or whether it is enabled.
type memo struct {
	codec *codec

	slots []uint32 // 1 + the row's index; 0 is free
	shift uint
	rows  []memoRow

	worldSlots []uint32
	worldShift uint
	worlds     []memoWorld

	spareRow   memoRow // for a pair beyond the limit
	spareWorld memoWorld
	list       [choiceCount]Move
}

// memoLimit bounds the rows, so that the memo takes some MiB at most.
const memoLimit = 1 << 16

// packedMove is where a move leads: the shared word, and the slot of the
// delivery that moved.
type packedMove struct {
	word uint64
	slot uint32
	ok   bool
}

// memoRow is one delivery in one shared word: its steps and its crash.
type memoRow struct {
	word  uint64
	slot  uint32
	count uint32 // of steps
	steps [3]packedMove
	crash packedMove
}

// memoWorld is one shared word: what the environment can do, with the holder
// of the claim dead or alive.
type memoWorld struct {
	word   uint64
	gen    uint64
	expire [2]packedMove // holder dead, alive
	forget packedMove
}

func newMemo(k *codec) *memo {
	m := &memo{codec: k, slots: make([]uint32, 64), worldSlots: make([]uint32, 64)}
	m.shift, m.worldShift = 64-6, 64-6
	return m
}

// expand lists the successors of a packed state, in the order of moves.
func (m *memo) expand(word, slots uint64, out []edge) int {
	k := m.codec
	mask := uint64(1)<<k.slotBits - 1
	var crashes [MaxDeliveries]packedMove
	world := m.world(word)
	n, alive := 0, 0
	for i := range k.count {
		shift := uint(i) * k.slotBits
		slot := slots >> shift & mask
		rest := slots &^ (mask << shift)
		row := m.row(word, uint32(slot))
		for j := range row.count {
			step := &row.steps[j]
			out[n] = edge{word: step.word, slots: rest | uint64(step.slot)<<shift}
			n++
		}
		crashes[i] = row.crash
		if slot>>pcBits == world.gen {
			alive = 1
		}
	}
	for i := range k.count {
		if crash := &crashes[i]; crash.ok {
			shift := uint(i) * k.slotBits
			out[n] = edge{word: crash.word, slots: slots&^(mask<<shift) | uint64(crash.slot)<<shift}
			n++
		}
	}
	if expire := &world.expire[alive]; expire.ok {
		out[n] = edge{word: expire.word, slots: slots}
		n++
	}
	if world.forget.ok {
		out[n] = edge{word: world.forget.word, slots: slots}
		n++
	}
	return n
}

// row finds or makes the row of a pair.
func (m *memo) row(word uint64, slot uint32) *memoRow {
	mask := len(m.slots) - 1
	i := int(rowHash(word, slot) >> m.shift)
	for {
		at := m.slots[i]
		if at == 0 {
			break
		}
		if row := &m.rows[at-1]; row.word == word && row.slot == slot {
			return row
		}
		i = (i + 1) & mask
	}
	if len(m.rows) >= memoLimit {
		m.spareRow = m.newRow(word, slot)
		return &m.spareRow
	}
	m.rows = append(m.rows, m.newRow(word, slot))
	m.slots[i] = uint32(len(m.rows))
	if len(m.rows)*2 > len(m.slots) {
		m.slots = make([]uint32, len(m.slots)*2)
		m.shift--
		for j := range m.rows {
			row := &m.rows[j]
			place(m.slots, rowHash(row.word, row.slot)>>m.shift, j)
		}
	}
	return &m.rows[len(m.rows)-1]
}

// world finds or makes what the environment can do.
func (m *memo) world(word uint64) *memoWorld {
	mask := len(m.worldSlots) - 1
	i := int(worldHash(word) >> m.worldShift)
	for {
		at := m.worldSlots[i]
		if at == 0 {
			break
		}
		if world := &m.worlds[at-1]; world.word == word {
			return world
		}
		i = (i + 1) & mask
	}
	if len(m.worlds) >= memoLimit {
		m.spareWorld = m.newWorld(word)
		return &m.spareWorld
	}
	m.worlds = append(m.worlds, m.newWorld(word))
	m.worldSlots[i] = uint32(len(m.worlds))
	if len(m.worlds)*2 > len(m.worldSlots) {
		m.worldSlots = make([]uint32, len(m.worldSlots)*2)
		m.worldShift--
		for j := range m.worlds {
			place(m.worldSlots, worldHash(m.worlds[j].word)>>m.worldShift, j)
		}
	}
	return &m.worlds[len(m.worlds)-1]
}

func rowHash(word uint64, slot uint32) uint64 {
	return word*0x9e3779b97f4a7c15 + uint64(slot)*0xbf58476d1ce4e5b9
}

func worldHash(word uint64) uint64 { return word * 0x9e3779b97f4a7c15 }

// place enters an index at the first free slot from its home on.
func place(slots []uint32, home uint64, index int) {
	mask := uint64(len(slots) - 1)
	for slots[home] != 0 {
		home = (home + 1) & mask
	}
	slots[home] = uint32(index) + 1
}

// newRow asks moves about a state with this delivery alone.
func (m *memo) newRow(word uint64, slot uint32) memoRow {
	k := m.codec
	var s State
	k.unpack(word, uint64(slot), &s)
	s.Count = 1
	row := memoRow{word: word, slot: slot}
	for _, move := range m.list[:moves(k.handler, &s, &m.list)] {
		packed := packedMove{word: k.after(word, &move), slot: uint32(k.packSlot(move.delivery)), ok: true}
		switch {
		case move.Choice < 3:
			row.steps[row.count] = packed
			row.count++
		case move.Choice == choiceCrash:
			row.crash = packed
		}
	}
	return row
}

// newWorld asks moves about a state without a delivery, and about one in which
// the claim's holder lives.
func (m *memo) newWorld(word uint64) memoWorld {
	k := m.codec
	var s State
	k.unpack(word, 0, &s)
	world := memoWorld{word: word, gen: uint64(s.Cell.Gen)}
	s.Deliveries[0] = sim.Delivery{PC: 1, Tok: s.Cell.Gen}
	for alive := range world.expire {
		s.Count = alive
		for _, move := range m.list[:moves(k.handler, &s, &m.list)] {
			packed := packedMove{word: k.after(word, &move), ok: true}
			switch move.Choice {
			case choiceExpire:
				world.expire[alive] = packed
			case choiceForget:
				world.forget = packed
			}
		}
	}
	return world
}
