package triage

import "idemtui/inspect"

// memory keeps the last two looks, to compare the next ones with.
type memory struct{ last, previous *inspect.Look }

// keep remembers a look.
func (m *memory) keep(look *inspect.Look) {
	if look != nil {
		m.previous, m.last = m.last, look
	}
}

// forList is what the next look is compared with.
func (m *memory) forList() *inspect.Look { return m.last }

// forOne is what a claim of the last look is compared with when it is read
// again at once: the look that the list itself was compared with, so that both
// say the same.
func (m *memory) forOne() *inspect.Look {
	if m.previous != nil {
		return m.previous
	}
	return m.last
}
