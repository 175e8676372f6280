package player

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// move takes a key that goes to another place of the run. It pauses.
func (p *Player) move(msg tea.KeyPressMsg) {
	k := p.keys.Player
	if p.scrub(msg) || p.moveAlong(msg) {
		return
	}
	to, found := p.n, true
	switch {
	case key.Matches(msg, k.Step):
		to++
	case key.Matches(msg, k.Back):
		to--
	case key.Matches(msg, k.NextSeen):
		to = p.trace.NextVisible(p.n)
	case key.Matches(msg, k.PrevSeen):
		to = p.trace.PrevVisible(p.n)
	case key.Matches(msg, k.NextBad):
		if to, found = p.trace.NextViolation(p.n); !found {
			p.notice = p.noViolation("after")
		}
	case key.Matches(msg, k.PrevBad):
		if to, found = p.trace.PrevViolation(p.n); !found {
			p.notice = p.noViolation("before")
		}
	case key.Matches(msg, k.First):
		to = 0
	case key.Matches(msg, k.Last):
		to = p.trace.Len()
	default:
		return
	}
	p.setMode(paused)
	if found {
		p.goToEvent(to)
	}
}

func (p *Player) noViolation(where string) string {
	if len(p.trace.Violations()) == 0 {
		return "This run has no violation: nobody is charged twice, and nobody goes uncharged."
	}
	return "There is no violation " + where + " this one."
}

// goToEvent stands right after the first n events.
func (p *Player) goToEvent(n int) {
	p.peek = 0
	p.n = min(max(n, 0), p.trace.Len())
	p.now = 0
	if p.n > 0 {
		p.now = p.trace.Event(p.n - 1).At
	}
}

// seek stands at a time, as near as the run has it.
func (p *Player) seek(at int64) {
	if p.trace == nil {
		return
	}
	p.peek = 0
	p.now = min(max(at, 0), p.duration())
	p.n = 0
	if p.now > 0 {
		p.n = p.trace.IndexAt(p.now)
	}
}
