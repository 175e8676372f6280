package audit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"idemtui/inspect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	noon   = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	person = Person{OSUser: "ann", SudoUser: "bob", SSHClient: "192.0.2.7"}
	// awkward is a value that JSON, lines and terminals could all break on.
	awkward = "line\nbreak \x1b[31m \u2028 <&> \"quoted\" \\ é 9223372036854775807"
)

// clock is an injected clock that tests move by hand.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func text(s string) *string { return &s }

func rowOf(key string) inspect.AuditRow {
	return inspect.AuditRow{
		Key:    inspect.TextKey("message_id", key),
		Before: []inspect.ColumnValue{{Column: "message_id", Value: text(key)}, {Column: "state", Value: text("PROCESSING")}, {Column: "payload", Value: text(awkward)}, {Column: "result"}},
		After:  []inspect.ColumnValue{{Column: "message_id", Value: text(key)}, {Column: "state", Value: text("FAILED")}, {Column: "payload", Value: text(awkward)}, {Column: "result"}},
	}
}

func intentOf(batch int, keys ...string) inspect.Intent {
	intent := inspect.Intent{
		Action: inspect.ActionRelease, Batch: batch, At: noon, Database: "payments@db-1:5432", DBUser: "oncall", Table: "public.claims",
		PlanID: "p-1", Mode: inspect.ReleaseFail, Reason: "worker is gone", SQL: "UPDATE ...",
	}
	for _, key := range keys {
		intent.Rows = append(intent.Rows, rowOf(key))
	}
	return intent
}

func openAt(t *testing.T, path string, now func() time.Time) *Folder {
	t.Helper()
	folder, err := Open(path, now, person)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	return folder
}

func read(t *testing.T, path string) History {
	t.Helper()
	history, err := Read(path, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return history
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnOperationIsReadAsItWasWritten(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "deep", "state"), &clock{noon}
	operation := openAt(t, path, c.now).Begin()
	first, second := intentOf(1, "a", "b"), intentOf(2, "c")
	must(t, operation.Intent(t.Context(), first))
	must(t, operation.Outcome(t.Context(), inspect.Outcome{
		Batch: 1, Status: inspect.OutcomeCommitted, Released: []inspect.Key{first.Rows[0].Key},
		Skipped: []inspect.Skip{{Key: first.Rows[1].Key, Reason: inspect.ReasonRenewed, Text: "its lease moved"}},
	}))
	c.at = c.at.Add(13 * time.Hour) // the day ends in the middle of it
	must(t, operation.Intent(t.Context(), second))
	must(t, operation.Outcome(t.Context(), inspect.Outcome{Batch: 2, Status: inspect.OutcomeRolledBack, Error: awkward}))

	history := read(t, path)
	if len(history.Operations) != 1 || len(history.Damaged) != 0 {
		t.Fatalf("%d operations, damaged %v", len(history.Operations), history.Damaged)
	}
	past, err := history.Find(operation.ID())
	must(t, err)
	if past.Person != person || past.Reason != first.Reason || past.Table != first.Table || past.DBUser != "oncall" || !past.Time.Equal(noon) {
		t.Errorf("read %+v", past)
	}
	equal := cmp.Comparer(func(a, b inspect.Key) bool { return a == b })
	if diff := cmp.Diff([]inspect.Intent{first, second}, []inspect.Intent{past.Batches[0].Intent, past.Batches[1].Intent}, equal); diff != "" {
		t.Errorf("intents (-written +read):\n%s", diff)
	}
	if got := past.Batches[1].Outcome; got.Error != awkward || got.Status != inspect.OutcomeRolledBack {
		t.Errorf("outcome %+v", got)
	}
	if diff := cmp.Diff(first.Rows[:1], past.Rows(), equal); diff != "" {
		t.Errorf("changed rows (-want +got):\n%s", diff)
	}
	if _, err := history.Find("20260101-0000-xxxxxx"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an unknown id: %v", err)
	}
	later, err := Read(path, noon.Add(24*time.Hour))
	if err != nil || len(later.Operations) != 1 || len(later.Operations[0].Batches) != 1 {
		t.Errorf("from the second day on: %+v, %v", later, err)
	}
}

func TestFilesAndFolderAreTheOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	must(t, openAt(t, path, (&clock{noon}).now).Begin().Intent(t.Context(), intentOf(1, "a")))
	for name, want := range map[string]os.FileMode{path: 0o700, filepath.Join(path, "audit-2026-11-29.jsonl"): 0o600} {
		info, err := os.Stat(name)
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", name, info.Mode().Perm(), want)
		}
	}
}

func TestEveryLineIsOneObjectWithItsSchemaFirst(t *testing.T) {
	path := t.TempDir()
	operation := openAt(t, path, (&clock{noon}).now).Begin()
	must(t, operation.Intent(t.Context(), intentOf(1, awkward)))
	must(t, operation.Outcome(t.Context(), inspect.Outcome{Batch: 1, Status: inspect.OutcomeCommitted}))
	content, err := os.ReadFile(filepath.Join(path, "audit-2026-11-29.jsonl"))
	must(t, err)
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines, want 2", len(lines))
	}
	for i, kind := range []string{kindIntent, kindOutcome} {
		if want := `{"schema":"idemtui.audit/v1","record":"` + kind + `","id":"` + operation.ID() + `","time":"2026-11-29T12:00:00.000000Z",`; !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d begins %.150s", i+1, lines[i])
		}
	}
}

func TestIDsAreTypable(t *testing.T) {
	form := regexp.MustCompile(`^20261129-1200-[a-hjkmnp-z2-9]{6}$`)
	seen := map[string]bool{}
	for range 200 {
		id := newID(noon)
		if !form.MatchString(id) || seen[id] {
			t.Errorf("%s", id)
		}
		seen[id] = true
	}
}

func TestOnlyTheColumnsAskedForAreKept(t *testing.T) {
	path := t.TempDir()
	operation := openAt(t, path, (&clock{noon}).now).Begin("message_id", "state")
	intent := intentOf(1, "a")
	must(t, operation.Intent(t.Context(), intent))
	row := read(t, path).Operations[0].Batches[0].Intent.Rows[0]
	if len(row.Before) != 2 || len(row.After) != 2 || row.Before[1].Column != "state" {
		t.Errorf("kept %+v", row)
	}
	if len(intent.Rows[0].Before) != 4 {
		t.Error("the caller's rows were cut")
	}
}

func TestUnfinishedNamesBatchesWithoutAKnownEnd(t *testing.T) {
	path, c := t.TempDir(), &clock{noon}
	folder := openAt(t, path, c.now)
	begin := func(status inspect.OutcomeStatus) *Operation {
		operation := folder.Begin()
		must(t, operation.Intent(t.Context(), intentOf(1, "a")))
		if status != "" {
			must(t, operation.Outcome(t.Context(), inspect.Outcome{Batch: 1, Status: status, Released: []inspect.Key{rowOf("a").Key}}))
		}
		return operation
	}
	begin(inspect.OutcomeCommitted)
	begin(inspect.OutcomeRolledBack)
	unknown, cut, undone := begin(inspect.OutcomeUnknown), begin(""), begin("")
	for status, of := range map[inspect.OutcomeStatus]*Operation{inspect.OutcomeCommitted: undone, inspect.OutcomeRolledBack: cut} {
		undo := intentOf(1, "a")
		undo.UndoOf = of.ID()
		operation := folder.Begin()
		must(t, operation.Intent(t.Context(), undo))
		must(t, operation.Outcome(t.Context(), inspect.Outcome{Batch: 1, Status: status}))
	}

	if got := read(t, path).Unfinished(noon.Add(2 * time.Minute)); len(got) != 1 || got[0].ID != unknown.ID() {
		t.Errorf("%d are reported while they are at work", len(got))
	}
	folder.unmark() // as where there are no locks
	history := read(t, path)
	if got := history.Unfinished(noon.Add(30 * time.Second)); len(got) != 1 {
		t.Errorf("%d are reported while they may be at work", len(got))
	}
	var ids []string
	for _, past := range history.Unfinished(noon.Add(2 * time.Minute)) {
		ids = append(ids, past.ID)
		if len(past.Rows()) != 1 {
			t.Errorf("%s has %d rows to look at, want 1", past.ID, len(past.Rows()))
		}
	}
	if diff := cmp.Diff([]string{unknown.ID(), cut.ID()}, ids); diff != "" {
		t.Errorf("unfinished (-want +got):\n%s", diff)
	}
}

func TestACancelledOperationStillHasItsOutcome(t *testing.T) {
	path := t.TempDir()
	operation := openAt(t, path, (&clock{noon}).now).Begin()
	ctx, cancel := context.WithCancel(t.Context())
	must(t, operation.Intent(ctx, intentOf(1, "a")))
	cancel()
	if err := operation.Intent(ctx, intentOf(2, "b")); !errors.Is(err, context.Canceled) {
		t.Errorf("an intent after the cancel: %v", err)
	}
	must(t, operation.Outcome(ctx, inspect.Outcome{Batch: 1, Status: inspect.OutcomeCommitted}))
	if batches := read(t, path).Operations[0].Batches; len(batches) != 1 || !batches[0].Known() {
		t.Errorf("batches %+v", batches)
	}
}

func TestATornLineSpoilsNoOther(t *testing.T) {
	path, c := t.TempDir(), &clock{noon}
	folder := openAt(t, path, c.now)
	before := folder.Begin()
	must(t, before.Intent(t.Context(), intentOf(1, "a")))
	name := filepath.Join(path, fileName(noon))
	content, err := os.ReadFile(name)
	must(t, err)
	for cut := 1; cut < len(content); cut += 97 {
		must(t, os.WriteFile(name, append(append([]byte{}, content...), content[:cut]...), 0o600))
		after := folder.Begin()
		must(t, after.Intent(t.Context(), intentOf(1, "b")))
		history := read(t, path)
		if _, err := history.Find(after.ID()); err != nil || len(history.Operations) != 2 {
			t.Fatalf("cut at %d: %d operations, %v", cut, len(history.Operations), err)
		}
		if want := []string{"audit-2026-11-29.jsonl:2"}; !cmp.Equal(history.Damaged, want) {
			t.Fatalf("cut at %d: damaged %v, want %v", cut, history.Damaged, want)
		}
	}
}

func TestNoFolderIsAnEmptyHistory(t *testing.T) {
	history, err := Read(filepath.Join(t.TempDir(), "absent"), time.Time{})
	if err != nil || len(history.Operations) != 0 {
		t.Errorf("%+v, %v", history, err)
	}
}

func TestDefaultFolder(t *testing.T) {
	for _, c := range []struct{ state, home, want string }{
		{"/state", "/home/ann", "/state/idemtui"},
		{"", "/home/ann", "/home/ann/.local/state/idemtui"},
		{"relative", "/home/ann", "/home/ann/.local/state/idemtui"},
		{"", "", ""},
	} {
		environment := map[string]string{"XDG_STATE_HOME": c.state, "HOME": c.home}
		got, err := DefaultFolder(func(name string) string { return environment[name] })
		if got != filepath.FromSlash(c.want) || (err != nil) != (c.want == "") {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

func TestMeReadsWhoIsBehindSudoAndSSH(t *testing.T) {
	environment := map[string]string{"SUDO_USER": "ann", "SSH_CONNECTION": "192.0.2.7 50000 10.0.0.1 22"}
	me := Me(func(name string) string { return environment[name] })
	if me.OSUser == "" || me.SudoUser != "ann" || me.SSHClient != "192.0.2.7" {
		t.Errorf("%+v", me)
	}
}

// keyNumber makes distinct keys for tests with many rows.
func keyNumber(i int) string { return "pay_" + strconv.Itoa(i) }
