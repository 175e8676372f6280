// Package ui is the Bubble Tea program. The root model owns the terminal's
// state, the theme and the stack of dialogs, and hosts one screen; what a
// screen shows is that screen's business.
package ui

import (
	"context"
	"errors"
	"fmt"
	"io"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/text"
	"idemtui/ui/theme"
)

// ErrInterrupted is what [Run] returns when ctrl+c or a signal ended the
// program; the command line turns it into exit code 130.
var ErrInterrupted = errors.New("interrupted")

// Terminal is what the program runs on: both streams must be terminals.
type Terminal struct {
	In  io.Reader
	Out io.Writer
	Env []string
	// Theme is dark or light where the user pinned it; anything else asks the
	// terminal, and takes dark for a terminal that does not answer.
	Theme string
}

// App is the root model.
type App struct {
	screen  frame.Screen
	dialogs *frame.Dialogs
	keys    keys.Map
	styles  theme.Styles
	width   int
	height  int
	help    bool
	page    int  // of the help, from 0
	pinned  bool // the theme was chosen; the terminal's answer does not count
}

// NewApp makes the root model around a screen. The screen must share the
// stack of dialogs.
func NewApp(screen frame.Screen, dialogs *frame.Dialogs, keyMap keys.Map) *App {
	app := &App{screen: screen, dialogs: dialogs, keys: keyMap}
	app.setStyles(theme.New(true))
	return app
}

// Init asks for the background colour and starts the screen.
func (a *App) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, a.screen.Init())
}

// Update asks the terminal's own messages first, then the topmost dialog, then
// the global keys, then the screen.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.width, a.height = msg.Width, msg.Height
		_, cmd := a.dialogs.Update(msg)
		return a, tea.Batch(cmd, a.screen.Update(msg))
	case tea.BackgroundColorMsg:
		if !a.pinned {
			a.setStyles(theme.New(msg.IsDark()))
		}
		return a, nil
	case tea.KeyPressMsg:
		if msg.String() == "ctrl+c" {
			return a, tea.Interrupt
		}
		return a, a.pressed(msg)
	}
	taken, cmd := a.dialogs.Update(msg)
	if taken {
		return a, cmd
	}
	return a, tea.Batch(cmd, a.screen.Update(msg))
}

func (a *App) pressed(msg tea.KeyPressMsg) tea.Cmd {
	if a.help {
		return a.pressedInHelp(msg)
	}
	if taken, cmd := a.dialogs.Update(msg); taken {
		return cmd
	}
	if !a.screen.Typing() {
		switch {
		case key.Matches(msg, a.keys.Global.Help):
			a.help, a.page = true, 0
			return nil
		case key.Matches(msg, a.keys.Global.Quit):
			return tea.Quit
		case key.Matches(msg, a.keys.Global.Suspend):
			return tea.Suspend
		}
	}
	return a.screen.Update(msg)
}

// pressedInHelp turns the pages of the help where it has several; any other key
// closes it, as the help key does after the last page.
func (a *App) pressedInHelp(msg tea.KeyPressMsg) tea.Cmd {
	_, pages := a.helpBox()
	a.page = min(a.page, pages-1)
	d, p := a.keys.Dialog, a.keys.Player
	switch {
	case key.Matches(msg, a.keys.Global.Quit):
		return tea.Quit
	case pages > 1 && key.Matches(msg, d.Prev, p.PrevPage):
		a.page = max(a.page-1, 0)
	case pages > 1 && key.Matches(msg, d.Next, p.NextPage):
		a.page = min(a.page+1, pages-1)
	case key.Matches(msg, a.keys.Global.Help) && a.page+1 < pages:
		a.page++
	default:
		a.help = false
	}
	return nil
}

// helpBox draws the help's page, and says how many there are.
func (a *App) helpBox() (box string, pages int) {
	return frame.HelpBox(a.helpGroups(), a.page, a.width-2, a.height-3, a.styles)
}

// View draws the screen, its footer, and over them the help or the topmost
// dialog. All terminal state is declared here and nowhere else.
func (a *App) View() tea.View {
	view := tea.NewView(a.content())
	view.AltScreen = true
	view.WindowTitle = a.screen.Title()
	view.ReportFocus = true
	return view
}

func (a *App) content() string {
	w, h := a.width, a.height
	if w <= 0 || h <= 0 {
		return ""
	}
	if w < frame.MinWidth || h < frame.MinHeight {
		return frame.TooSmall(w, h)
	}
	body := frame.Fit(a.screen.View(w, h-1), w, h-1)
	short := a.screen.ShortHelp()
	switch top := a.dialogs.Top(); {
	case a.help:
		box, _ := a.helpBox()
		body = frame.Overlay(body, box, w, h-1)
	case top != nil:
		short = top.ShortHelp()
		if a.dialogs.Waiting() {
			short = []key.Binding{notYet}
		}
		body = frame.Overlay(body, top.View(w-2, h-2, a.styles), w, h-1)
	}
	always := []key.Binding{a.keys.Global.Help, a.keys.Global.Quit}
	if a.screen.Typing() || a.dialogs.Open() {
		always = nil
	}
	return body + "\n" + frame.Footer(short, always, w, a.styles)
}

// notYet stands in the footer while a dialog is in its grace period.
var notYet = key.NewBinding(key.WithKeys(text.Ellipsis), key.WithHelp(text.Ellipsis, "not yet: keys still on their way are dropped"))

func (a *App) helpGroups() []frame.KeyGroup {
	g := a.keys.Global
	return append(a.screen.FullHelp(), frame.KeyGroup{Title: "everywhere", Keys: []key.Binding{g.Help, g.Quit, g.Suspend}})
}

// pin keeps to the theme that the user chose.
func (a *App) pin(name string) {
	if name == "dark" || name == "light" {
		a.pinned = true
		a.setStyles(theme.New(name == "dark"))
	}
}

func (a *App) setStyles(s theme.Styles) {
	a.styles = s
	a.screen.SetStyles(s)
}

// Run shows the screen until the user quits or ctx is cancelled, and gives
// back what the screen holds. The terminal is restored in every case, panics
// included.
func Run(ctx context.Context, term Terminal, screen frame.Screen, dialogs *frame.Dialogs, keyMap keys.Map) error {
	if closer, ok := screen.(frame.Closer); ok {
		defer closer.Close()
	}
	app := NewApp(screen, dialogs, keyMap)
	app.pin(term.Theme)
	program := tea.NewProgram(app,
		tea.WithContext(ctx), tea.WithInput(term.In), tea.WithOutput(term.Out), tea.WithEnvironment(term.Env),
		tea.WithoutSignalHandler())
	_, err := program.Run()
	switch {
	case errors.Is(err, tea.ErrInterrupted), err != nil && ctx.Err() != nil:
		return ErrInterrupted
	case errors.Is(err, tea.ErrProgramPanic):
		return fmt.Errorf("the screen failed and was closed; the message above says where: %w", err)
	case err != nil:
		return fmt.Errorf("run the screen: %w", err)
	}
	return nil
}
