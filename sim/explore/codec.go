package explore

import (
	"fmt"
	"math/bits"

	"idemtui/sim"
)

// codec packs a state into two words and back: word has what the deliveries
// share and the budgets, slots has each delivery's program counter and token.
// Both together fit one key of 64 bits where they can. The widths follow from
// the handler and the budgets; a value that does not fit its width is noticed.
type codec struct {
	handler *sim.Handler
	count   int

	tokenBits, fenceBits, chargeBits uint
	genShift, fenceShift             uint
	chargeShift                      uint
	budgetShift                      [budgetCount]uint
	budgetBits                       [budgetCount]uint
	wordBits                         uint
	slotBits                         uint
	slotsBits                        uint
	spend                            [noBudget + 1]uint64 // one of each budget, and 0
	cellMask                         uint64
	tooLarge                         bool // some value did not fit: a width is wrong
}

const (
	pcBits  = 3
	recBits = 3
	// flagBits are seen, live and key.
	flagBits = 3
)

// newCodec chooses the widths. A claim is won at most once at first and once
// more for each fault, so that tokens stay within that bound; charges within
// one for each delivery and each fault, and one.
func newCodec(c Config) (*codec, error) {
	faults := uint(c.Budgets.sum())
	k := &codec{handler: c.Handler, count: c.Deliveries}
	if c.Handler.Leased {
		k.tokenBits = uint(bits.Len(1 + faults))
	}
	if c.Handler.Effect == sim.EffectFence {
		k.fenceBits = k.tokenBits
	}
	k.chargeBits = uint(bits.Len(uint(c.Deliveries) + faults + 1))
	if c.Handler.Effect == sim.EffectKey || c.Handler.Effect == sim.EffectSet {
		k.chargeBits = 1
	}
	shift := uint(flagBits + recBits)
	k.genShift = shift
	shift += k.tokenBits
	k.fenceShift = shift
	shift += k.fenceBits
	k.chargeShift = shift
	shift += k.chargeBits
	k.cellMask = 1<<shift - 1
	for i, n := range c.Budgets.list() {
		k.budgetShift[i] = shift
		k.budgetBits[i] = uint(bits.Len(uint(n)))
		k.spend[i] = 1 << shift
		shift += k.budgetBits[i]
	}
	k.wordBits = shift
	k.slotBits = pcBits + k.tokenBits
	k.slotsBits = k.slotBits * uint(c.Deliveries)
	if k.wordBits > 63 || k.slotsBits > 64 {
		return nil, fmt.Errorf("the budgets are too large: with %d faults a state takes %d bits for what is shared and %d for the deliveries, and 63 and 64 are the most; explore smaller budgets",
			faults, k.wordBits, k.slotsBits)
	}
	return k, nil
}

// fits64 says whether a whole state is one word with a value to spare.
func (k *codec) fits64() bool { return k.wordBits+k.slotsBits <= 63 }

// packCell packs what the deliveries share.
func (k *codec) packCell(c *sim.Cell) uint64 {
	if c.Gen>>k.tokenBits|c.MaxTok>>k.fenceBits|c.Charges>>k.chargeBits != 0 {
		k.tooLarge = true
	}
	word := uint64(c.Rec)<<flagBits | uint64(c.Gen)<<k.genShift | uint64(c.MaxTok)<<k.fenceShift | uint64(c.Charges)<<k.chargeShift
	if c.Seen {
		word |= 1
	}
	if c.Live {
		word |= 2
	}
	if c.Key {
		word |= 4
	}
	return word
}

// packSlot packs one delivery.
func (k *codec) packSlot(d sim.Delivery) uint64 {
	return uint64(d.PC) | uint64(d.Tok)<<pcBits
}

// pack packs a state.
func (k *codec) pack(s *State) (word, slots uint64) {
	word = k.packCell(&s.Cell)
	for i, n := range s.Budget {
		word |= uint64(n) << k.budgetShift[i]
	}
	for i := range s.Count {
		slots |= k.packSlot(s.Deliveries[i]) << (uint(i) * k.slotBits)
	}
	return word, slots
}

// unpack is the reverse of pack.
func (k *codec) unpack(word, slots uint64, s *State) {
	s.Count = k.count
	s.Cell = sim.Cell{
		Seen: word&1 != 0, Live: word&2 != 0, Key: word&4 != 0,
		Rec:     sim.Rec(word >> flagBits & (1<<recBits - 1)),
		Gen:     uint32(word >> k.genShift & (1<<k.tokenBits - 1)),
		MaxTok:  uint32(word >> k.fenceShift & (1<<k.fenceBits - 1)),
		Charges: k.charges(word),
	}
	for i := range s.Budget {
		s.Budget[i] = uint32(word >> k.budgetShift[i] & (1<<k.budgetBits[i] - 1))
	}
	for i := range k.count {
		slot := slots >> (uint(i) * k.slotBits) & (1<<k.slotBits - 1)
		s.Deliveries[i] = sim.Delivery{PC: uint8(slot & (1<<pcBits - 1)), Tok: uint32(slot >> pcBits)}
	}
}

// charges reads the ledger of a packed state.
func (k *codec) charges(word uint64) uint32 {
	return uint32(word >> k.chargeShift & (1<<k.chargeBits - 1))
}

// edge is a packed successor.
type edge struct{ word, slots uint64 }

// after is the shared word after a move.
func (k *codec) after(word uint64, m *Move) uint64 {
	return k.packCell(&m.cell) | word&^k.cellMask - k.spend[m.spent]
}

// sorted says whether the deliveries stand in the order that stands for all
// their orders.
func (k *codec) sorted(slots uint64) bool {
	mask := uint64(1)<<k.slotBits - 1
	for range k.count - 1 {
		next := slots >> k.slotBits
		if slots&mask > next&mask {
			return false
		}
		slots = next
	}
	return true
}

// sort puts the deliveries into the order that stands for all their orders.
func (k *codec) sort(slots uint64) uint64 {
	var list [MaxDeliveries]uint64
	mask := uint64(1)<<k.slotBits - 1
	for i := range k.count {
		list[i] = slots >> (uint(i) * k.slotBits) & mask
	}
	sorted := uint64(0)
	for i := range k.count {
		for j := i; j > 0 && list[j-1] > list[j]; j-- {
			list[j-1], list[j] = list[j], list[j-1]
		}
	}
	for i := range k.count {
		sorted |= list[i] << (uint(i) * k.slotBits)
	}
	return sorted
}

// orders is the number of states that a sorted one stands for.
func (k *codec) orders(slots uint64) int64 {
	mask := uint64(1)<<k.slotBits - 1
	total, run := int64(1), int64(0)
	previous := uint64(0)
	for i := range k.count {
		slot := slots & mask
		slots >>= k.slotBits
		if i > 0 && slot == previous {
			run++
		} else {
			run = 1
		}
		previous = slot
		total = total * int64(i+1) / run
	}
	return total
}
