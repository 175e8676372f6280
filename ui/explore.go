package ui

import (
	"context"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim"
	"idemtui/sim/explore"
	"idemtui/ui/explorer"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/player"
	"idemtui/ui/theme"
)

// Explorable is a screen that can say what there is to explore of it: handler,
// deliveries and faults.
type Explorable interface {
	frame.Screen
	Explores() explore.Config
}

// simulator is a screen of 'idemtui sim' with the explorer, which is in front of
// it while it is open.
type simulator struct {
	ctx      context.Context
	keys     keys.Map
	dialogs  *frame.Dialogs
	styles   theme.Styles
	behind   Explorable
	explorer *explorer.Explorer // nil until it is first opened
	open     bool               // the explorer is in front
}

var (
	_ frame.Screen = (*simulator)(nil)
	_ frame.Closer = (*simulator)(nil)
)

// WithExplorer gives a screen the explorer: its keys open it on what the screen
// shows.
func WithExplorer(ctx context.Context, screen Explorable, keyMap keys.Map, dialogs *frame.Dialogs) frame.Screen {
	s := &simulator{ctx: ctx, keys: keyMap, dialogs: dialogs, behind: screen}
	s.SetStyles(theme.New(true))
	return s
}

// NewSimulator makes the player with the explorer. With a path the explorer is
// in front from the start, with that schedule on its timeline.
func NewSimulator(ctx context.Context, config player.Config, path *explore.Path, keyMap keys.Map, dialogs *frame.Dialogs) frame.Screen {
	s := &simulator{ctx: ctx, keys: keyMap, dialogs: dialogs, behind: player.New(config, keyMap, dialogs)}
	if path != nil {
		s.explorer = explorer.New(ctx, explorer.Config{Path: path}, keyMap, dialogs)
		s.open = true
	}
	s.SetStyles(theme.New(true))
	return s
}

// RunSchedule shows a schedule of the explorer until the user quits.
func RunSchedule(ctx context.Context, term Terminal, path *explore.Path) error {
	keyMap, dialogs := keys.Default(), &frame.Dialogs{}
	scenario := sim.DefaultScenario()
	scenario.Handler = path.Handler.ID
	return Run(ctx, term, NewSimulator(ctx, player.Config{Scenario: scenario}, path, keyMap, dialogs), dialogs, keyMap)
}

// front is the screen that has the keyboard.
func (s *simulator) front() frame.Screen {
	if s.open {
		return s.explorer
	}
	return s.behind
}

// Init starts the screen, and the explorer where it is open.
func (s *simulator) Init() tea.Cmd {
	if s.open {
		return tea.Batch(s.behind.Init(), s.explorer.Init())
	}
	return s.behind.Init()
}

// Update gives keys to the screen in front, and every other message to both:
// each knows its own.
func (s *simulator) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case explorer.ClosedMsg:
		s.open = false
		return s.behind.Update(tea.FocusMsg{})
	case tea.KeyPressMsg:
		k := s.keys.Explorer
		switch {
		case s.open:
			return s.explorer.Update(msg)
		case s.behind.Typing():
		case key.Matches(msg, k.Open):
			return s.explore(false)
		case key.Matches(msg, k.Scheduler):
			return s.explore(true)
		}
		return s.behind.Update(msg)
	case tea.FocusMsg:
		if s.open {
			return nil // a clock stands while it is behind the explorer
		}
	}
	cmd := s.behind.Update(msg)
	if s.explorer != nil {
		cmd = tea.Batch(cmd, s.explorer.Update(msg))
	}
	return cmd
}

// explore opens the explorer on what the screen shows. The screen's clock stands
// until it comes back.
func (s *simulator) explore(scheduler bool) tea.Cmd {
	shown := s.behind.Explores()
	config := explorer.Config{Handler: shown.Handler.ID, Deliveries: shown.Deliveries, Budgets: shown.Budgets, Scheduler: scheduler}
	s.open = true
	away := s.behind.Update(tea.BlurMsg{})
	if s.explorer != nil {
		return tea.Batch(away, s.explorer.Enter(config))
	}
	s.explorer = explorer.New(s.ctx, config, s.keys, s.dialogs)
	s.explorer.SetStyles(s.styles)
	return tea.Batch(away, s.explorer.Init())
}

// View draws the screen in front.
func (s *simulator) View(w, h int) string { return s.front().View(w, h) }

// ShortHelp lists the keys for the footer.
func (s *simulator) ShortHelp() []key.Binding {
	short := s.front().ShortHelp()
	if s.open || s.behind.Typing() {
		return short
	}
	open := s.keys.Explorer.Open
	open.SetHelp(open.Help().Key, "explore")
	const after = 3 // behind the keys that everybody needs first
	at := min(after, len(short))
	for i := at + 1; i < len(short); i++ { // and behind the way to the lessons and the key after it, where they come later
		if b, l := short[i].Keys(), s.keys.Lesson; slices.Equal(b, l.Menu.Keys()) || slices.Equal(b, l.Return.Keys()) {
			at = min(i+2, len(short))
		}
	}
	return append(append(append([]key.Binding(nil), short[:at]...), open), short[at:]...)
}

// FullHelp lists the keys for the help overlay.
func (s *simulator) FullHelp() []frame.KeyGroup {
	groups := s.front().FullHelp()
	if s.open {
		return groups
	}
	k := s.keys.Explorer
	return append([]frame.KeyGroup{{Title: "explorer", Keys: []key.Binding{k.Open, k.Scheduler}}}, groups...)
}

// Title is the window title.
func (s *simulator) Title() string { return s.front().Title() }

// Typing reports that a text field has the keyboard.
func (s *simulator) Typing() bool { return s.front().Typing() }

// SetStyles gives both screens the theme.
func (s *simulator) SetStyles(styles theme.Styles) {
	s.styles = styles
	s.behind.SetStyles(styles)
	if s.explorer != nil {
		s.explorer.SetStyles(styles)
	}
}

// Close ends the explorer's searches, and what the screen holds.
func (s *simulator) Close() {
	if closer, ok := s.behind.(frame.Closer); ok {
		closer.Close()
	}
	if s.explorer != nil {
		s.explorer.Close()
	}
}
