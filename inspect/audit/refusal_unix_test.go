//go:build unix

package audit

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"idemtui/inspect"
)

// faultOf checks that an error is one line that says what to do.
func faultOf(t *testing.T, err error, want string) {
	t.Helper()
	var fault *inspect.Fault
	if !errors.As(err, &fault) || fault.Kind != inspect.FaultAudit {
		t.Fatalf("%v is no audit fault", err)
	}
	if line := err.Error(); !strings.Contains(line, want) || !strings.Contains(line, "--audit-dir") || strings.Contains(line, "\n") {
		t.Errorf("%q, want one line with %q and --audit-dir", line, want)
	}
}

func TestFoldersThatOthersControlAreRefused(t *testing.T) {
	open := func(path string) error {
		folder, err := Open(path, time.Now, person)
		if err == nil {
			folder.Close()
		}
		return err
	}
	dir := func(name string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), name)
		must(t, os.Mkdir(path, 0o700))
		must(t, os.Chmod(path, mode))
		return path
	}
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir("real", 0o700), link))
	faultOf(t, open(link), "is a symbolic link")
	faultOf(t, open(dir("group", 0o770)), "can be written to by others")
	faultOf(t, open(dir("world", 0o707)), "can be written to by others")
	must(t, open(dir("readable", 0o755)))

	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	faultOf(t, open(file), "not a directory")
	faultOf(t, open(filepath.Join(file, "below")), "cannot be made (not a directory)")

	if os.Geteuid() == 0 {
		path := dir("theirs", 0o700)
		must(t, os.Chown(path, 65534, 65534))
		faultOf(t, open(path), "belongs to another user")
	} else {
		faultOf(t, open(filepath.Join(dir("locked", 0o500), "below")), "permission denied")
	}
}

func TestFilesThatOthersControlAreRefused(t *testing.T) {
	for name, prepare := range map[string]func(file string){
		"is a symbolic link": func(file string) {
			target := filepath.Join(t.TempDir(), "elsewhere")
			must(t, os.WriteFile(target, nil, 0o600))
			must(t, os.Symlink(target, file))
		},
		"is not a regular file":                  func(file string) { must(t, syscall.Mkfifo(file, 0o600)) },
		"can be read or written to by others":    func(file string) { must(t, os.WriteFile(file, nil, 0o600)); must(t, os.Chmod(file, 0o640)) },
		"can be read or written to by others (c": func(file string) { must(t, os.WriteFile(file, nil, 0o600)); must(t, os.Chmod(file, 0o604)) },
	} {
		path := t.TempDir()
		prepare(filepath.Join(path, fileName(noon)))
		operation := openAt(t, path, (&clock{noon}).now).Begin()
		faultOf(t, operation.Intent(t.Context(), intentOf(1, "a")), name)
	}
}

// partVariable makes this test binary play another idemtui; see playPart.
const partVariable = "IDEMTUI_AUDIT_TEST_PART"

// part starts this test again as another process, in the folder path.
func part(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), partVariable+"="+path)
	must(t, command.Start())
	return command
}

func TestAFullDiskRefusesTheIntentAndLeavesNoHalfLine(t *testing.T) {
	if path := os.Getenv(partVariable); path != "" {
		// The process may write no file beyond 4 KiB: the next line does not fit.
		signal.Ignore(syscall.SIGXFSZ)
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096}))
		operation := openAt(t, path, (&clock{noon}).now).Begin()
		must(t, operation.Intent(t.Context(), intentOf(1, "a")))
		var keys []string
		for i := range 100 {
			keys = append(keys, keyNumber(i))
		}
		faultOf(t, operation.Intent(t.Context(), intentOf(2, keys...)), "file too large")
		must(t, operation.Outcome(t.Context(), inspect.Outcome{Batch: 1, Status: inspect.OutcomeCommitted}))
		return
	}
	path := t.TempDir()
	if err := part(t, path).Wait(); err != nil {
		t.Fatalf("the process on the full disk: %v", err)
	}
	history := read(t, path)
	if len(history.Damaged) != 0 || len(history.Operations) != 1 || len(history.Operations[0].Batches) != 1 || !history.Operations[0].Batches[0].Known() {
		t.Errorf("read %+v", history)
	}
}

func TestProcessesAppendAtTheSameTime(t *testing.T) {
	const processes, writers, batches = 3, 4, 10
	if path := os.Getenv(partVariable); path != "" {
		folder := openAt(t, path, (&clock{noon}).now)
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				operation := folder.Begin()
				for batch := 1; batch <= batches; batch++ {
					err := operation.Intent(t.Context(), intentOf(batch, "a", "b", "c", "d", "e"))
					err = errors.Join(err, operation.Outcome(t.Context(), inspect.Outcome{Batch: batch, Status: inspect.OutcomeCommitted}))
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		return
	}
	path := t.TempDir()
	var started []*exec.Cmd
	for range processes {
		started = append(started, part(t, path))
	}
	for _, command := range started {
		if err := command.Wait(); err != nil {
			t.Errorf("a process: %v", err)
		}
	}
	history := read(t, path)
	if len(history.Operations) != processes*writers || len(history.Damaged) != 0 {
		t.Fatalf("%d operations, want %d; damaged %v", len(history.Operations), processes*writers, history.Damaged)
	}
	for _, past := range history.Operations {
		if len(past.Batches) != batches {
			t.Errorf("%s has %d batches, want %d", past.ID, len(past.Batches), batches)
		}
	}
}

func TestAKilledProcessLosesNoIntentThatReturned(t *testing.T) {
	if path := os.Getenv(partVariable); path != "" {
		operation := openAt(t, path, (&clock{noon}).now).Begin()
		for batch := 1; ; batch++ {
			must(t, operation.Intent(t.Context(), intentOf(batch, "a", "b")))
			// Only now may the batch commit: note that it did.
			must(t, os.WriteFile(filepath.Join(path, "committed"), []byte(strconv.Itoa(batch)), 0o600))
			must(t, operation.Outcome(t.Context(), inspect.Outcome{Batch: batch, Status: inspect.OutcomeCommitted}))
		}
	}
	for range 3 {
		path := t.TempDir()
		command := part(t, path)
		committed := 0
		for deadline := time.Now().Add(time.Minute); committed < 5; {
			content, _ := os.ReadFile(filepath.Join(path, "committed"))
			committed, _ = strconv.Atoi(string(content))
			if time.Now().After(deadline) {
				t.Fatal("the process wrote nothing")
			}
		}
		must(t, command.Process.Kill())
		_ = command.Wait()
		if content, _ := os.ReadFile(filepath.Join(path, "committed")); len(content) > 0 {
			committed, _ = strconv.Atoi(string(content))
		}
		must(t, openAt(t, path, (&clock{noon}).now).Begin().Intent(t.Context(), intentOf(1, "z")))
		history := read(t, path)
		// Nobody is at work on it, and that is seen without waiting.
		last := history.Operations[0].Batches[len(history.Operations[0].Batches)-1]
		if unfinished := len(history.Unfinished(noon)) == 1; unfinished == last.Known() {
			t.Errorf("reported as unfinished: %v, its last batch has an end: %v", unfinished, last.Known())
		}
		if got := len(history.Operations[0].Batches); got < committed {
			t.Errorf("%d intents on disk, but batch %d committed", got, committed)
		}
		for i, batch := range history.Operations[0].Batches {
			if !batch.Known() && i < len(history.Operations[0].Batches)-1 {
				t.Errorf("batch %d of %d has no end", i+1, len(history.Operations[0].Batches))
			}
		}
	}
}
