package keys

import "charm.land/bubbles/v2/key"

// Lesson keys work in a lesson, beside those of the player that move the
// cursor.
type Lesson struct {
	Next    key.Binding
	Prev    key.Binding
	Pick    key.Binding
	Menu    key.Binding
	Results key.Binding
	Change  key.Binding
	Reset   key.Binding
	All     key.Binding
	Back    key.Binding
	Return  key.Binding

	Choice    key.Binding
	MarkLeft  key.Binding
	MarkRight key.Binding
	Answer    key.Binding

	Up   key.Binding
	Down key.Binding
	Less key.Binding
	More key.Binding
}

func defaultLesson() Lesson {
	return Lesson{
		Next:    bind("next page", "n ↓", "n", "down", "enter", "pgdown"),
		Prev:    bind("page before", "p ↑", "p", "up", "pgup"),
		Pick:    bind("go to a lesson", "1-7", "1", "2", "3", "4", "5", "6", "7"),
		Menu:    bind("lessons", "L", "L"),
		Results: bind("results at full size", "t", "t"),
		Change:  bind("change the run", "a", "a"),
		Reset:   bind("put it back as it was", "r", "r"),
		All:     bind("all handlers, many payments", "w", "w"),
		Back:    bind("back", "esc", "esc"),
		Return:  bind("back to the lesson", "n", "n"),

		Choice:    bind("answer", "1 2 3", "1", "2", "3", "4", "5"),
		MarkLeft:  bind("mark the answer before", "←", "left", "h"),
		MarkRight: bind("mark the answer after", "→", "right", "l"),
		Answer:    bind("give the marked answer", "enter", "enter", "down"),

		Up:   bind("parameter above", "↑", "up", "k"),
		Down: bind("parameter below", "↓", "down", "j"),
		Less: bind("less", "←", "left", "h", "-"),
		More: bind("more", "→", "right", "l", "+", "="),
	}
}
