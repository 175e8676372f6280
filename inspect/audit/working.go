package audit

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// While an operation is at work, an empty file of its name is locked in the
// folder. However the process ends, kill -9 included, the lock goes with it, so
// that an intent without an outcome can be told from a batch that is only slow.

const markPrefix = "working-"

// presence is what the mark of an operation says.
type presence uint8

const (
	// presenceUnknown: there is no mark, or locks are not known here.
	presenceUnknown presence = iota
	presenceAlive
	presenceDead
)

// mark shows others that an operation is at work. Where that fails, others
// take it to be at work for commitTime.
func (f *Folder) mark(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, marked := f.marks[id]; marked {
		return
	}
	file, err := f.root.OpenFile(markPrefix+id, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return
	}
	if held, err := tryLock(file); err != nil || !held {
		file.Close()
		return
	}
	f.marks[id] = file
}

// unmark removes the marks of this folder's operations, and those that killed
// processes left long ago.
func (f *Folder) unmark() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, file := range f.marks {
		_ = f.root.Remove(markPrefix + id) // one that stays does no harm: nobody holds its lock
		file.Close()
	}
	clear(f.marks)
	names, err := filepath.Glob(filepath.Join(f.path, markPrefix+"*"))
	if err != nil {
		return
	}
	for _, name := range names {
		info, err := os.Lstat(name)
		id := strings.TrimPrefix(filepath.Base(name), markPrefix)
		if err == nil && f.now().Sub(info.ModTime()) > markLife && presenceOf(f.path, id) == presenceDead {
			_ = f.root.Remove(markPrefix + id) // likewise
		}
	}
}

// markLife is how long the mark of a killed process is kept. Without it the
// operation counts as over all the same, for it is older than commitTime.
const markLife = time.Hour

// presenceOf asks whether an operation is at work.
func presenceOf(path, id string) presence {
	name := filepath.Join(path, markPrefix+id)
	info, err := os.Lstat(name)
	if err != nil || distrust(info, false) != "" {
		return presenceUnknown
	}
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return presenceUnknown
	}
	defer file.Close()
	held, err := tryLock(file)
	switch {
	case err != nil:
		return presenceUnknown
	case held:
		return presenceDead
	default:
		return presenceAlive
	}
}
