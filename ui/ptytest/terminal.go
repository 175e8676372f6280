//go:build unix

// Package ptytest drives a program through a real pseudo-terminal in tests: it
// presses keys of the key map, reads the screen as a person would, and checks
// how the terminal was left. It polls with a deadline and never sleeps for luck.
package ptytest

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/charmbracelet/x/xpty"
)

// Patience is how long an expectation waits before it fails.
const Patience = 20 * time.Second

// pollEvery is how often the screen is looked at while waiting.
const pollEvery = 5 * time.Millisecond

// exitMark is written to the terminal after the program has ended, so that a
// reader knows that it has seen everything the program wrote.
const exitMark = "[the program has ended]"

// session runs the program as the child of a shell that stays: when the leader
// of a session ends, the kernel hangs up its terminal and resets the modes, and
// nobody could say any more how the program left them. The shell writes the
// program's process id and its exit code to descriptor 3, and ends when
// descriptor 4 does.
const session = `sh -c 'echo $$ >&3; exec "$@" 3>&- 4<&-' sh "$@"; echo $? >&3; read -r over <&4`

// Terminal is a program running in a pseudo-terminal of its own.
type Terminal struct {
	t        testing.TB
	pty      *xpty.UnixPty
	emulator *vt.SafeEmulator
	process  *os.Process
	ended    chan struct{}
	shell    *exec.Cmd
	hold     *os.File // the shell stays while this is open
	reader   sync.WaitGroup
	answers  sync.WaitGroup

	mu   sync.Mutex
	raw  bytes.Buffer
	code int
}

// Start runs the command in a terminal of w by h cells. The environment is
// plain: TERM=xterm-256color, no NO_COLOR, no variables of idemtui, then env.
// The program is killed at the end of the test if it still runs.
func Start(t testing.TB, cmd *exec.Cmd, w, h int, env ...string) *Terminal {
	t.Helper()
	pty, err := xpty.NewUnixPty(w, h)
	if err != nil {
		t.Fatalf("open a pseudo-terminal: %v", err)
	}
	if err := pty.Resize(w, h); err != nil {
		t.Fatalf("size the pseudo-terminal: %v", err)
	}
	term := &Terminal{t: t, pty: pty, emulator: vt.NewSafeEmulator(w, h), ended: make(chan struct{})}
	report, err := term.startShell(cmd, env)
	if err != nil {
		t.Fatalf("start %s: %v", cmd.Path, err)
	}
	term.reader.Go(term.read)
	term.answers.Go(term.answer)
	go term.wait(report)
	t.Cleanup(term.close)
	return term
}

// startShell starts the shell around the program, and returns its reports.
func (t *Terminal) startShell(cmd *exec.Cmd, env []string) (*bufio.Reader, error) {
	reports, report, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	held, hold, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer report.Close()
	defer held.Close()
	t.hold = hold
	t.shell = exec.Command("sh", append([]string{"-c", session, "sh", cmd.Path}, cmd.Args[1:]...)...)
	t.shell.Dir, t.shell.ExtraFiles = cmd.Dir, []*os.File{report, held}
	t.shell.Env = append(plainEnvironment(os.Environ()), env...)
	// The pseudo-terminal becomes the session's controlling terminal, as under
	// a shell, so that SIGWINCH comes the usual way.
	t.shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := t.pty.Start(t.shell); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(reports)
	pid, err := readNumber(lines)
	if err != nil {
		return nil, err
	}
	t.process, err = os.FindProcess(pid)
	return lines, err
}

func readNumber(lines *bufio.Reader) (int, error) {
	line, err := lines.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(line))
}

// plainEnvironment is the environment without what changes the screen.
func plainEnvironment(env []string) []string {
	kept := slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		switch name {
		case "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "TERM", "TERM_PROGRAM", "TMUX", "LC_ALL", "SSH_TTY", "COLUMNS", "LINES":
			return true
		}
		return strings.HasPrefix(name, "IDEMTUI_")
	})
	return append(kept, "TERM=xterm-256color", "LC_ALL=C.UTF-8")
}

// read copies what the program writes to the emulator until the terminal is
// closed.
func (t *Terminal) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := t.pty.Read(buf)
		t.mu.Lock()
		t.raw.Write(buf[:n])
		t.mu.Unlock()
		_, _ = t.emulator.Write(buf[:n])
		if err != nil {
			return
		}
	}
}

// answer sends the emulator's replies to the program's questions.
func (t *Terminal) answer() {
	buf := make([]byte, 4<<10)
	for {
		n, err := t.emulator.Read(buf)
		if err != nil {
			return
		}
		if _, err := t.pty.Write(buf[:n]); err != nil {
			return
		}
	}
}

// wait learns the exit code from the shell.
func (t *Terminal) wait(report *bufio.Reader) {
	code, err := readNumber(report)
	if err != nil {
		code = -1
	}
	t.mu.Lock()
	t.code = code
	t.mu.Unlock()
	_, _ = t.pty.Slave().WriteString(exitMark)
	close(t.ended)
}

func (t *Terminal) close() {
	select {
	case <-t.ended:
	default:
		_ = t.process.Kill()
	}
	<-t.ended
	_ = t.hold.Close()
	_ = t.shell.Wait()
	_ = t.pty.Close()
	t.reader.Wait()
	// The emulator's own Close would race with the reader of its answers.
	if pipe, ok := t.emulator.InputPipe().(io.Closer); ok {
		_ = pipe.Close()
	}
	t.answers.Wait()
	_ = t.emulator.Close()
}

// Screen is what a person sees now, without colours; spaces at the end of a
// line are left out.
func (t *Terminal) Screen() string {
	lines := strings.Split(ansi.Strip(t.emulator.Render()), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.TrimRight(line, "\r"), " ")
	}
	return strings.Join(lines, "\n")
}

// Written is everything that the program has written so far, escape sequences
// included.
func (t *Terminal) Written() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.raw.String()
}

// Press presses the first key of each binding, as the key map says.
func (t *Terminal) Press(bindings ...key.Binding) {
	t.t.Helper()
	for _, b := range bindings {
		if len(b.Keys()) == 0 {
			t.t.Fatalf("the binding %q has no key", b.Help().Desc)
		}
		t.PressKey(b.Keys()[0])
	}
}

// PressKey presses one key by its name in the key map: "space", "shift+left",
// "ctrl+c", "v".
func (t *Terminal) PressKey(name string) {
	t.t.Helper()
	sequence, ok := sequenceOf(name)
	if !ok {
		t.t.Fatalf("no key is called %q", name)
	}
	t.Type(sequence)
}

// Type sends text as typed.
func (t *Terminal) Type(text string) {
	t.t.Helper()
	if _, err := t.pty.Write([]byte(text)); err != nil {
		t.t.Fatalf("type %q: %v", text, err)
	}
}

// Resize makes the terminal w by h cells; the program gets SIGWINCH.
func (t *Terminal) Resize(w, h int) {
	t.t.Helper()
	t.emulator.Resize(w, h)
	if err := t.pty.Resize(w, h); err != nil {
		t.t.Fatalf("resize to %dx%d: %v", w, h, err)
	}
}

// Signal sends a signal to the program.
func (t *Terminal) Signal(signal os.Signal) {
	t.t.Helper()
	if err := t.process.Signal(signal); err != nil {
		t.t.Fatalf("send %v: %v", signal, err)
	}
}
