package ui

import (
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/sim/explore"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/lesson"
	"idemtui/ui/player"
	"idemtui/ui/theme"
)

// RunSim shows the player on a run until the user quits.
func RunSim(ctx context.Context, term Terminal, config player.Config) error {
	keyMap, dialogs := keys.Default(), &frame.Dialogs{}
	return Run(ctx, term, WithExplorer(ctx, NewCourse(ctx, nil, config, keyMap, dialogs), keyMap, dialogs), dialogs, keyMap)
}

// RunLesson shows the lessons until the user quits.
func RunLesson(ctx context.Context, term Terminal, config lesson.Config) error {
	keyMap, dialogs := keys.Default(), &frame.Dialogs{}
	return Run(ctx, term, WithExplorer(ctx, NewCourse(ctx, &config, player.Config{}, keyMap, dialogs), keyMap, dialogs), dialogs, keyMap)
}

// course is the screen of 'idemtui sim': the lessons, and the player for whoever
// wants to see all handlers on any workload. Each is one key away from the other.
type course struct {
	ctx     context.Context
	keys    keys.Map
	dialogs *frame.Dialogs
	styles  theme.Styles
	seed    uint64
	lesson  *lesson.Screen // nil until a lesson is opened
	player  *player.Player // nil until it is opened
	inside  bool           // a lesson is in front
}

// NewCourse makes the screen: with a lesson in front, or without one the
// player.
func NewCourse(ctx context.Context, first *lesson.Config, config player.Config, keyMap keys.Map, dialogs *frame.Dialogs) Explorable {
	c := &course{ctx: ctx, keys: keyMap, dialogs: dialogs, seed: config.Scenario.Seed}
	if first != nil {
		c.lesson, c.inside, c.seed = lesson.New(ctx, *first, keyMap, dialogs), true, first.Seed
	} else {
		c.player = player.New(config, keyMap, dialogs)
	}
	c.SetStyles(theme.New(true))
	return c
}

// front is the screen that is looked at.
func (c *course) front() Explorable {
	if c.inside {
		return c.lesson
	}
	return c.player
}

// Init starts the screen in front.
func (c *course) Init() tea.Cmd { return c.front().Init() }

// Update gives a message to the screen in front, and what is about a lesson to
// the lessons.
func (c *course) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case lesson.LeftMsg:
		return c.play(msg)
	case lesson.ChosenMsg:
		return c.open(msg)
	case tea.KeyPressMsg:
		k := c.keys.Lesson
		switch {
		case c.inside || c.player.Typing():
		case key.Matches(msg, k.Menu):
			return c.dialogs.Push(lesson.NewMenu(0, c.keys))
		case key.Matches(msg, k.Return) && c.lesson != nil:
			return c.returned()
		}
		return c.front().Update(msg)
	}
	if !c.inside && c.lesson != nil && lesson.Owns(msg) {
		return c.lesson.Update(msg)
	}
	return c.front().Update(msg)
}

// play puts the player in front, on the lesson's workload.
func (c *course) play(msg lesson.LeftMsg) tea.Cmd {
	c.lesson.Pause()
	c.player = player.New(player.Config{Scenario: msg.Workload, Many: msg.Scene == nil, Scene: msg.Scene, At: msg.At, Token: msg.Token, Lesson: msg.Title}, c.keys, c.dialogs)
	c.player.SetStyles(c.styles)
	c.inside = false
	return tea.Batch(c.player.Init(), c.player.Compare(msg.Compare...))
}

// returned puts the lesson in front again, where it was left.
func (c *course) returned() tea.Cmd {
	c.player.Update(tea.BlurMsg{})
	c.inside = true
	return nil
}

// open puts a lesson in front.
func (c *course) open(msg lesson.ChosenMsg) tea.Cmd {
	if !c.inside {
		c.player.Update(tea.BlurMsg{})
	}
	c.inside = true
	if c.lesson == nil {
		c.lesson = lesson.New(c.ctx, lesson.Config{Lesson: msg.Lesson, Seed: c.seed}, c.keys, c.dialogs)
		c.lesson.SetStyles(c.styles)
		return c.lesson.Init()
	}
	return c.lesson.Update(msg)
}

// View draws the screen in front.
func (c *course) View(w, h int) string { return c.front().View(w, h) }

// ShortHelp lists the keys for the footer.
func (c *course) ShortHelp() []key.Binding {
	short := c.front().ShortHelp()
	if c.inside || c.front().Typing() {
		return short
	}
	k := c.keys.Lesson
	way := k.Menu
	way.SetHelp(way.Help().Key, "lesson")
	if c.lesson != nil {
		way = k.Return
		way.SetHelp(way.Help().Key, "lesson")
	}
	const after = 4 // what a run is played and compared with
	at := min(after, len(short))
	return append(append(append([]key.Binding(nil), short[:at]...), way), short[at:]...)
}

// FullHelp lists the keys for the help overlay.
func (c *course) FullHelp() []frame.KeyGroup {
	groups := c.front().FullHelp()
	if c.inside {
		return groups
	}
	k := c.keys.Lesson
	return append([]frame.KeyGroup{{Title: "lessons", Keys: []key.Binding{k.Menu, k.Return}}}, groups...)
}

// Explores is what there is to explore of the screen in front.
func (c *course) Explores() explore.Config { return c.front().Explores() }

// Title is the window title.
func (c *course) Title() string { return c.front().Title() }

// Typing reports that a text field has the keyboard.
func (c *course) Typing() bool { return c.front().Typing() }

// SetStyles gives both screens the theme.
func (c *course) SetStyles(styles theme.Styles) {
	c.styles = styles
	if c.lesson != nil {
		c.lesson.SetStyles(styles)
	}
	if c.player != nil {
		c.player.SetStyles(styles)
	}
}
