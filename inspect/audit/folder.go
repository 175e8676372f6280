package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"idemtui/inspect"
)

// DefaultFolder is $XDG_STATE_HOME/idemtui, with ~/.local/state where the
// variable is not set or not absolute, as the XDG base directory specification
// 0.8 says.
func DefaultFolder(getenv func(string) string) (string, error) {
	if state := getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "idemtui"), nil
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".local", "state", "idemtui"), nil
	}
	return "", fault("there is no folder for the audit record, as neither XDG_STATE_HOME nor HOME is set", "give --audit-dir", nil)
}

// Folder is an open folder of audit files. It may be used by several
// goroutines, and the same folder by several processes.
type Folder struct {
	path   string
	root   *os.Root
	now    func() time.Time
	person Person

	mu    sync.Mutex
	marks map[string]*os.File // of the operations at work
}

// Open opens the folder for writing, and makes it (0700) if need be. It refuses
// a symbolic link, a folder of somebody else and one that others may write to:
// there the record could be changed or led elsewhere. now is idemtui's clock.
func Open(path string, now func() time.Time, person Person) (*Folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fault(fmt.Sprintf("the audit folder %s cannot be made (%s)", path, cause(err)), "give another with --audit-dir", err)
	}
	before, err := os.Lstat(path)
	if err != nil {
		return nil, unusable(path, cause(err), err)
	}
	if reason := distrust(before, true); reason != "" {
		return nil, unusable(path, reason, nil)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, unusable(path, cause(err), err)
	}
	// The path may have been exchanged between the two calls.
	after, err := root.Stat(".")
	if err != nil || !os.SameFile(before, after) {
		root.Close()
		return nil, unusable(path, "was exchanged while it was opened", err)
	}
	return &Folder{path: path, root: root, now: now, person: person, marks: map[string]*os.File{}}, nil
}

// Close ends the operations of this folder and closes it.
func (f *Folder) Close() error {
	f.unmark()
	if err := f.root.Close(); err != nil {
		return fmt.Errorf("close the audit folder: %w", err)
	}
	return nil
}

// fileName is the file of a day, in UTC.
func fileName(day time.Time) string { return "audit-" + day.UTC().Format("2006-01-02") + ".jsonl" }

// append writes one line to the file of the day and, if it is to be durable,
// waits until it is on disk. A line that cannot be written whole is taken back.
func (f *Folder) append(content []byte, durable bool) error {
	name := fileName(f.now())
	file, err := f.openFile(name)
	if err != nil {
		return err
	}
	if err := writeLocked(file, content, durable); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("close %s: %w", name, err)
	}
	return nil
}

// openFile opens a day's file for appending, and makes it (0600) if need be. It
// looks at the name before, because a link would be followed.
func (f *Folder) openFile(name string) (*os.File, error) {
	info, err := f.root.Lstat(name)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err == nil {
		if reason := distrust(info, false); reason != "" {
			return nil, fmt.Errorf("%s %s", name, reason)
		}
	}
	file, err := f.root.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if isNew {
		if err := f.syncFolder(); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return file, nil
}

// syncFolder puts the name of a new file on disk.
func (f *Folder) syncFolder() error {
	dir, err := f.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(syncDirectory(dir), dir.Close())
}

// writeLocked appends a line under the file's lock. A line cut off by a crash
// is closed first, so that it spoils no other.
func writeLocked(file *os.File, content []byte, durable bool) error {
	if err := lock(file); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size > 0 {
		var last [1]byte
		if _, err := file.ReadAt(last[:], size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			content = append([]byte{'\n'}, content...)
		}
	}
	if _, err = file.Write(content); err == nil && durable {
		err = file.Sync()
	}
	if err != nil {
		return errors.Join(err, file.Truncate(size))
	}
	return nil
}

// unusable is the fault of a folder that must not be written to.
func unusable(path, reason string, err error) error {
	return fault(fmt.Sprintf("the audit folder %s %s", path, reason), "nothing was changed; give another with --audit-dir", err)
}

// fault makes the error a person sees.
func fault(what, next string, err error) error {
	return &inspect.Fault{Kind: inspect.FaultAudit, What: what, Next: next, Err: err}
}

// cause is the last of an error chain: "no space left on device" rather than
// the whole path to it.
func cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
