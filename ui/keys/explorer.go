package keys

import "charm.land/bubbles/v2/key"

// Explorer keys work on the explorer's matrix of handlers and faults; Open and
// Scheduler also on the simulator's screen, to come here.
type Explorer struct {
	Open      key.Binding
	Scheduler key.Binding
	Back      key.Binding

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
}

// Schedule keys work on a schedule of the explorer.
type Schedule struct {
	Pick    key.Binding
	Prev    key.Binding
	Next    key.Binding
	Take    key.Binding
	Undo    key.Binding
	Begin   key.Binding
	End     key.Binding
	Play    key.Binding
	Own     key.Binding
	Nearest key.Binding
	Other   key.Binding
	OtherUp key.Binding
	Copy    key.Binding
	Back    key.Binding
}

func defaultExplorer() Explorer {
	return Explorer{
		Open:      bind("explore every order", "e", "e"),
		Scheduler: bind("you are the scheduler", "s", "s"),
		Back:      bind("back", "esc", "esc"),

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
	}
}

func defaultSchedule() Schedule {
	return Schedule{
		Pick:    bind("take this step", "1-9", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
		Prev:    bind("mark the choice above", "↑", "up", "k"),
		Next:    bind("mark the choice below", "↓", "down", "j"),
		Take:    bind("take the marked step", "→", "right", "l", "enter"),
		Undo:    bind("back one step", "←", "left", "h", "backspace"),
		Begin:   bind("the beginning", "home", "home", "0"),
		End:     bind("the end", "end", "end", "$"),
		Play:    bind("play", "space", "space"),
		Own:     bind("choose from here on", "s", "s"),
		Nearest: bind("the shortest way to break it", "n", "n"),
		Other:   bind("another schedule", "tab", "tab"),
		OtherUp: bind("the schedule before", "⇧tab", "shift+tab"),
		Copy:    bind("copy its token", "y", "y"),
		Back:    bind("back", "esc", "esc"),
	}
}
