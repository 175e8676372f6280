//go:build unix

package ptytest

import (
	"os/exec"
	"testing"
)

func TestItTypesReadsResizesAndSeesTheExitCode(t *testing.T) {
	script := `printf 'ready '; read word; printf 'got <%s> ' "$word"; read line; stty size; exit 3`
	term := Start(t, exec.Command("sh", "-c", script), 40, 10)
	term.Expect("ready")
	term.Type("two words\n")
	term.Expect("got <two words>")
	term.Resize(50, 12)
	term.Type("\n")
	term.Expect("12 50")
	term.ExpectExit(3)
	term.ExpectRestored()
}

func TestItSeesATerminalLeftBlind(t *testing.T) {
	term := Start(t, exec.Command("sh", "-c", `stty -echo -icanon; printf '\033[?1049h\033[?25lblind'`), 40, 10)
	term.Expect("blind")
	term.ExpectExit(0)
	echo, lines, err := lineMode(term.pty.Slave().Fd())
	if err != nil || echo || lines {
		t.Errorf("echo %v, line mode %v, %v: it does not see that they are off", echo, lines, err)
	}
	if !term.emulator.IsAltScreen() || !term.emulator.CursorHidden() {
		t.Error("it does not see the alternate screen or the hidden cursor")
	}
}

func TestEveryKeyNameHasItsBytes(t *testing.T) {
	for name, want := range map[string]string{
		"ctrl+c": "\x03", "space": " ", "v": "v", "V": "V", "?": "?", "shift+left": "\x1b[1;2D", "ctrl+z": "\x1a",
	} {
		if got, ok := sequenceOf(name); !ok || got != want {
			t.Errorf("%s gives %q, want %q", name, got, want)
		}
	}
	if got, ok := sequenceOf("hyper+x"); ok || got != "" {
		t.Errorf("an unknown key gives %q", got)
	}
}
