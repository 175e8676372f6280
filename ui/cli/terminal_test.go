package cli

import (
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"idemtui/inspect/dsn"
	"idemtui/inspect/schema"
	"idemtui/inspect/servertest"
	"idemtui/ui/ptytest"
)

// program starts idemtui with these arguments in a terminal of w by h cells.
func program(t *testing.T, w, h int, environment []string, args ...string) *ptytest.Terminal {
	t.Helper()
	home := t.TempDir()
	environment = append([]string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home}, environment...)
	return ptytest.Start(t, exec.Command(ptytest.Program(t, programFolder), args...), w, h, environment...)
}

// stuckTable makes the recommended table with one stuck claim.
func stuckTable(t *testing.T) *servertest.DB {
	t.Helper()
	db := servertest.Postgres(t)
	recommended, err := schema.For(dsn.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	db.Exec(recommended.CreateSQL())
	db.Exec(`INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at)
		VALUES ('pay_88412', 'PROCESSING', 'worker-7', now() - interval '3 hours', now() - interval '2 hours')`)
	return db
}

// sgrColour finds an escape sequence that sets a colour.
var sgrColour = regexp.MustCompile(`\x1b\[(?:[0-9]+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:[;:][0-9]+)*m`)

func TestInspectOpensOnATerminalAndLeavesItIntact(t *testing.T) {
	db := stuckTable(t)
	for name, c := range map[string]struct {
		end  func(*ptytest.Terminal)
		code int
	}{
		"q":       {func(term *ptytest.Terminal) { term.Type("q") }, 0},
		"ctrl-c":  {func(term *ptytest.Terminal) { term.PressKey("ctrl+c") }, 130},
		"SIGTERM": {func(term *ptytest.Terminal) { term.Signal(syscall.SIGTERM) }, 130},
		"SIGHUP":  {func(term *ptytest.Terminal) { term.Signal(syscall.SIGHUP) }, 130},
	} {
		t.Run(name, func(t *testing.T) {
			term := program(t, 100, 30, nil, "inspect", "--dsn", db.DSN())
			term.Expect("pay_88412", "READ-ONLY", "CANNOT TELL")
			c.end(term)
			term.ExpectExit(c.code)
			term.ExpectRestored()
		})
	}
}

func TestTinyTerminals(t *testing.T) {
	db := stuckTable(t)
	for name, size := range map[string][2]int{"10x3": {10, 3}, "1x1": {1, 1}} {
		t.Run(name, func(t *testing.T) {
			term := program(t, size[0], size[1], nil, "inspect", "--dsn", db.DSN())
			term.Until("the screen is open", func(string) bool { return strings.Contains(term.Written(), "\x1b[?1049h") })
			term.Type("q")
			term.ExpectExit(0)
			term.ExpectRestored()
		})
	}
}

func TestAFailureOnATerminalIsOneLine(t *testing.T) {
	term := program(t, 100, 30, nil, "inspect", "--dsn", "postgres://me:hunter2@127.0.0.1:1/x")
	term.ExpectExit(1)
	term.ExpectRestored()
	term.Expect("idemtui: cannot reach x@127.0.0.1:1")
	if written := term.Written(); strings.Contains(written, "\x1b") || strings.Contains(written, "hunter2") {
		t.Errorf("a failure wrote %q", written)
	}
}

// R47: a dumb terminal and a pipe get text, whatever else is a terminal.
func TestR47_NoScreenWithoutATerminal(t *testing.T) {
	db := stuckTable(t)
	t.Run("TERM=dumb", func(t *testing.T) {
		term := program(t, 200, 30, []string{"TERM=dumb"}, "inspect", "--dsn", db.DSN())
		term.ExpectExit(0)
		term.Expect("pay_88412")
		if strings.Contains(term.Written(), "\x1b") {
			t.Errorf("an escape code on a dumb terminal: %q", term.Written())
		}
	})
	path := ptytest.Program(t, programFolder)
	for name, line := range map[string]string{
		"output is a pipe":       `"$0" inspect --dsn "$1" | cat`,
		"input is empty":         `"$0" inspect --dsn "$1" </dev/null`,
		"sim, output is a pipe":  `"$0" sim | cat`,
		"help, output is a pipe": `"$0" --help | cat`,
		"start, input is empty":  `"$0" </dev/null`,
	} {
		t.Run(name, func(t *testing.T) {
			term := ptytest.Start(t, exec.Command("sh", "-c", line, path, db.DSN()), 200, 60, "HOME="+t.TempDir())
			term.ExpectExit(0)
			if strings.Contains(term.Written(), "\x1b[?1049h") {
				t.Errorf("a screen was opened: %q", term.Written())
			}
			if strings.Contains(line, "| cat") && strings.Contains(term.Written(), "\x1b") {
				t.Errorf("an escape code in a pipe: %q", term.Written())
			}
		})
	}
}

func TestHelpHasColourOnATerminalUnlessNOCOLOR(t *testing.T) {
	for _, c := range []struct {
		environment []string
		colour      bool
	}{{nil, true}, {[]string{"NO_COLOR=1"}, false}, {[]string{"TERM=dumb"}, false}} {
		term := program(t, 120, 60, c.environment, "inspect", "--help")
		term.ExpectExit(0)
		term.Expect("--stale-after")
		if got := sgrColour.MatchString(term.Written()); got != c.colour {
			t.Errorf("%v: colour is %v: %q", c.environment, got, term.Written())
		}
	}
}

func TestTheStartPageOpensWhatIsChosen(t *testing.T) {
	term := program(t, 100, 30, nil)
	term.Expect("idemtui sim", "idemtui inspect")
	term.PressKey("down")
	term.PressKey("down")
	term.PressKey("enter")
	term.ExpectExit(0)
	term.ExpectRestored()
	if !strings.Contains(term.Written(), "TRIAGE") {
		t.Errorf("the page on triage was not printed: %q", term.Written())
	}
}
