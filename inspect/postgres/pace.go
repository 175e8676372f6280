package postgres

import "time"

// pace bounds how many rows are written a second. A batch is followed by the
// time that its rows are worth, counted from its own beginning: what a slow one
// lost is not caught up, for that would be a burst.
type pace struct {
	perSecond int // 0: no bound
	free      time.Time
}

// batch is how many rows may be written at once: what one second allows.
func (p pace) batch(most int) int {
	if p.perSecond > 0 {
		return min(most, p.perSecond)
	}
	return most
}

// wait is how long the next batch has to wait.
func (p pace) wait(now time.Time) time.Duration { return max(0, p.free.Sub(now)) }

// wrote notes a batch and when it began.
func (p *pace) wrote(rows int, began time.Time) {
	if p.perSecond > 0 {
		p.free = began.Add(time.Duration(rows) * time.Second / time.Duration(p.perSecond))
	}
}
