package lesson

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim/lessons"
)

// stepTime is how long an instant of a sequence stays while it is played, and
// walkTime while the cursor is on its way to the moment of a page.
const (
	stepTime = time.Second
	walkTime = 400 * time.Millisecond
)

// stepper is the cursor of a sequence. It moves like the player's: step by step,
// by itself while it is played, and at once to either end.
type stepper struct {
	sequence *lessons.Sequence
	n        int // so many instants have happened
	until    int // it goes on by itself up to here
	pace     time.Duration
	request  int // generation of the newest tick
}

// steppedMsg is the time for the next instant.
type steppedMsg struct{ request int }

// moving says that the cursor goes on by itself.
func (p *stepper) moving() bool { return p.until > p.n }

// stand puts the cursor after n instants, where it stays.
func (p *stepper) stand(n int) {
	p.n = min(max(n, 0), len(p.sequence.Instants))
	p.until = p.n
}

// walk lets the cursor go on by itself up to n instants.
func (p *stepper) walk(n int, pace time.Duration) tea.Cmd {
	p.until, p.pace = min(n, len(p.sequence.Instants)), pace
	return p.tick()
}

func (p *stepper) tick() tea.Cmd {
	p.request++
	if !p.moving() {
		return nil
	}
	msg := steppedMsg{p.request}
	return tea.Tick(p.pace, func(time.Time) tea.Msg { return msg })
}

// stepped goes on by an instant.
func (p *stepper) stepped(msg steppedMsg) tea.Cmd {
	if msg.request != p.request || !p.moving() {
		return nil
	}
	p.n++
	return p.tick()
}

// stop ends what goes on by itself: a walk at its end, playing where it is.
func (p *stepper) stop() {
	p.arrive()
	p.until = p.n
}

// arrive ends a walk to the moment of a page, as any key does; what is played
// goes on.
func (p *stepper) arrive() {
	if p.moving() && p.pace == walkTime {
		p.n = p.until
	}
}

// sequence is what the present page tells in lanes of its own, nil where it has
// a timeline.
func (s *Screen) sequence() *lessons.Sequence {
	if s.place.kind != page {
		return nil
	}
	return s.lesson().Pages[s.place.i].Sequence
}

// playing says that the clock runs, of the run or of the sequence.
func (s *Screen) playing() bool {
	if s.sequence() != nil {
		return s.stepper.moving()
	}
	return s.player.Playing()
}

// enterSequence brings the cursor to the page's moment: on the way forward
// instant by instant, so that one can look on.
func (s *Screen) enterSequence(forward bool) tea.Cmd {
	p, page := &s.stepper, s.lesson().Pages[s.place.i]
	same := p.sequence == page.Sequence
	p.sequence = page.Sequence
	if !same {
		p.n = 0
	}
	if !forward || p.n >= page.Step {
		p.stand(page.Step)
		return nil
	}
	return p.walk(page.Step, walkTime)
}

// pressedInSequence moves the sequence's cursor by the player's keys.
func (s *Screen) pressedInSequence(msg tea.KeyPressMsg) tea.Cmd {
	p, k := &s.stepper, s.keys.Player
	switch {
	case key.Matches(msg, k.Play) && p.moving():
		p.stand(p.n)
	case key.Matches(msg, k.Play):
		if p.n == len(p.sequence.Instants) {
			p.n = 0
		}
		return p.walk(len(p.sequence.Instants), stepTime)
	case key.Matches(msg, k.Step), key.Matches(msg, k.NextSeen):
		p.stand(p.n + 1)
	case key.Matches(msg, k.Back), key.Matches(msg, k.PrevSeen):
		p.stand(p.n - 1)
	case key.Matches(msg, k.First):
		p.stand(0)
	case key.Matches(msg, k.Last):
		p.stand(len(p.sequence.Instants))
	case key.Matches(msg, k.NextBad):
		p.toWrong(1)
	case key.Matches(msg, k.PrevBad):
		p.toWrong(-1)
	}
	return nil
}

// toWrong goes to the next instant in which something went wrong, or back to
// the one before.
func (p *stepper) toWrong(by int) {
	for n := p.n + by; n > 0 && n <= len(p.sequence.Instants); n += by {
		for _, mark := range p.sequence.Instants[n-1].Marks {
			if mark.Wrong {
				p.stand(n)
				return
			}
		}
	}
}
