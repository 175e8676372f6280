package keys

import "charm.land/bubbles/v2/key"

// Player keys work on the simulator's screen.
type Player struct {
	Play     key.Binding
	Back     key.Binding
	Step     key.Binding
	PrevSeen key.Binding
	NextSeen key.Binding
	NextBad  key.Binding
	PrevBad  key.Binding
	GoTo     key.Binding
	First    key.Binding
	Last     key.Binding

	Faster key.Binding
	Slower key.Binding

	NextHandler key.Binding
	PrevHandler key.Binding
	Workload    key.Binding
}

func defaultPlayer() Player {
	return Player{
		Play:     bind("play", "space", "space"),
		Back:     bind("step back", "←", "left", "h"),
		Step:     bind("step", "→", "right", "l"),
		PrevSeen: bind("previous visible change", "⇧←", "shift+left", "H"),
		NextSeen: bind("next visible change", "⇧→", "shift+right", "L"),
		NextBad:  bind("next violation", "v", "v"),
		PrevBad:  bind("previous violation", "V", "V"),
		GoTo:     bind("go to a time", "g", "g"),
		First:    bind("beginning", "home", "home", "0"),
		Last:     bind("end", "end", "end", "$"),

		Faster: bind("faster", "+", "+", "="),
		Slower: bind("slower", "-", "-"),

		NextHandler: bind("next handler", "tab", "tab"),
		PrevHandler: bind("previous handler", "⇧tab", "shift+tab"),
		Workload:    bind("one payment or many", "w", "w"),
	}
}
