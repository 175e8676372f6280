//go:build unix

package servertest

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// folderPrefix begins the name of every folder this package makes in the
// temporary folder, so that a later run can find what a killed one left.
const folderPrefix = "idemtui-servertest-"

// supervisorScript runs a server for as long as its standard input is open.
// However the test process ends, kill -9 included, the kernel closes that pipe,
// the server is ended and its folder removed. It needs no thread that stays
// alive, as a parent-death signal would, and works beyond Linux.
const supervisorScript = `
folder=$1; log=$2; ending=$3; shift 3
server=
while read -r word rest; do
	case $word in
	start) "$@" $rest >>"$log" 2>&1 & server=$!; echo started ;;
	stop) kill -"$rest" "$server" 2>/dev/null; wait "$server"; server=; echo stopped ;;
	esac
done
if [ -n "$server" ]; then kill -"$ending" "$server" 2>/dev/null; wait "$server"; fi
rm -rf -- "$folder"
`

// supervised is a server process under its supervisor. Its methods may be
// called from several goroutines.
type supervised struct {
	mu      sync.Mutex
	command *exec.Cmd
	orders  *os.File
	answers *bufio.Reader
	reader  *os.File
}

// supervise starts a supervisor for argv, which is not started yet. The folder
// passes to it and is removed at the end; ending is the signal that ends the
// server when the tests are over.
func supervise(as account, in workFolder, ending string, argv []string) (*supervised, error) {
	ordersOut, ordersIn, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start a supervisor: %w", err)
	}
	answersOut, answersIn, err := os.Pipe()
	if err != nil {
		ordersOut.Close()
		ordersIn.Close()
		return nil, fmt.Errorf("start a supervisor: %w", err)
	}
	args := append([]string{"-c", supervisorScript, "supervisor", in.path, in.log(), ending}, argv...)
	command := exec.Command("/bin/sh", args...)
	command.Dir = in.path
	command.Env = cleanEnvironment()
	command.Stdin = ordersOut
	command.Stdout = answersIn
	command.ExtraFiles = []*os.File{in.lock}
	command.SysProcAttr = as.attributes()
	command.SysProcAttr.Setpgid = true // a Ctrl-C in the terminal must not reach it before it has tidied up
	err = command.Start()
	ordersOut.Close()
	answersIn.Close()
	if err != nil {
		ordersIn.Close()
		answersOut.Close()
		return nil, fmt.Errorf("start a supervisor: %w", err)
	}
	in.lock.Close() // the supervisor and the server hold it from here on
	return &supervised{command: command, orders: ordersIn, reader: answersOut, answers: bufio.NewReader(answersOut)}, nil
}

// order sends one order and waits for its answer.
func (s *supervised) order(line string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.command == nil {
		return errors.New("the server was ended already")
	}
	if _, err := fmt.Fprintln(s.orders, line); err != nil {
		return fmt.Errorf("order %q: %w", line, err)
	}
	if _, err := s.answers.ReadString('\n'); err != nil {
		return fmt.Errorf("order %q: no answer: %w", line, err)
	}
	return nil
}

// start runs the server's program with further arguments, which must hold no
// space; it does not wait until the server is ready.
func (s *supervised) start(arguments ...string) error {
	return s.order("start " + strings.Join(arguments, " "))
}

// stop ends the server by a signal ("INT", "QUIT", "KILL") and waits for it.
// It can be started again.
func (s *supervised) stop(signal string) error { return s.order("stop " + signal) }

// end stops the server, removes its folder and waits for both. It may be
// called twice.
func (s *supervised) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.command == nil {
		return
	}
	s.orders.Close()
	// The exit status is that of rm; a folder that stays is swept later.
	_ = s.command.Wait()
	s.reader.Close()
	s.command = nil
}

// workFolder is the temporary folder of one server, locked while it is in use.
type workFolder struct {
	path string
	lock *os.File
}

// log is the file with the server's messages.
func (f workFolder) log() string { return filepath.Join(f.path, "log") }

// remove removes the folder of a server that was not started.
func (f workFolder) remove() {
	os.RemoveAll(f.path)
	f.lock.Close()
}

// newFolder makes a temporary folder owned by the account that will run the
// server, after removing what killed runs have left behind.
func newFolder(as account) (workFolder, error) {
	sweep(os.TempDir(), time.Now().Add(-time.Minute))
	path, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return workFolder{}, fmt.Errorf("make a folder for a test server: %w", err)
	}
	folder := workFolder{path: path}
	if folder.lock, err = lockFolder(path); err == nil {
		err = as.own(path)
	}
	if err != nil {
		folder.remove()
		return workFolder{}, err
	}
	return folder, nil
}

// lockFolder takes the lock that marks a folder as in use. The file stays
// open in the supervisor and in the server, so the lock outlives this process
// as long as one of them does.
func lockFolder(folder string) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock a test server's folder: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, fmt.Errorf("lock a test server's folder: %w", err)
	}
	return lock, nil
}

// sweep removes the folders in parent that were made before the given time and
// that no process uses any more. What cannot be removed is left.
func sweep(parent string, before time.Time) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !strings.HasPrefix(entry.Name(), folderPrefix) || !entry.IsDir() || info.ModTime().After(before) {
			continue
		}
		folder := filepath.Join(parent, entry.Name())
		lock, err := lockFolder(folder)
		if err != nil {
			continue
		}
		os.RemoveAll(folder)
		lock.Close()
	}
}

// cleanEnvironment is what a server starts with: nothing of the caller's PG*
// or MYSQL* settings, and messages in English because they are read.
func cleanEnvironment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "HOME=/", "TZ=UTC"}
}
