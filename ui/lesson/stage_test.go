package lesson_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"idemtui/ui"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/lesson"
	"idemtui/ui/player"
)

// stage is the whole program around the lessons, without a terminal. It has to
// be used in a bubble of synctest, where the way of the cursor takes no time.
type stage struct {
	app  *ui.App
	keys keys.Map
}

// onStage runs the test in a bubble, with a lesson on the stage.
func onStage(t *testing.T, config lesson.Config, w, h int, test func(t *testing.T, s *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(t, newStage(t, config, w, h))
	})
}

func newStage(t *testing.T, config lesson.Config, w, h int) *stage {
	s := &stage{keys: keys.Default()}
	dialogs := &frame.Dialogs{}
	course := ui.NewCourse(t.Context(), &config, player.Config{}, s.keys, dialogs)
	screen := ui.WithExplorer(t.Context(), course, s.keys, dialogs)
	s.app = ui.NewApp(screen, dialogs, s.keys)
	s.size(w, h)
	s.carryOut(screen.Init())
	return s
}

// carryOut runs a command and what follows from it, such as the ticks while the
// cursor is on its way; of a clock that runs on, some of the ticks.
func (s *stage) carryOut(cmd tea.Cmd) {
	waiting := []tea.Cmd{cmd}
	for range 200 {
		if len(waiting) == 0 {
			return
		}
		next := waiting[0]
		waiting = waiting[1:]
		if next == nil {
			continue
		}
		msg := next()
		if all, ok := msg.(tea.BatchMsg); ok {
			waiting = append(waiting, all...)
			continue
		}
		_, more := s.app.Update(msg)
		waiting = append(waiting, more)
	}
}

func (s *stage) size(w, h int) { s.app.Update(tea.WindowSizeMsg{Width: w, Height: h}) }

// press presses the first key of each binding, and waits for what follows.
func (s *stage) press(bindings ...key.Binding) {
	for _, b := range bindings {
		s.typed(b.Keys()[0])
	}
}

func (s *stage) typed(names ...string) {
	for _, name := range names {
		_, cmd := s.app.Update(keyPress(name))
		s.carryOut(cmd)
	}
}

func keyPress(name string) tea.KeyPressMsg {
	var m tea.KeyPressMsg
	if rest, ok := strings.CutPrefix(name, "shift+"); ok {
		m.Mod, name = tea.ModShift, rest
	}
	codes := map[string]rune{
		"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"tab": tea.KeyTab, "space": tea.KeySpace, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp,
	}
	if code, ok := codes[name]; ok {
		m.Code = code
		return m
	}
	m.Code, m.Text = []rune(name)[0], name
	return m
}

func (s *stage) styled() string { return s.app.View().Content }
func (s *stage) plain() string  { return ansi.Strip(s.styled()) }

func (s *stage) shows(t *testing.T, texts ...string) {
	t.Helper()
	view := s.plain()
	for _, text := range texts {
		if !strings.Contains(strings.Join(strings.Fields(view), " "), strings.Join(strings.Fields(text), " ")) {
			t.Fatalf("the screen does not say %q:\n%s", text, view)
		}
	}
}

// fits fails when a frame is not exactly as tall as the terminal, or a line is
// wider.
func fits(t interface{ Fatalf(string, ...any) }, frame string, w, h int) {
	lines := strings.Split(frame, "\n")
	if len(lines) != h {
		t.Fatalf("the frame has %d lines at %dx%d:\n%s", len(lines), w, h, ansi.Strip(frame))
	}
	for i, line := range lines {
		if width := ansi.StringWidth(line); width > w {
			t.Fatalf("line %d is %d cells wide at %dx%d: %q", i, width, w, h, ansi.Strip(line))
		}
	}
}
