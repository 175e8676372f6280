package player

import (
	"charm.land/bubbles/v2/key"

	"idemtui/ui/frame"
)

// ShortHelp lists the keys for the footer.
func (p *Player) ShortHelp() []key.Binding {
	k := p.keys.Player
	named := func(b key.Binding, does string) key.Binding {
		b.SetHelp(b.Help().Key, does)
		return b
	}
	both := func(a, b key.Binding, gap, does string) key.Binding {
		return key.NewBinding(key.WithKeys(append(a.Keys(), b.Keys()...)...), key.WithHelp(a.Help().Key+gap+b.Help().Key, does))
	}
	if p.filtering {
		return []key.Binding{
			named(p.keys.Dialog.Choose, "keep"), named(k.Clear, "no filter"), both(k.LaneUp, k.LaneDown, "", "go to an event"),
		}
	}
	if p.panel.Open {
		l := p.keys.Lesson
		return []key.Binding{
			both(l.Up, l.Down, "", "choose"), both(l.Less, l.More, "", "less, more"), named(k.Reset, "put it back"), named(l.Back, "close"),
			named(k.Play, "play"), named(k.NextHandler, "handler"), named(k.Compare, "compare"),
		}
	}
	play := k.Play
	if p.mode != paused {
		play = named(play, "pause")
	}
	step := both(k.Back, k.Step, "", "step")
	if p.following {
		step = both(k.Back, k.Step, "", "its events")
	}
	compare := named(k.Compare, "compare")
	if p.compared > 0 {
		compare = named(k.Compare, "more")
		if p.compared == mostRivals {
			compare = named(k.Compare, "alone")
		}
	}
	short := []key.Binding{play, step, named(k.NextHandler, "handler"), compare}
	if p.compared > 0 {
		short = append(short, both(k.LaneUp, k.LaneDown, "", "pick"))
	}
	short = append(short, named(k.Change, "change"))
	if p.choosing() {
		short = append(short, both(k.NextEvent, k.PrevEvent, " ", "events"))
	}
	return append(
		short, named(k.Workload, p.workloads[1-p.shown].short), named(k.NextBad, "violation"), named(k.Statement, "SQL"),
		named(k.Follow, "follow"), named(k.Filter, "filter"), both(k.Closer, k.Farther, " ", "zoom"), both(k.Slower, k.Faster, " ", "speed"),
		named(k.GoTo, "go to"), named(k.Copy, "token"),
	)
}

// FullHelp lists the keys for the help overlay, and what the marks of the
// timeline mean.
func (p *Player) FullHelp() []frame.KeyGroup {
	k := p.keys.Player
	return []frame.KeyGroup{
		{Title: "time", Keys: []key.Binding{
			k.Play, k.Step, k.Back, k.NextSeen, k.PrevSeen, k.NextBad, k.PrevBad, k.GoTo, k.First, k.Last, k.Tenth, k.NextPage, k.PrevPage,
			k.Faster, k.Slower, k.Closer, k.Farther, k.Earlier, k.Later,
		}},
		{Title: "what is shown", Keys: []key.Binding{
			k.NextHandler, k.PrevHandler, k.Compare, k.Change, k.Reset, k.Workload, k.Follow, k.FollowID, k.LaneUp, k.LaneDown, k.Statement, k.Copy, k.Clear,
		}},
		{Title: "events", Keys: []key.Binding{k.Filter, k.NextEvent, k.PrevEvent}},
		{Title: "marks", Keys: legend()},
	}
}
