package keys

import "charm.land/bubbles/v2/key"

// Start keys work on the start page.
type Start struct {
	Up     key.Binding
	Down   key.Binding
	Choose key.Binding
}

func defaultStart() Start {
	return Start{
		Up:     bind("up", "↑", "up", "k", "shift+tab"),
		Down:   bind("down", "↓", "down", "j", "tab"),
		Choose: bind("open", "enter", "enter", "space"),
	}
}
