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
	Tenth    key.Binding
	NextPage key.Binding
	PrevPage key.Binding

	Faster  key.Binding
	Slower  key.Binding
	Closer  key.Binding
	Farther key.Binding
	Earlier key.Binding
	Later   key.Binding

	NextHandler key.Binding
	PrevHandler key.Binding
	Workload    key.Binding
	Compare     key.Binding
	Change      key.Binding
	Reset       key.Binding

	Follow    key.Binding
	FollowID  key.Binding
	LaneUp    key.Binding
	LaneDown  key.Binding
	Filter    key.Binding
	NextEvent key.Binding
	PrevEvent key.Binding
	Statement key.Binding
	Copy      key.Binding
	Clear     key.Binding
}

func defaultPlayer() Player {
	return Player{
		Play:     bind("play", "space", "space"),
		Back:     bind("step back", "←", "left", "h"),
		Step:     bind("step", "→", "right", "l"),
		PrevSeen: bind("previous visible change", "⇧←", "shift+left"),
		NextSeen: bind("next visible change", "⇧→", "shift+right"),
		NextBad:  bind("next violation", "v", "v"),
		PrevBad:  bind("previous violation", "V", "V"),
		GoTo:     bind("go to a time", "g", "g"),
		First:    bind("beginning", "home", "home", "0"),
		Last:     bind("end", "end", "end", "$"),
		Tenth:    bind("to a tenth of the run", "1-9", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
		NextPage: bind("a page on", "pgdn", "pgdown"),
		PrevPage: bind("a page back", "pgup", "pgup"),

		Faster:  bind("faster", "+", "+", "="),
		Slower:  bind("slower", "-", "-"),
		Closer:  bind("closer", "z", "z"),
		Farther: bind("from farther away", "Z", "Z"),
		Earlier: bind("look back", "[", "["),
		Later:   bind("and forward again", "]", "]"),

		NextHandler: bind("next handler", "tab", "tab"),
		PrevHandler: bind("previous handler", "⇧tab", "shift+tab"),
		Workload:    bind("one payment or many", "w", "w"),
		Compare:     bind("compare handlers", "c", "c"),
		Change:      bind("change the run", "a", "a"),
		Reset:       bind("put it back as it was", "r", "r"),

		Follow:    bind("follow this payment", "f", "f"),
		FollowID:  bind("follow a payment by name", "F", "F"),
		LaneUp:    bind("pick the lane above", "↑", "up"),
		LaneDown:  bind("pick the lane below", "↓", "down"),
		Filter:    bind("filter the events", "/", "/"),
		NextEvent: bind("next event of the list", "j", "j"),
		PrevEvent: bind("previous event of the list", "k", "k"),
		Statement: bind("the step's real SQL", "S", "S", "i"),
		Copy:      bind("copy the run's token", "y", "y"),
		Clear:     bind("close, clear", "esc", "esc"),
	}
}
