package audit

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"idemtui/inspect"
)

func marks(t *testing.T, path string) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(path, markPrefix+"*"))
	must(t, err)
	return len(names)
}

func TestTheMarkOfAnOperationGoesWithIt(t *testing.T) {
	path, c := t.TempDir(), &clock{noon}
	folder := openAt(t, path, c.now)
	operation := folder.Begin()
	if marks(t, path) != 0 {
		t.Error("a mark before the first intent")
	}
	must(t, operation.Intent(t.Context(), intentOf(1, "a")))
	must(t, operation.Intent(t.Context(), intentOf(2, "b")))
	past := read(t, path).Operations[0]
	if marks(t, path) != 1 || !past.AtWork(noon.Add(time.Hour)) {
		t.Errorf("%d marks, presence %d", marks(t, path), past.presence)
	}
	must(t, folder.Close())
	if past := read(t, path).Operations[0]; marks(t, path) != 0 || past.AtWork(noon.Add(time.Hour)) {
		t.Errorf("%d marks after the end, presence %d", marks(t, path), past.presence)
	}
}

func TestOldMarksOfTheKilledAreSwept(t *testing.T) {
	path := t.TempDir()
	now := time.Now()
	for id, age := range map[string]time.Duration{"old": 2 * markLife, "new": time.Minute} {
		name := filepath.Join(path, markPrefix+id)
		must(t, os.WriteFile(name, nil, 0o600))
		must(t, os.Chtimes(name, now.Add(-age), now.Add(-age)))
	}
	must(t, openAt(t, path, func() time.Time { return now }).Close())
	if presenceOf(path, "old") != presenceUnknown || presenceOf(path, "new") != presenceDead {
		t.Errorf("old %d, new %d", presenceOf(path, "old"), presenceOf(path, "new"))
	}
}

func TestAnInterruptedOperationCanBeGivenItsEnd(t *testing.T) {
	path, c := t.TempDir(), &clock{noon}
	folder := openAt(t, path, c.now)
	operation := folder.Begin()
	must(t, operation.Intent(t.Context(), intentOf(1, "a")))
	must(t, folder.Close())
	later := openAt(t, path, c.now)
	must(t, later.Resume(operation.ID()).Outcome(t.Context(), inspect.Outcome{Batch: 1, Status: inspect.OutcomeCommitted, Released: []inspect.Key{rowOf("a").Key}}))
	history := read(t, path)
	if len(history.Operations) != 1 || len(history.Operations[0].Rows()) != 1 || len(history.Unfinished(noon.Add(time.Hour))) != 0 {
		t.Errorf("history %+v", history)
	}
}
