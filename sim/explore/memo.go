package explore

import (
	"slices"

	"idemtui/sim"
)

// memo remembers what moves says, in packed form. A delivery's next step
// depends on what is shared and on that delivery alone, and there are few such
// pairs: 5,137 behind the 502,141 states of four deliveries under a fence with
// each fault once. The table is filled by calling moves; it has no rule of its
// own about what a step does or whether it is enabled.
type memo struct {
	codec *codec

	slots  []uint32 // 1 + a world's index, by its word; 0 is free
	shift  uint
	worlds []memoWorld
	kept   int // rows

	spareRows  [MaxDeliveries]memoRow // for what is beyond the limit
	spareWorld memoWorld
	list       [choiceCount]Move
}

// BytesPerWorker is the most that each worker takes beside the memory that
// MaxMemory bounds.
const BytesPerWorker = 32 << 20

// The limits keep the memo within BytesPerWorker: 10 MiB of rows, 17 MiB of
// worlds. Budgets of hundreds have so many tokens that a list by slot is not worth
// its room.
const (
	memoWorlds   = 1 << 13
	memoRows     = 1 << 17
	memoSlotBits = 8
)

// packedMove is where a move leads: the shared word, and the slot of the
// delivery that moved.
type packedMove struct {
	word uint64
	slot uint64
}

// memoRow is one delivery in one shared word: its steps and its crash.
type memoRow struct {
	steps   [3]packedMove
	crash   packedMove
	count   int // of steps
	crashes int // 1 if a crash is possible
}

// memoWorld is one shared word: what the environment can do, and the rows of
// the slots seen with it.
type memoWorld struct {
	word    uint64
	gen     uint64
	crashes bool       // the budget for crashes is not spent
	rows    []*memoRow // by slot; nil is none yet

	expires [2]int // 1 if the lease can lapse, with the claim's holder dead, alive
	expire  [2]uint64
	forgets int // 1 if the table can forget
	forget  uint64
}

func newMemo(k *codec) *memo { return &memo{codec: k, slots: make([]uint32, 64), shift: 64 - 6} }

// expand appends the successors of a packed state, in the order of moves. It
// writes what may follow before it knows whether it does: that is quicker than a
// branch that nobody can foresee.
func (m *memo) expand(word, slots uint64, list []edge) []edge {
	const spare = 2 // of a last delivery's three steps
	k := m.codec
	mask := uint64(1)<<k.slotBits - 1
	world := m.world(word)
	n := len(list)
	list = slices.Grow(list, int(choiceCount)+spare)
	out := list[:n+int(choiceCount)+spare]
	var rows [MaxDeliveries]*memoRow
	alive := 0
	for i := range k.count {
		shift := uint(i) * k.slotBits
		slot := slots >> shift & mask
		rest := slots &^ (mask << shift)
		row := m.row(world, slot, i)
		to := out[n : n+3]
		to[0] = edge{row.steps[0].word, rest | row.steps[0].slot<<shift}
		to[1] = edge{row.steps[1].word, rest | row.steps[1].slot<<shift}
		to[2] = edge{row.steps[2].word, rest | row.steps[2].slot<<shift}
		n += row.count
		rows[i&(MaxDeliveries-1)] = row
		if slot>>pcBits == world.gen {
			alive = 1
		}
	}
	if world.crashes {
		for i := range k.count {
			row, shift := rows[i&(MaxDeliveries-1)], uint(i)*k.slotBits
			out[n] = edge{row.crash.word, slots&^(mask<<shift) | row.crash.slot<<shift}
			n += row.crashes
		}
	}
	out[n] = edge{world.expire[alive], slots}
	n += world.expires[alive]
	out[n] = edge{world.forget, slots}
	n += world.forgets
	return list[:n]
}

// row finds or makes the row of delivery i in a world. It stays where it is,
// also while more are made.
func (m *memo) row(world *memoWorld, slot uint64, i int) *memoRow {
	if slot < uint64(len(world.rows)) {
		if row := world.rows[slot]; row != nil {
			return row
		}
		if m.kept < memoRows {
			m.kept++
			row := new(memoRow)
			*row = m.newRow(world.word, slot)
			world.rows[slot] = row
			return row
		}
	}
	m.spareRows[i] = m.newRow(world.word, slot)
	return &m.spareRows[i]
}

// world finds or makes what is known of a word.
func (m *memo) world(word uint64) *memoWorld {
	i := int(mix(word) >> m.shift)
	for m.slots[i] != 0 {
		if world := &m.worlds[m.slots[i]-1]; world.word == word {
			return world
		}
		i = (i + 1) & (len(m.slots) - 1)
	}
	if len(m.worlds) >= memoWorlds {
		m.spareWorld = m.newWorld(word)
		return &m.spareWorld
	}
	m.worlds = append(m.worlds, m.newWorld(word))
	m.slots[i] = uint32(len(m.worlds))
	if len(m.worlds)*2 > len(m.slots) {
		m.grow()
	}
	world := &m.worlds[len(m.worlds)-1]
	if m.codec.slotBits <= memoSlotBits {
		world.rows = make([]*memoRow, 1<<m.codec.slotBits)
	}
	return world
}

// grow doubles the table of worlds.
func (m *memo) grow() {
	m.slots = make([]uint32, len(m.slots)*2)
	m.shift--
	for j := range m.worlds {
		i := int(mix(m.worlds[j].word) >> m.shift)
		for m.slots[i] != 0 {
			i = (i + 1) & (len(m.slots) - 1)
		}
		m.slots[i] = uint32(j) + 1
	}
}

// newRow asks moves about a state with this delivery alone.
func (m *memo) newRow(word, slot uint64) memoRow {
	k := m.codec
	var s State
	k.unpack(word, slot, &s)
	s.Count = 1
	var row memoRow
	for _, move := range m.list[:moves(k.handler, &s, &m.list)] {
		packed := packedMove{word: k.after(word, &move), slot: k.packSlot(move.delivery)}
		switch {
		case move.Choice < 3:
			row.steps[row.count] = packed
			row.count++
		case move.Choice == choiceCrash:
			row.crash, row.crashes = packed, 1
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
	world := memoWorld{word: word, gen: uint64(s.Cell.Gen), crashes: s.Budget[budgetCrash] > 0}
	s.Deliveries[0] = sim.Delivery{PC: 1, Tok: s.Cell.Gen}
	for alive := range world.expire {
		s.Count = alive
		for _, move := range m.list[:moves(k.handler, &s, &m.list)] {
			switch move.Choice {
			case choiceExpire:
				world.expires[alive], world.expire[alive] = 1, k.after(word, &move)
			case choiceForget:
				world.forgets, world.forget = 1, k.after(word, &move)
			}
		}
	}
	return world
}
