// Package keys holds the one key map of the program. Footers, the help overlay
// and the README's table are all made from it, so none of them can drift.
package keys

import "charm.land/bubbles/v2/key"

// Map is every key of every screen, grouped by where it works.
type Map struct {
	Global   Global
	Dialog   Dialog
	Start    Start
	Player   Player
	Lesson   Lesson
	Triage   Triage
	Explorer Explorer
	Schedule Schedule
}

// Global keys work on every screen, unless a dialog or a text field is open.
type Global struct {
	Help    key.Binding
	Quit    key.Binding
	Suspend key.Binding
}

// Dialog keys work while a dialog is open.
type Dialog struct {
	Next    key.Binding
	Prev    key.Binding
	Choose  key.Binding
	Confirm key.Binding
	Cancel  key.Binding
}

// Default is the key map that the program starts with.
func Default() Map {
	return Map{
		Global: Global{
			Help:    bind("help", "?", "?"),
			Quit:    bind("quit", "q", "q"),
			Suspend: bind("suspend", "ctrl+z", "ctrl+z"),
		},
		Dialog: Dialog{
			Next:    bind("next choice", "tab", "tab", "right", "l", "down", "j"),
			Prev:    bind("previous choice", "shift+tab", "shift+tab", "left", "h", "up", "k"),
			Choose:  bind("take the choice", "enter", "enter"),
			Confirm: bind("yes", "y", "y"),
			Cancel:  bind("no, close", "esc", "esc", "n"),
		},
		Start:    defaultStart(),
		Player:   defaultPlayer(),
		Lesson:   defaultLesson(),
		Triage:   defaultTriage(),
		Explorer: defaultExplorer(),
		Schedule: defaultSchedule(),
	}
}

// bind makes a binding: what it does, how its key is shown, and every key that
// triggers it (arrows and their vim aliases).
func bind(does, shown string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, does))
}
