package player

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameTime is the time between two frames while playing: 25 a second.
const frameTime = 40 * time.Millisecond

// longestFrame bounds what one tick may skip, after the machine slept or the
// program was suspended.
const longestFrame = 5 * frameTime

// tickedMsg says that a frame's time has passed. Only the tick with the present
// id counts: pausing and starting again within one frame must not run the clock
// twice as fast.
type tickedMsg struct {
	id     int
	passed time.Duration
}

// nextTick waits for a frame's time and measures how long it really took.
func nextTick(id int) tea.Cmd {
	return func() tea.Msg {
		start := time.Now()
		timer := time.NewTimer(frameTime)
		end := <-timer.C
		return tickedMsg{id: id, passed: end.Sub(start)}
	}
}

// setMode changes what the clock does. No tick that is on its way counts after
// it; where the clock is to run, the command is the next one.
func (p *Player) setMode(m mode) tea.Cmd {
	p.mode = m
	p.tick++
	if m != playing && m != gliding {
		return nil
	}
	return nextTick(p.tick)
}

// turnPlay plays or pauses. At the end it plays from the beginning.
func (p *Player) turnPlay() tea.Cmd {
	if p.mode != paused {
		return p.setMode(paused)
	}
	if p.atEnd() {
		p.goToEvent(0)
	}
	return p.setMode(playing)
}

// ticked moves the time on by one frame, and arms the next tick unless the end
// is reached.
func (p *Player) ticked(msg tickedMsg) tea.Cmd {
	if msg.id != p.tick || p.trace == nil {
		return nil
	}
	switch p.mode {
	case gliding:
		return p.glided(min(msg.passed, longestFrame))
	case paused, away:
		return nil
	}
	p.now += p.speed.virtual(int64(min(msg.passed, longestFrame)))
	if end := p.duration(); p.now >= end {
		p.now, p.n = end, p.trace.Len()
		return p.setMode(paused)
	}
	p.n = max(p.n, p.trace.IndexAt(p.now))
	return nextTick(p.tick)
}
