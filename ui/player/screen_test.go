package player_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"idemtui/sim"
	"idemtui/ui"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/player"
)

// stage is the whole program around a player, without a terminal.
type stage struct {
	app      *ui.App
	keys     keys.Map
	changing bool // in the panel every key may make a new run
}

func newStage(config player.Config) *stage {
	s := &stage{keys: keys.Default()}
	dialogs := &frame.Dialogs{}
	screen := player.New(config, s.keys, dialogs)
	s.app = ui.NewApp(screen, dialogs, s.keys)
	s.app.Update(screen.Init()())
	return s
}

func (s *stage) size(w, h int) { s.app.Update(tea.WindowSizeMsg{Width: w, Height: h}) }

// press presses the first key of each binding; a run that it asks for is made
// at once.
func (s *stage) press(bindings ...key.Binding) {
	for _, b := range bindings {
		s.send(keyPress(b.Keys()[0]))
	}
}

func (s *stage) send(msg tea.Msg) {
	_, cmd := s.app.Update(msg)
	if cmd == nil {
		return
	}
	if press, ok := msg.(tea.KeyPressMsg); ok && !s.changing && !runs(s.keys.Player, press) {
		return
	}
	s.carryOut(cmd)
}

// carryOut makes the runs that a key asks for.
func (s *stage) carryOut(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range batch {
			s.carryOut(cmd)
		}
		return
	}
	s.app.Update(msg)
}

// runs says whether the key makes a new run.
func runs(k keys.Player, press tea.KeyPressMsg) bool {
	return key.Matches(press, k.NextHandler, k.PrevHandler, k.Workload, k.Compare, k.Copy)
}

func keyPress(name string) tea.KeyPressMsg {
	var m tea.KeyPressMsg
	if rest, ok := strings.CutPrefix(name, "shift+"); ok {
		m.Mod, name = tea.ModShift, rest
	}
	codes := map[string]rune{
		"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "tab": tea.KeyTab,
		"space": tea.KeySpace, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace,
		"up": tea.KeyUp, "down": tea.KeyDown, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
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

var sizes = []struct{ w, h int }{{80, 24}, {120, 36}, {200, 60}, {60, 15}}

func TestPictures(t *testing.T) {
	k, l := keys.Default().Player, keys.Default().Lesson
	typed := func(text string) (all []key.Binding) {
		for _, r := range text {
			all = append(all, key.NewBinding(key.WithKeys(string(r))))
		}
		return all
	}
	join := slices.Concat[[]key.Binding]
	one := func(b ...key.Binding) []key.Binding { return b }
	for _, scene := range []struct {
		name    string
		handler sim.HandlerID
		keys    []key.Binding
	}{
		{"start", sim.HandlerCheck, nil},
		{"charging", sim.HandlerCheck, one(k.NextSeen, k.NextSeen, k.NextSeen, k.NextSeen, k.NextSeen, k.NextSeen, k.Step)},
		{"charged-twice", sim.HandlerCheck, one(k.NextBad)},
		{"end", sim.HandlerCheck, one(k.Last)},
		{"claim", sim.HandlerCheck, one(k.NextHandler, k.Last)},
		{"many", sim.HandlerCheck, one(k.Workload, k.NextBad)},
		{"many-end", sim.HandlerCheck, one(k.Workload, k.Last)},
		{"halfway", sim.HandlerCheck, join(one(k.Workload), typed("5"))},
		{"zoomed-in", sim.HandlerCheck, one(k.Workload, k.NextBad, k.Closer, k.Closer)},
		{"zoomed-out", sim.HandlerCheck, one(k.Workload, k.NextBad, k.Farther, k.Farther, k.Farther, k.Farther)},
		{"looking-back", sim.HandlerCheck, one(k.Workload, k.NextPage, k.NextPage, k.Earlier, k.Earlier)},
		{"following", sim.HandlerCheck, one(k.Workload, k.NextBad, k.Follow, k.Back, k.Back)},
		{"worker-picked", sim.HandlerLease, one(k.Workload, k.NextPage, k.LaneDown, k.LaneDown, k.LaneDown)},
		{"provider-picked", sim.HandlerCheck, one(k.Workload, k.NextPage, k.LaneUp)},
		{"filtered", sim.HandlerCheck, join(one(k.Workload, k.NextPage, k.Filter), typed("twice"))},
		{"sql-claim", sim.HandlerClaim, one(k.Statement, k.NextSeen, k.NextSeen, k.NextSeen, k.NextSeen, k.NextSeen)},
		{"sql-lease", sim.HandlerLease, one(k.Statement, k.NextSeen, k.NextSeen)},
		{"sql-natural", sim.HandlerNatural, one(k.Statement, k.NextSeen, k.NextSeen)},
		{"sql-onetx", sim.HandlerOneTx, one(k.Statement, k.NextSeen, k.NextSeen, k.Step, k.Step)},
		{"compare-two", sim.HandlerCheck, one(k.Compare, k.NextBad)},
		{"compare-three-many", sim.HandlerCheck, one(k.Workload, k.Compare, k.Compare, k.NextBad, k.NextBad, k.LaneDown)},
		{"compare-end", sim.HandlerCheck, one(k.Workload, k.Compare, k.Compare, k.Last)},
		{"token", sim.HandlerCheck, one(k.Copy)},
		{"changing", sim.HandlerCheck, one(k.Last, k.Change, l.Down, l.Down, l.Less, l.Less)},
		{"changing-compared", sim.HandlerLease, one(k.Workload, k.Compare, k.Change, l.More, k.NextBad)},
	} {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s/%dx%d", scene.name, size.w, size.h), func(t *testing.T) {
				scenario := sim.DefaultScenario()
				scenario.Handler, scenario.Seed = scene.handler, 42
				s := newStage(player.Config{Scenario: scenario})
				s.changing = strings.HasPrefix(scene.name, "changing")
				s.size(size.w, size.h)
				s.styled() // what a key does may depend on the width
				for _, b := range scene.keys {
					s.press(b)
					s.styled()
				}
				fits(t, s.styled(), size.w, size.h)
				golden.RequireEqual(t, s.plain())
			})
		}
	}
}

func TestColours(t *testing.T) {
	s := newStage(player.Config{})
	s.size(80, 24)
	s.press(s.keys.Player.NextBad)
	golden.RequireEqual(t, s.styled())
}

// TestNoColourTellsTheSame sees that what NO_COLOR leaves still has each state
// as a word and a glyph.
func TestNoColourTellsTheSame(t *testing.T) {
	s := newStage(player.Config{})
	s.size(80, 24)
	s.press(s.keys.Player.NextBad)
	var b strings.Builder
	w := colorprofile.Writer{Forward: &b, Profile: colorprofile.Ascii}
	if _, err := w.WriteString(s.styled()); err != nil {
		t.Fatal(err)
	}
	plain := ansi.Strip(b.String())
	for _, want := range []string{"✗ charged twice 1", "✗ $ p1", "✗ The provider charges p1 again", "charge", "paused", "▶w2"} {
		if !strings.Contains(plain, want) {
			t.Errorf("without colour %q is lost:\n%s", want, plain)
		}
	}
	golden.RequireEqual(t, b.String())
}

func TestTheHelpExplainsEveryMark(t *testing.T) {
	s := newStage(player.Config{})
	s.size(120, 36)
	s.press(s.keys.Global.Help)
	fits(t, s.styled(), 120, 36)
	golden.RequireEqual(t, s.plain())
}

func TestR39_Sizes(t *testing.T) {
	for _, start := range []struct{ w, h int }{{0, 0}, {10, 3}} {
		s := newStage(player.Config{})
		s.size(start.w, start.h)
		s.styled()
		s.size(80, 24)
		s.press(s.keys.Player.NextBad)
		before := s.plain()
		if start.w > 0 { // the second time with a dialog open
			s.press(s.keys.Player.GoTo)
		}
		for _, size := range []struct{ w, h int }{{60, 15}, {40, 10}, {20, 5}, {10, 3}, {3, 2}, {1, 1}, {200, 60}, {60, 60}, {250, 15}} {
			s.size(size.w, size.h)
			fits(t, s.styled(), size.w, size.h)
		}
		s.size(40, 10)
		if !strings.Contains(s.plain(), "60x15") {
			t.Errorf("40x10 shows %q", s.plain())
		}
		s.send(keyPress("esc"))
		s.size(80, 24)
		if after := s.plain(); after != before {
			t.Errorf("after growing again the screen is\n%s\nit was\n%s", after, before)
		}
	}
}

// TestAnyKeysKeepTheFrame presses anything at any size.
func TestAnyKeysKeepTheFrame(t *testing.T) {
	m := keys.Default()
	k := m.Player
	bindings := []key.Binding{
		k.Play, k.Back, k.Step, k.PrevSeen, k.NextSeen, k.NextBad, k.PrevBad, k.GoTo, k.First, k.Last, k.Faster, k.Slower,
		k.NextHandler, k.PrevHandler, k.Workload, k.Compare, k.Compare, k.Tenth, k.NextPage, k.PrevPage, k.Closer, k.Farther, k.Earlier, k.Later,
		k.Follow, k.FollowID, k.LaneUp, k.LaneDown, k.Filter, k.NextEvent, k.PrevEvent, k.Statement, k.Copy, k.Clear, m.Global.Help, m.Dialog.Choose, m.Dialog.Cancel,
	}
	scenario := sim.DefaultScenario()
	scenario.Payments = 120
	rapid.Check(t, func(r *rapid.T) {
		s := newStage(player.Config{Scenario: scenario})
		w, h := rapid.IntRange(60, 220).Draw(r, "w"), rapid.IntRange(15, 70).Draw(r, "h")
		s.size(w, h)
		for range rapid.IntRange(1, 25).Draw(r, "keys") {
			switch rapid.IntRange(0, 9).Draw(r, "what") {
			case 0:
				w, h = rapid.IntRange(1, 220).Draw(r, "w"), rapid.IntRange(1, 70).Draw(r, "h")
				s.size(w, h)
			case 1:
				r := rapid.RuneFrom([]rune("0123456789.ms xp!twice")).Draw(r, "rune")
				s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
			default:
				s.press(rapid.SampledFrom(bindings).Draw(r, "key"))
			}
			fits(r, s.styled(), w, h)
		}
	})
}
