package triage

import (
	"time"

	"idemtui/inspect"
)

// apart is how far apart two looks must lie for their comparison to say
// something: a worker that renews every few seconds has had the time to.
const apart = 5 * time.Second

// memory keeps two looks to compare the next one with, whatever the refresh:
// the last one kept, and one before it.
type memory struct {
	newer, older remembered
}

// remembered is a look and when it came, by the local clock.
type remembered struct {
	look *inspect.Look
	at   time.Time
}

// keep remembers a look, unless the last one kept is too near.
func (m *memory) keep(look *inspect.Look, at time.Time) {
	if look == nil || m.newer.look != nil && at.Sub(m.newer.at) < apart {
		return
	}
	m.older, m.newer = m.newer, remembered{look, at}
}

// before is the look to compare with at this time: the newest that is far
// enough away, else the farthest there is; nil before the first.
func (m *memory) before(now time.Time) *inspect.Look {
	if m.older.look != nil && now.Sub(m.newer.at) < apart {
		return m.older.look
	}
	return m.newer.look
}
