package player

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// glance is how the viewer looks at a run, apart from the place in it: two equal
// glances at one place are one picture. The zero value shows everything that
// there is, and nothing stands out.
type glance struct {
	zoom      zoom
	peek      int64 // how far the page lies before the cursor's, while the viewer looks back
	following bool
	followed  int32  // the payment, while following
	lane      int    // the picked lane, from 1 at the top; 0: none
	filter    string // of the event log
	filtering bool   // the filter is being typed
	statement bool   // the step's SQL is shown
	compared  int    // so many other handlers are shown beneath the first
	picked    int    // of the handlers that are compared, the one whose key for the next handler turns; 0 the first
	arrived   int    // grows with every run of a rival
	panel     Panel  // where the run is changed
}

// glanced takes a key that changes how the viewer looks at the run. ok is false
// for other keys.
func (p *Player) glanced(msg tea.KeyPressMsg) (ok bool) {
	k := p.keys.Player
	switch {
	case key.Matches(msg, k.Closer):
		p.zoomBy(1)
	case key.Matches(msg, k.Farther):
		p.zoomBy(-1)
	case key.Matches(msg, k.Earlier):
		p.panBy(1)
	case key.Matches(msg, k.Later):
		p.panBy(-1)
	case key.Matches(msg, k.Follow):
		p.turnFollow()
	case key.Matches(msg, k.LaneUp):
		p.pick(-1)
	case key.Matches(msg, k.LaneDown):
		p.pick(1)
	case key.Matches(msg, k.Filter):
		p.endCompare()
		p.filtering = true
	case key.Matches(msg, k.Statement):
		p.statement = !p.statement
	case key.Matches(msg, k.Clear):
		p.clear()
	default:
		return false
	}
	return true
}

// pick moves the mark to another lane, or while comparing to another handler.
func (p *Player) pick(by int) {
	if p.compared > 0 {
		p.picked = min(max(p.picked+by, 0), p.compared)
		return
	}
	p.pickLane(by)
}

// clear takes back one thing that stands out, the one in front first.
func (p *Player) clear() {
	switch {
	case p.statement:
		p.statement = false
	case p.compared > 0:
		p.endCompare()
	case p.filter != "":
		p.filter = ""
	case p.following:
		p.following = false
	case p.lane > 0:
		p.lane = 0
	default:
		p.zoom, p.peek = zoom{}, 0
	}
}

// fitGlance lets go of what another run does not have.
func (p *Player) fitGlance() {
	p.peek = 0
	if int64(p.followed) >= p.trace.Scenario().Payments {
		p.following, p.followed = false, 0
	}
	p.lane = min(p.lane, len(p.trace.Lanes()))
}
