package keys

import "charm.land/bubbles/v2/key"

// Explorer keys work on the explorer's screen; Open and Schedule also on the
// simulator's, to come here.
type Explorer struct {
	Open     key.Binding
	Schedule key.Binding
	Back     key.Binding

	// The matrix of handlers and faults.
	Up         key.Binding
	Down       key.Binding
	Left       key.Binding
	Right      key.Binding
	First      key.Binding
	Last       key.Binding
	Choose     key.Binding
	Deliveries key.Binding
	Budgets    key.Binding
	Again      key.Binding

	// A schedule on the timeline.
	Undo     key.Binding
	Take     key.Binding
	NextStep key.Binding
	PrevStep key.Binding
	Pick     key.Binding
	Begin    key.Binding
	End      key.Binding
	Play     key.Binding
	Other    key.Binding
	OtherUp  key.Binding
	Nearest  key.Binding
	Copy     key.Binding
}

func defaultExplorer() Explorer {
	return Explorer{
		Open:     bind("explore every order", "e", "e"),
		Schedule: bind("you are the scheduler", "s", "s"),
		Back:     bind("back", "esc", "esc"),

		Up:         bind("handler above", "↑", "up", "k"),
		Down:       bind("handler below", "↓", "down", "j"),
		Left:       bind("fault to the left", "←", "left", "h"),
		Right:      bind("fault to the right", "→", "right", "l"),
		First:      bind("first handler", "home", "home", "g"),
		Last:       bind("last handler", "end", "end", "G"),
		Choose:     bind("see it on the timeline", "enter", "enter"),
		Deliveries: bind("deliveries", "1-4", "1", "2", "3", "4"),
		Budgets:    bind("faults of your own", "b", "b"),
		Again:      bind("search again", "r", "r"),

		Undo:     bind("back one step", "←", "left", "h", "backspace"),
		Take:     bind("take the marked step", "→", "right", "l", "enter"),
		NextStep: bind("mark the next choice", "↓", "down", "j"),
		PrevStep: bind("mark the choice above", "↑", "up", "k"),
		Pick:     bind("take this step", "1-9", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
		Begin:    bind("the beginning", "home", "home", "0"),
		End:      bind("the end", "end", "end", "$"),
		Play:     bind("play", "space", "space"),
		Other:    bind("another schedule", "tab", "tab"),
		OtherUp:  bind("the schedule before", "⇧tab", "shift+tab"),
		Nearest:  bind("the shortest way to break it", "n", "n"),
		Copy:     bind("copy its token", "y", "y"),
	}
}
