package player

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// move takes a key that goes to another place of the run. It pauses.
func (p *Player) move(msg tea.KeyPressMsg) {
	k := p.keys.Player
	if p.scrub(msg) || len(p.rivals) == 0 && p.moveAlong(msg) {
		return
	}
	if len(p.rivals) > 0 && p.moveCompared(msg) {
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

// moveCompared takes a key that goes to the next event of any run on the screen,
// or to the one before. ok is false for other keys.
func (p *Player) moveCompared(msg tea.KeyPressMsg) (ok bool) {
	k := p.keys.Player
	by := 1
	if key.Matches(msg, k.Back, k.PrevSeen, k.PrevBad, k.PrevEvent) {
		by = -1
	}
	switch {
	case key.Matches(msg, k.NextBad, k.PrevBad):
		now, n := p.now, p.n
		if !p.stepThrough(violationsOf, by) || by < 0 && p.n == 0 {
			p.now, p.n = now, n
			p.notice = "There is no violation there in any of these runs."
		}
	case key.Matches(msg, k.NextSeen, k.PrevSeen, k.NextEvent, k.PrevEvent):
		p.stepThrough(p.chosenOf(true), by)
	case key.Matches(msg, k.Step, k.Back):
		p.stepThrough(p.chosenOf(false), by)
	case key.Matches(msg, k.Last):
		p.setMode(paused)
		p.seek(p.duration())
	default:
		return false
	}
	return true
}

// chosenOf chooses the events to which a step goes: all, the visible changes, or
// those of the followed payment.
func (p *Player) chosenOf(seen bool) func(*Player) []int32 {
	return func(r *Player) []int32 {
		if !seen && !p.following {
			return nil
		}
		return r.cached(eventList{following: p.following, followed: p.followed, seen: seen})
	}
}

func violationsOf(r *Player) []int32 {
	seqs := []int32{}
	for _, v := range r.trace.Violations() {
		seqs = append(seqs, int32(v.Seq))
	}
	return seqs
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
