//go:build unix

package player_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"go.uber.org/goleak"

	"idemtui/sim"
	"idemtui/ui"
	"idemtui/ui/frame"
	"idemtui/ui/keys"
	"idemtui/ui/player"
	"idemtui/ui/ptytest"
)

// failing is the environment variable that makes the test binary the program
// of TestR41: a simulator whose screen panics.
const failing = "IDEMTUI_TEST_FAILING_SCREEN"

var binaries string

func TestMain(m *testing.M) {
	if where := os.Getenv(failing); where != "" {
		os.Exit(runFailingScreen(where))
	}
	dir, err := os.MkdirTemp("", "player-journey")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaries = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// failingScreen panics where the test wants it to.
type failingScreen struct {
	*player.Player
	where string
}

func (f failingScreen) Update(msg tea.Msg) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); ok && press.String() == "x" {
		switch f.where {
		case "update":
			panic("it fails on purpose")
		case "command":
			return func() tea.Msg { panic("it fails on purpose") }
		}
	}
	return f.Player.Update(msg)
}

func runFailingScreen(where string) int {
	keyMap, dialogs := keys.Default(), &frame.Dialogs{}
	screen := failingScreen{player.New(player.Config{}, keyMap, dialogs), where}
	term := ui.Terminal{In: os.Stdin, Out: os.Stdout, Env: os.Environ()}
	if err := ui.Run(context.Background(), term, screen, dialogs, keyMap); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// watch starts `idemtui sim` in a terminal, on a run and not in a lesson.
func watch(t *testing.T, w, h int, args ...string) *ptytest.Terminal {
	t.Helper()
	if !slices.Contains(args, "--handler") {
		args = append(args, "--handler", "check")
	}
	term := ptytest.Start(t, exec.Command(ptytest.Program(t, binaries), append([]string{"sim"}, args...)...), w, h)
	term.Expect("space to play, → to step")
	return term
}

func TestJourneyFromTheFirstStepToTheDoubleCharge(t *testing.T) {
	k := keys.Default()
	term := watch(t, 120, 36, "--handler", "check", "--seed", "42")
	term.Expect("one payment and its copy", "paused", "0.00 ms", "charges 0")
	term.Press(k.Player.Step)
	term.Expect("●p1", "The broker delivers p1 to w1.")
	term.Press(k.Player.NextBad)
	term.Expect("✗ charged twice 1", "✗ $ p1", "▶w2")
	term.Press(k.Player.Back)
	term.Expect("charged twice 0")
	term.ExpectGone("✗ charged twice")
	term.Press(k.Player.Last)
	term.Expect("2 charges for 1 payment: the customer paid twice.")
	term.Press(k.Player.NextHandler)
	term.Expect("claim first, atomically", "1 charge for 1 payment: the second delivery did nothing.")
	term.Press(k.Global.Help)
	term.Expect("the customer is charged", "next violation")
	term.Press(k.Dialog.Cancel)
	term.ExpectGone("next violation")
	term.Press(k.Global.Quit)
	term.ExpectExit(0)
	term.ExpectRestored()
}

func TestJourneyPlayResizePause(t *testing.T) {
	k := keys.Default()
	term := watch(t, 80, 24, "--speed", "0.25")
	term.Press(k.Player.Play)
	term.Expect("▶ playing", "●p1")
	for _, size := range []struct{ w, h int }{{200, 60}, {10, 3}, {60, 15}, {120, 36}} {
		term.Resize(size.w, size.h)
		if size.w < frame.MinWidth {
			term.Expect("enlarge")
			continue
		}
		term.Expect("provider")
	}
	term.Expect("the end", "the customer paid twice.")
	term.Press(k.Player.Play)
	term.Expect("▶ playing")
	term.Press(k.Player.Play)
	term.Expect("paused")
	term.Press(k.Global.Quit)
	term.ExpectExit(0)
	term.ExpectRestored()
}

func TestJourneyAmongManyPayments(t *testing.T) {
	k := keys.Default()
	term := watch(t, 120, 36)
	term.Press(k.Player.Workload)
	term.Expect("2,000 payments, 8 workers", "space to play")
	term.Press(k.Player.Last)
	term.Expect("deliveries 2100   payments 2000   charges 2")
	term.Press(k.Player.GoTo)
	term.Expect("go to a time", "The run lasts")
	term.Type("999")
	term.Press(k.Dialog.Choose)
	term.Expect("✗ the run ends at")
	term.Type("\x15") // clears the field
	term.Type("3.2")
	term.Press(k.Dialog.Choose)
	term.ExpectGone("go to a time")
	term.Expect("3.20 ms")
	term.PressKey("ctrl+c")
	term.ExpectExit(130)
	term.ExpectRestored()
}

func TestJourneyEndsOnSignals(t *testing.T) {
	k := keys.Default()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		term := watch(t, 80, 24)
		term.Press(k.Player.Play)
		term.Expect("▶ playing")
		term.Signal(signal)
		term.ExpectExit(130)
		term.ExpectRestored()
	}
}

func TestR41_APanicLeavesTheTerminalIntact(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"update", "command"} {
		t.Run(where, func(t *testing.T) {
			term := ptytest.Start(t, exec.Command(self), 80, 24, failing+"="+where)
			term.Expect("space to play")
			term.Type("x")
			term.ExpectExit(1)
			term.ExpectRestored()
			if !strings.Contains(term.Screen(), "the screen failed and was closed") {
				t.Errorf("after the panic a person reads:\n%s", term.Screen())
			}
		})
	}
}

// TestFramesAreSmall counts the bytes while playing at 200x60: at most 2 KB a
// frame on average, and none while paused.
func TestFramesAreSmall(t *testing.T) {
	k := keys.Default()
	for _, scene := range []struct {
		name string
		keys []key.Binding
	}{
		{"one handler", nil},
		{"three compared", []key.Binding{k.Player.Compare, k.Player.Compare}},
		{"following, with SQL", []key.Binding{k.Player.Follow, k.Player.Statement}},
	} {
		t.Run(scene.name, func(t *testing.T) {
			term := watch(t, 200, 60, "--handler", "check", "--speed", "1")
			term.Press(k.Player.Workload)
			term.Expect("2,000 payments, 8 workers", "space to play")
			term.Press(scene.keys...)
			if len(scene.keys) > 0 {
				term.ExpectGone("space to play")
			}
			framesAreSmall(t, term, k)
		})
	}
}

func framesAreSmall(t *testing.T, term *ptytest.Terminal, k keys.Map) {
	t.Helper()
	before := len(term.Written())
	term.Press(k.Player.Play)
	clock := regexp.MustCompile(`playing +(\d+)\.\d\d ms`)
	term.Until("3 ms have been played", func(screen string) bool {
		m := clock.FindStringSubmatch(screen)
		return m != nil && len(m[1]) == 1 && m[1] >= "3"
	})
	bytes := len(term.Written()) - before
	const frames = 75 // 3 s at 25 a second
	if average := bytes / frames; average > 2048 {
		t.Errorf("%d bytes a frame on average", average)
	} else {
		t.Logf("%d bytes a frame on average", average)
	}
	term.Press(k.Player.Play)
	term.Expect("paused")
	quiet := len(term.Written())
	term.Press(k.Player.Faster) // the one thing that changes from here on
	term.Expect("2x")
	if more := len(term.Written()) - quiet; more > 256 {
		t.Errorf("%d bytes were written while paused", more)
	}
	term.Press(k.Global.Quit)
	term.ExpectExit(0)
}

func TestJourneyThroughTheModes(t *testing.T) {
	k := keys.Default()
	term := watch(t, 120, 36, "--handler", "check", "--seed", "42")
	term.Press(k.Player.Workload)
	term.Expect("2,000 payments, 8 workers", "space to play")
	term.Press(k.Player.NextBad)
	term.Expect("✗ $ p17")
	term.Press(k.Player.Follow)
	term.Expect("following p17", "events of p17")
	term.Press(k.Player.Back)
	term.ExpectGone("✗ charged twice")
	term.Press(k.Player.Clear)
	term.ExpectGone("following p17")
	term.Press(k.Player.Statement)
	term.Expect("POST /charges")
	term.Press(k.Player.Statement, k.Player.Filter)
	term.Type("twice")
	term.Expect("events /twice", "0 of 100")
	term.PressKey("down")
	term.Expect("1 of 100", "✗ charged twice 1")
	term.PressKey("enter")
	term.Press(k.Player.Clear)
	term.ExpectGone("/twice")
	term.Press(k.Player.Compare)
	term.Expect("2 handlers, the same workload, one clock", "claim first, atomically")
	term.Press(k.Player.Last)
	term.Expect("✗ twice 100", "twice 0", "the end")
	term.Press(k.Player.Copy)
	term.Expect("sim --open s1.check.16")
	if written := term.Written(); !strings.Contains(written, "\x1b]52;") {
		t.Error("the token was not sent to the clipboard")
	}
	term.Press(k.Global.Quit)
	term.ExpectExit(0)
	term.ExpectRestored()
}

func TestJourneyOpensATokenOnTheSameRun(t *testing.T) {
	k := keys.Default()
	scenario := sim.DefaultScenario()
	scenario.Handler, scenario.Seed, scenario.Payments = sim.HandlerLease, 7, 300
	term := ptytest.Start(t, exec.Command(ptytest.Program(t, binaries), "sim", "--open", scenario.Token()), 120, 36)
	term.Expect("300 payments, 8 workers", "token "+scenario.Token(), "claim with state and lease")
	term.Press(k.Global.Quit)
	term.ExpectExit(0)
}
