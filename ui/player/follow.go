package player

import (
	"slices"
	"sort"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
)

// focus is the payment at the cursor: the one that is followed, else that of the
// last event.
func (p *Player) focus() int32 {
	if p.following {
		return p.followed
	}
	for i := p.n - 1; i >= 0; i-- {
		if payment := p.trace.Event(i).Payment; payment >= 0 {
			return payment
		}
	}
	return 0
}

// turnFollow follows the payment at the cursor, or no longer.
func (p *Player) turnFollow() {
	if p.following {
		p.following = false
		return
	}
	p.followPayment(p.focus())
}

func (p *Player) followPayment(payment int32) {
	if int64(payment) >= p.trace.Scenario().Payments {
		return
	}
	p.following, p.followed = true, payment
	k := p.keys.Player
	p.notice = k.Back.Help().Key + k.Step.Help().Key + " go through the events of " + sim.PaymentName(payment) + "; " + k.Follow.Help().Key + " ends it."
}

// moveAlong takes a step that goes from one event of a list to another: those of
// the followed payment, or those that the log shows. ok is false for other keys.
func (p *Player) moveAlong(msg tea.KeyPressMsg) (ok bool) {
	k := p.keys.Player
	inLog := key.Matches(msg, k.NextEvent, k.PrevEvent)
	if !inLog && (!p.following || !key.Matches(msg, k.Step, k.Back)) {
		return false
	}
	if key.Matches(msg, k.NextEvent, k.Step) {
		p.moveInList(inLog, 1)
	} else {
		p.moveInList(inLog, -1)
	}
	return true
}

// moveInList goes to the next event of the log's list or of the followed
// payment, or to the one before. Before the first there is the beginning.
func (p *Player) moveInList(inLog bool, by int) {
	p.setMode(paused)
	all := p.cached(eventList{following: p.following, followed: p.followed})
	if inLog {
		all = p.cached(p.logList())
	}
	// Event seq is the last one of At(seq+1).
	at := sort.Search(len(all), func(i int) bool { return int(all[i])+1 >= p.n })
	switch {
	case by < 0 && at == 0:
		p.goToEvent(0)
	case by < 0:
		p.goToEvent(int(all[at-1]) + 1)
	default:
		if at < len(all) && int(all[at])+1 == p.n {
			at++
		}
		if at == len(all) {
			p.notice = "No later event is listed."
			return
		}
		p.goToEvent(int(all[at]) + 1)
	}
}

// eventList is a choice of events.
type eventList struct {
	following bool
	followed  int32
	filter    string
	seen      bool // only visible changes
}

// logList is what the log shows.
func (p *Player) logList() eventList {
	l := eventList{following: p.following, filter: p.filter, seen: true}
	if l.following {
		l.followed = p.followed
	}
	return l
}

// cached lists the chosen events in order, once as long as the run is the same.
func (p *Player) cached(l eventList) []int32 {
	if !l.following {
		l.followed = 0
	}
	if all, ok := p.cache.lists[l]; ok {
		return all
	}
	if p.cache.lists == nil || len(p.cache.lists) > 8 {
		p.cache.lists = map[eventList][]int32{}
	}
	all := []int32{}
	matches := p.matcher(l.filter)
	for i := range p.trace.Len() {
		e := p.trace.Event(i)
		if (!l.seen || e.Visible()) && (!l.following || e.Payment == l.followed) && matches(e) {
			all = append(all, int32(i))
		}
	}
	p.cache.lists[l] = slices.Clip(all)
	return all
}
