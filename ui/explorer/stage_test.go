package explorer_test

import (
	"context"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"go.uber.org/goleak"

	"idemtui/sim"
	"idemtui/sim/explore"
	"idemtui/ui"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/player"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(cleanUp)) }

// stage is the whole program around the simulator's screen, without a terminal.
// Commands run when they are asked to, in order.
type stage struct {
	app     *ui.App
	keys    keys.Map
	pending []tea.Cmd
}

// newStage opens the simulator on a handler, or the explorer on a schedule.
func newStage(ctx context.Context, handler sim.HandlerID, path *explore.Path) *stage {
	s := &stage{keys: keys.Default()}
	scenario := sim.DefaultScenario()
	scenario.Handler = handler
	dialogs := &frame.Dialogs{}
	screen := ui.NewSimulator(ctx, player.Config{Scenario: scenario}, path, s.keys, dialogs)
	s.app = ui.NewApp(screen, dialogs, s.keys)
	s.pending = []tea.Cmd{screen.Init()}
	return s
}

// explored is the explorer after all of its first searches.
func explored(t testing.TB, handler sim.HandlerID, w, h int) *stage {
	s := newStage(t.Context(), handler, nil)
	s.app.Update(tea.WindowSizeMsg{Width: w, Height: h})
	s.settle()
	s.press(s.keys.Explorer.Open)
	s.settle()
	return s
}

func (s *stage) send(msg tea.Msg) {
	_, cmd := s.app.Update(msg)
	s.pending = append(s.pending, cmd)
}

// press presses the first key of each binding.
func (s *stage) press(bindings ...key.Binding) {
	for _, b := range bindings {
		s.send(keyPress(b.Keys()[0]))
	}
}

// typed presses keys by their names and lets all commands run after each.
func (s *stage) typed(names ...string) {
	for _, name := range names {
		s.send(keyPress(name))
		s.settle()
	}
}

// run runs the first pending command; more is false when there is none.
func (s *stage) run() (more bool) {
	if len(s.pending) == 0 {
		return false
	}
	cmd := s.pending[0]
	s.pending = s.pending[1:]
	if cmd == nil {
		return true
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		s.pending = append(s.pending, msg...)
	default:
		s.send(msg)
	}
	return true
}

// settle runs commands until none is left.
func (s *stage) settle() {
	for s.run() {
	}
}

func (s *stage) styled() string { return s.app.View().Content }
func (s *stage) plain() string  { return ansi.Strip(s.styled()) }

func keyPress(name string) tea.KeyPressMsg {
	var m tea.KeyPressMsg
	if rest, ok := strings.CutPrefix(name, "shift+"); ok {
		m.Mod, name = tea.ModShift, rest
	}
	codes := map[string]rune{
		"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"tab": tea.KeyTab, "space": tea.KeySpace, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace,
	}
	if code, ok := codes[name]; ok {
		m.Code = code
		return m
	}
	m.Code, m.Text = []rune(name)[0], name
	return m
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
