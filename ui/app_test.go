package ui

import (
	"fmt"
	"image/color"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/theme"
)

// notebook is a screen that writes down what reaches it.
type notebook struct {
	pressed []string
	typing  bool
	keys    []key.Binding
}

func (n *notebook) Init() tea.Cmd { return nil }
func (n *notebook) Update(msg tea.Msg) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		n.pressed = append(n.pressed, press.String())
	}
	return nil
}

func (n *notebook) View(w, h int) string     { return strings.Repeat(strings.Repeat("#", w)+"\n", h) }
func (n *notebook) ShortHelp() []key.Binding { return nil }
func (n *notebook) FullHelp() []frame.KeyGroup {
	return []frame.KeyGroup{{Title: "notebook", Keys: n.keys}}
}
func (n *notebook) Title() string          { return "notebook" }
func (n *notebook) Typing() bool           { return n.typing }
func (n *notebook) SetStyles(theme.Styles) {}

// question is a dialog that counts its answers.
type question struct {
	guarded bool
	yes     int
}

func (q *question) Update(msg tea.Msg) (bool, tea.Cmd) {
	if press, ok := msg.(tea.KeyPressMsg); ok && press.String() == "y" {
		q.yes++
		return true, nil
	}
	return false, nil
}
func (q *question) View(int, int, theme.Styles) string { return "sure?" }
func (q *question) ShortHelp() []key.Binding           { return nil }
func (q *question) Guarded() bool                      { return q.guarded }

func press(s string) tea.KeyPressMsg {
	r := []rune(s)
	return tea.KeyPressMsg{Code: r[0], Text: s}
}

func newTestApp() (*App, *notebook, *frame.Dialogs) {
	screen, dialogs := &notebook{}, &frame.Dialogs{}
	app := NewApp(screen, dialogs, keys.Default())
	app.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	return app, screen, dialogs
}

func isQuit(cmd tea.Cmd) bool {
	if cmd == nil {
		return false
	}
	_, quit := cmd().(tea.QuitMsg)
	return quit
}

func TestADialogIsAskedFirst(t *testing.T) {
	app, screen, dialogs := newTestApp()
	q := &question{}
	dialogs.Push(q)
	for _, k := range []string{"q", "?", "x"} {
		if _, cmd := app.Update(press(k)); isQuit(cmd) {
			t.Fatalf("%q quit through an open dialog", k)
		}
	}
	app.Update(press("y"))
	if q.yes != 1 || dialogs.Open() || len(screen.pressed) != 0 || app.help {
		t.Fatalf("yes %d, open %v, screen got %v, help %v", q.yes, dialogs.Open(), screen.pressed, app.help)
	}
	if _, cmd := app.Update(press("q")); !isQuit(cmd) {
		t.Fatal("q does not quit once the dialog is closed")
	}
}

func TestKeysInFlightCannotAnswerADialogThatWrites(t *testing.T) {
	app, _, dialogs := newTestApp()
	q := &question{guarded: true}
	over := dialogs.Push(q)
	app.Update(press("y"))
	app.Update(tea.PasteMsg{Content: "y\n"})
	if q.yes != 0 {
		t.Fatal("a key within the grace period answered the dialog")
	}
	app.Update(over())
	app.Update(press("y"))
	if q.yes != 1 {
		t.Fatal("the dialog stayed deaf after the grace period")
	}
}

func TestATextFieldHasTheKeyboard(t *testing.T) {
	app, screen, _ := newTestApp()
	screen.typing = true
	for _, k := range []string{"q", "?"} {
		if _, cmd := app.Update(press(k)); isQuit(cmd) {
			t.Fatalf("%q quit while typing", k)
		}
	}
	if strings.Join(screen.pressed, "") != "q?" {
		t.Fatalf("the field got %v", screen.pressed)
	}
}

func TestR39_FrameIsAsLargeAsTheTerminal(t *testing.T) {
	app, _, dialogs := newTestApp()
	for _, open := range []bool{false, true} {
		if open {
			dialogs.Push(&question{})
		}
		for _, help := range []bool{false, true} {
			app.help = help
			for _, size := range [][2]int{{0, 0}, {80, 24}, {60, 15}, {40, 10}, {20, 5}, {10, 3}, {3, 2}, {1, 1}, {200, 60}, {80, 24}} {
				app.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				content := app.View().Content
				if size[0] == 0 {
					if content != "" {
						t.Errorf("a frame on a terminal of no size: %q", content)
					}
					continue
				}
				lines := strings.Split(content, "\n")
				if len(lines) != size[1] {
					t.Errorf("%v: %d lines", size, len(lines))
				}
				for _, line := range lines {
					if ansi.StringWidth(line) > size[0] {
						t.Errorf("%v: line of %d cells", size, ansi.StringWidth(line))
					}
				}
			}
		}
	}
}

func TestAPinnedThemeOutlivesTheTerminalsAnswer(t *testing.T) {
	black, white := color.Gray{Y: 0}, color.Gray{Y: 255}
	app, _, _ := newTestApp()
	app.Update(tea.BackgroundColorMsg{Color: white})
	if app.styles.Dark {
		t.Error("a white background keeps the dark theme")
	}
	app.pin("light")
	app.Update(tea.BackgroundColorMsg{Color: black})
	if app.styles.Dark {
		t.Error("the terminal overrides the theme that was chosen")
	}
	app.pin("auto")
	if app.styles.Dark {
		t.Error("auto pins a theme")
	}
}

func TestHelpClosesOnAnyKeyAndSwallowsIt(t *testing.T) {
	app, screen, _ := newTestApp()
	app.Update(press("?"))
	if !strings.Contains(ansi.Strip(app.View().Content), "everywhere") {
		t.Fatal("? does not show the help")
	}
	app.Update(press("r"))
	if app.help || len(screen.pressed) != 0 {
		t.Fatalf("help %v, screen got %v", app.help, screen.pressed)
	}
}

// On a low screen the help has pages: the help key goes through all of them, the
// arrows and the page keys go on and back.
func TestHelpHasPagesOnALowScreen(t *testing.T) {
	app, screen, _ := newTestApp()
	screen.keys = nil
	for range 3 * frame.MinHeight {
		screen.keys = append(screen.keys, key.NewBinding(key.WithKeys("x"), key.WithHelp("x", "does something")))
	}
	app.Update(tea.WindowSizeMsg{Width: frame.MinWidth, Height: frame.MinHeight})
	app.Update(press("?"))
	_, pages := app.helpBox()
	if pages < 3 {
		t.Fatalf("%d pages", pages)
	}
	shows := func(page int) {
		t.Helper()
		if want := fmt.Sprintf("page %d of %d", page, pages); !strings.Contains(ansi.Strip(app.View().Content), want) {
			t.Fatalf("the screen does not say %q:\n%s", want, ansi.Strip(app.View().Content))
		}
	}
	shows(1)
	app.Update(tea.KeyPressMsg{Code: tea.KeyDown})
	shows(2)
	app.Update(tea.KeyPressMsg{Code: tea.KeyPgDown})
	shows(3)
	app.Update(tea.KeyPressMsg{Code: tea.KeyPgUp})
	app.Update(tea.KeyPressMsg{Code: tea.KeyUp})
	app.Update(tea.KeyPressMsg{Code: tea.KeyUp})
	for page := 1; page <= pages; page++ {
		shows(page)
		app.Update(press("?"))
	}
	if app.help || len(screen.pressed) != 0 {
		t.Fatalf("help %v, screen got %v", app.help, screen.pressed)
	}
}
