package keys

import "charm.land/bubbles/v2/key"

// Triage keys work on the inspector's screen. No key of them writes: Release
// and Undo open a dialog.
type Triage struct {
	Up       key.Binding
	Down     key.Binding
	PageUp   key.Binding
	PageDown key.Binding
	First    key.Binding
	Last     key.Binding
	Left     key.Binding
	Right    key.Binding

	Open      key.Binding
	Back      key.Binding
	Stuck     key.Binding
	Claims    key.Binding
	Retention key.Binding
	Health    key.Binding
	Database  key.Binding
	Tables    key.Binding
	NextTab   key.Binding

	Group    key.Binding
	Fold     key.Binding
	Incident key.Binding
	Lookup   key.Binding
	Explain  key.Binding
	Played   key.Binding

	Filter  key.Binding
	Sort    key.Binding
	Unsort  key.Binding
	Mark    key.Binding
	MarkAll key.Binding

	Pause   key.Binding
	Slower  key.Binding
	Faster  key.Binding
	Refresh key.Binding

	Copy    key.Binding
	CopyRow key.Binding
	Plain   key.Binding
	Export  key.Binding

	Release  key.Binding
	Owner    key.Binding
	Dead     key.Binding
	Settle   key.Binding
	Follow   key.Binding
	Override key.Binding
	Undo     key.Binding
	Outcome  key.Binding
	Disarm   key.Binding

	// ReadOn and ReadBack scroll a dialog, also while one types in it.
	ReadOn   key.Binding
	ReadBack key.Binding
}

func defaultTriage() Triage {
	return Triage{
		Up:       bind("up", "↑", "up", "k"),
		Down:     bind("down", "↓", "down", "j"),
		PageUp:   bind("page up", "pgup", "pgup", "ctrl+u"),
		PageDown: bind("page down", "pgdn", "pgdown", "ctrl+d"),
		First:    bind("first", "g", "home", "g"),
		Last:     bind("last", "G", "end", "G"),
		Left:     bind("long values back", "←", "left", "h"),
		Right:    bind("long values on", "→", "right", "l"),

		Open:      bind("detail", "enter", "enter"),
		Back:      bind("back", "esc", "esc"),
		Stuck:     bind("stuck claims", "1", "1"),
		Claims:    bind("all claims", "2", "2"),
		Retention: bind("retention", "3", "3"),
		Health:    bind("health", "4", "4"),
		Database:  bind("next database", "d", "d"),
		Tables:    bind("choose a table", "t", "t"),
		NextTab:   bind("next tab", "tab", "tab", "shift+tab"),

		Group:    bind("group, cycles", "v", "v"),
		Fold:     bind("fold old claims", "z", "z"),
		Incident: bind("the incident", "i", "i"),
		Lookup:   bind("look keys up", "o", "o"),
		Explain:  bind("why: play it", "w", "w"),
		Played:   bind("back to the claim", "b", "b"),

		Filter:  bind("filter, ! inverts", "/", "/"),
		Sort:    bind("sort, again flips", "s", "s"),
		Unsort:  bind("sort back", "S", "S"),
		Mark:    bind("mark", "m", "m"),
		MarkAll: bind("mark all, or none", "M", "M"),

		Pause:   bind("pause refresh", "space", "space"),
		Slower:  bind("less often", "+", "+", "="),
		Faster:  bind("more often", "-", "-"),
		Refresh: bind("refresh now", "R", "R"),

		Copy:    bind("copy key", "y", "y"),
		CopyRow: bind("copy as JSON", "Y", "Y"),
		Plain:   bind("plain, uncut", "p", "p"),
		Export:  bind("export", "e", "e"),

		Release:  bind("release", "r", "r"),
		Owner:    bind("release its owner's", "W", "W"),
		Dead:     bind("release likely dead", "D", "D"),
		Settle:   bind("settle: charged?", "c", "c"),
		Follow:   bind("what became of it", "f", "f"),
		Override: bind("override the lease", "o", "o"),
		Undo:     bind("undo a release", "U", "U"),
		Outcome:  bind("last outcome", "O", "O"),
		Disarm:   bind("back to read-only", "A", "A"),

		ReadOn:   bind("read on", "pgdn", "pgdown"),
		ReadBack: bind("read back", "pgup", "pgup"),
	}
}
