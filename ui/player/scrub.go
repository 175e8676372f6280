package player

import (
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// duration is the time at which the run ends, or the last of those that are
// compared.
func (p *Player) duration() int64 {
	d := p.trace.Duration()
	for _, r := range p.rivals {
		if r.trace != nil {
			d = max(d, r.trace.Duration())
		}
	}
	return d
}

// scrub takes a key that goes to a place of the whole run: a tenth of it, or
// the page before or after this one. ok is false for other keys.
func (p *Player) scrub(msg tea.KeyPressMsg) (ok bool) {
	k := p.keys.Player
	d := p.duration()
	to := p.now
	switch {
	case key.Matches(msg, k.Tenth):
		tenth, err := strconv.ParseInt(msg.String(), 10, 64)
		if err != nil {
			return false
		}
		to = d/10*tenth + d%10*tenth/10
	case key.Matches(msg, k.NextPage):
		to += p.pageStep()
	case key.Matches(msg, k.PrevPage):
		to -= p.pageStep()
	default:
		return false
	}
	p.setMode(paused)
	p.seek(to)
	return true
}

// pageStep is how far the keys for a page go.
func (p *Player) pageStep() int64 {
	if p.cache.width == 0 {
		return p.trace.Scenario().Charge
	}
	return p.grid(p.cache.width).step()
}

// drawScrub draws the whole run in one line: where the page lies in it, where
// the present is, and where something went wrong.
func (v *view) drawScrub(p pane) {
	d := max(v.duration(), 1)
	at := func(t int64) int { return int(min(max(t, 0), d) * int64(v.page.width-1) / d) }
	cursor, present := at(v.now), inkAccent
	p.put(0, 0, strings.Repeat("─", v.page.width), inkFaint)
	a, b := at(v.page.start), at(v.page.end()-1)
	p.put(a, 0, strings.Repeat("━", b-a+1), inkMuted)
	for _, r := range v.rows() {
		for _, violation := range r.trace.Violations() {
			k := inkMuted // still to come
			if violation.Seq < r.n {
				k = inkBad
			}
			x := at(r.trace.Event(violation.Seq).At)
			if x == cursor && k == inkBad {
				present = inkBad
			}
			if c := p.at(x, 0); c.r != '✗' || k == inkBad {
				p.put(x, 0, "✗", k)
			}
		}
	}
	p.put(cursor, 0, "┃", present)
}

// percent is how much of the run is over.
func (v *view) percent() string {
	return strconv.FormatInt(min(v.now, v.duration())*100/max(v.duration(), 1), 10) + "%"
}
