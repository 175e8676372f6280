//go:build unix

package ptytest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Expect waits until the screen shows every text.
func (t *Terminal) Expect(texts ...string) {
	t.t.Helper()
	for _, text := range texts {
		t.Until("the screen shows "+text, func(screen string) bool { return strings.Contains(screen, text) })
	}
}

// ExpectGone waits until the screen shows the text no more.
func (t *Terminal) ExpectGone(text string) {
	t.t.Helper()
	t.Until("the screen no longer shows "+text, func(screen string) bool { return !strings.Contains(screen, text) })
}

// Until waits until the screen passes the test; what says what is waited for.
func (t *Terminal) Until(what string, passes func(screen string) bool) {
	t.t.Helper()
	if !poll(func() bool { return passes(t.Screen()) }) {
		t.t.Fatalf("waited %v in vain until %s; the screen is:\n%s", Patience, what, t.Screen())
	}
}

// ExpectExit waits until the program has ended with this code.
func (t *Terminal) ExpectExit(code int) {
	t.t.Helper()
	select {
	case <-t.ended:
	case <-time.After(Patience):
		t.t.Fatalf("the program did not end within %v; the screen is:\n%s", Patience, t.Screen())
	}
	if !poll(func() bool { return strings.Contains(t.Written(), exitMark) }) {
		t.t.Fatal("the terminal's last bytes did not arrive")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.code != code {
		t.t.Fatalf("exit code %d, want %d; the last bytes were %q", t.code, code, tail(t.raw.String()))
	}
}

// ExpectRestored checks, after the program has ended, that the terminal is as
// a shell needs it: the alternate screen left, the cursor shown, no mouse, no
// focus reports, and echo and line mode on.
func (t *Terminal) ExpectRestored() {
	t.t.Helper()
	if t.emulator.IsAltScreen() {
		t.t.Error("the alternate screen was not left")
	}
	if t.emulator.CursorHidden() {
		t.t.Error("the cursor is still hidden")
	}
	written := t.Written()
	for _, mode := range []struct{ name, on, off string }{
		{"mouse reports", "\x1b[?1000h", "\x1b[?1000l"},
		{"mouse reports", "\x1b[?1002h", "\x1b[?1002l"},
		{"mouse reports", "\x1b[?1003h", "\x1b[?1003l"},
		{"focus reports", "\x1b[?1004h", "\x1b[?1004l"},
		{"bracketed paste", "\x1b[?2004h", "\x1b[?2004l"},
	} {
		if strings.LastIndex(written, mode.on) > strings.LastIndex(written, mode.off) {
			t.t.Errorf("%s were left on", mode.name)
		}
	}
	echo, lines, err := lineMode(t.pty.Slave().Fd())
	if err != nil {
		t.t.Fatalf("read the terminal's modes: %v", err)
	}
	if !echo || !lines {
		t.t.Errorf("echo %v, line mode %v: the shell would be blind", echo, lines)
	}
}

// poll looks again and again until ok holds or patience ends.
func poll(ok func() bool) bool {
	deadline := time.After(Patience)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			return ok()
		case <-tick.C:
		}
	}
	return true
}

func tail(s string) string { return s[max(0, len(s)-400):] }

var built struct {
	sync.Once
	path string
	err  error
	said []byte
}

// Program builds the program once for each test binary and returns its path.
// dir is where the binary goes: a folder that lives as long as the test
// binary, as TestMain can make it.
func Program(t testing.TB, dir string) string {
	t.Helper()
	built.Do(func() {
		built.path = filepath.Join(dir, "idemtui")
		built.said, built.err = exec.Command("go", "build", "-o", built.path, "idemtui").CombinedOutput()
	})
	if built.err != nil {
		t.Fatalf("build the program: %v\n%s", built.err, built.said)
	}
	return built.path
}
