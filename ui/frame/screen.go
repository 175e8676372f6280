// Package frame is what every screen stands in: the contract between the root
// model and a screen, the stack of dialogs, the footer, the help overlay, and
// the rule that a frame is exactly as large as the terminal.
package frame

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/ui/theme"
)

// MinWidth and MinHeight are the smallest terminal that shows a full screen.
const (
	MinWidth  = 60
	MinHeight = 15
)

// Screen is one full screen of the program. It is a plain struct with methods:
// it changes itself in Update and has no side effect in View.
type Screen interface {
	// Init starts the screen's first command.
	Init() tea.Cmd
	// Update takes every message that no dialog and no global key took,
	// tea.WindowSizeMsg included.
	Update(tea.Msg) tea.Cmd
	// View draws the screen, header included and footer not, for at most w
	// by h cells. The root adds the footer from ShortHelp.
	View(w, h int) string
	// ShortHelp lists the keys for the footer, the most useful first.
	ShortHelp() []key.Binding
	// FullHelp lists the groups of keys for the help overlay.
	FullHelp() []KeyGroup
	// Title is the window title.
	Title() string
	// Typing reports that a text field has the keyboard: no global key works
	// then but ctrl+c.
	Typing() bool
	// SetStyles gives the screen the theme, again when it changes.
	SetStyles(theme.Styles)
}

// KeyGroup is a headed group of keys in the help overlay.
type KeyGroup struct {
	Title string
	Keys  []key.Binding
}

// Closer is a screen that holds something to give back (a connection): it is
// told when the program ends.
type Closer interface{ Close() }
