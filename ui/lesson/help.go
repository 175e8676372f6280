package lesson

import (
	"charm.land/bubbles/v2/key"

	"idemtui/ui/frame"
)

// ShortHelp lists the keys for the footer.
func (s *Screen) ShortHelp() []key.Binding {
	k, p := s.keys.Lesson, s.keys.Player
	named := func(b key.Binding, does string) key.Binding {
		b.SetHelp(b.Help().Key, does)
		return b
	}
	joined := func(keys, does string, all ...key.Binding) key.Binding {
		var names []string
		for _, b := range all {
			names = append(names, b.Keys()...)
		}
		return key.NewBinding(key.WithKeys(names...), key.WithHelp(keys, does))
	}
	if s.Typing() {
		return s.player.ShortHelp()
	}
	turn := joined("n p", "page", k.Next, k.Prev)
	if s.panel.Open {
		return []key.Binding{
			joined("↑↓", "choose", k.Up, k.Down), joined("←→", "less, more", k.Less, k.More), named(k.Reset, "put it back"), named(k.Back, "close"),
		}
	}
	switch s.place.kind {
	case asking:
		return []key.Binding{turn, k.Menu}
	case results:
		return []key.Binding{turn, named(k.Change, "change"), named(k.Back, "back"), named(k.All, "play with it"), k.Menu}
	case closing:
		return []key.Binding{turn, named(k.All, "play with it"), k.Menu}
	}
	play := p.Play
	if s.playing() {
		play = named(play, "pause")
	}
	steps := joined("←→", "step", p.Back, p.Step)
	scheduler, menu := named(s.keys.Explorer.Scheduler, "schedule"), named(k.Menu, "list")
	if s.sequence() != nil {
		return []key.Binding{turn, named(k.Results, "results"), menu, play, steps}
	}
	if s.player.Stands() && !s.player.Statement() {
		return []key.Binding{
			turn, named(p.Clear, "show all"), joined("z Z", "zoom", p.Closer, p.Farther), joined("j k", "events", p.NextEvent, p.PrevEvent),
			named(p.Follow, "follow"), named(p.Filter, "filter"), named(p.Statement, "SQL"), play, steps,
		}
	}
	// The line under the page's text has the keys of the run already.
	return []key.Binding{turn, named(k.Change, "change"), named(k.Results, "results"), menu, scheduler, named(p.NextHandler, "handler"), named(p.Compare, "compare"), named(p.Statement, "SQL"), play, steps}
}

// FullHelp lists the keys for the help overlay, and what the marks of the
// timeline mean.
func (s *Screen) FullHelp() []frame.KeyGroup {
	k, p := s.keys.Lesson, s.keys.Player
	groups := []frame.KeyGroup{
		{Title: "lesson", Keys: []key.Binding{k.Next, k.Prev, k.Pick, k.Menu, k.Results, k.Change, k.Reset, p.NextHandler, p.Compare, k.All}},
		{Title: "time", Keys: []key.Binding{p.Play, p.Step, p.Back, p.NextSeen, p.PrevSeen, p.NextBad, p.PrevBad, p.GoTo, p.First, p.Last, p.Faster, p.Slower}},
		{Title: "what is shown", Keys: append(s.player.Glances(), p.Copy)},
	}
	for _, group := range s.player.FullHelp() {
		if group.Title == "marks" {
			groups = append(groups, group)
		}
	}
	return groups
}
