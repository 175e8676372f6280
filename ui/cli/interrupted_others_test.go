//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"idemtui/inspect/servertest"
)

// What holds of a release holds of a settle and of an undo.

// other is a settle or an undo of three rows: from the state was to the state
// becomes.
type other struct {
	name, was, becomes string
	// ready prepares the rows and returns the command's words.
	ready func(t *testing.T, folder, dsn string) []string
	let   int32 // commits that ready makes
}

var others = []other{
	{"settle", "PROCESSING", "DONE", func(*testing.T, string, string) []string {
		return []string{"inspect", "settle", "pay_1", "pay_2", "pay_3", "--outcome", "charged", "--reference", "ch_1"}
	}, 0},
	{"undo", "FAILED", "PROCESSING", func(t *testing.T, folder, dsn string) []string {
		return []string{"inspect", "undo", releasedID(t, folder, dsn, "pay_1", "pay_2", "pay_3")}
	}, 1},
}

var auditID = regexp.MustCompile(`audit id +(\S+)`)

// releasedID releases keys and returns the audit id.
func releasedID(t *testing.T, folder, dsn string, keys ...string) string {
	t.Helper()
	words := append(append([]string{"inspect", "release"}, keys...), "--dsn", dsn, "--yes", "--reason", "x")
	stdout, _ := says(t, 0, process(t, folder, words...))
	id := auditID.FindStringSubmatch(stdout)
	if id == nil {
		t.Fatalf("no audit id in\n%s", stdout)
	}
	return id[1]
}

func statesOf(db *servertest.DB) string {
	return db.Text("SELECT string_agg(DISTINCT state, ',') FROM processed_messages")
}

// stoppedAt starts a command that stops at its commit.
func stoppedAt(t *testing.T, o other, db *servertest.DB, passes bool) (choke *chokePoint, folder, dsn string, command *exec.Cmd) {
	t.Helper()
	db.Exec(interruptedTable)
	choke = newChokePoint(t, db, passes)
	choke.let.Store(o.let)
	folder, dsn = t.TempDir(), choke.dsn(t, db)
	command = process(t, folder, append(o.ready(t, folder, dsn), "--dsn", dsn, "--yes", "--reason", "x")...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-choke.stopped:
	case <-time.After(time.Minute):
		t.Fatal("no commit came")
	}
	want := o.was
	if passes {
		want = o.becomes
	}
	for deadline := time.Now().Add(time.Minute); statesOf(db) != want; {
		if time.Now().After(deadline) {
			t.Fatalf("states %s, want %s", statesOf(db), want)
		}
	}
	return choke, folder, dsn, command
}

func TestASettleOrAnUndoKilledAtItsCommitIsReportedAndResolved(t *testing.T) {
	for _, o := range others {
		for _, passes := range []bool{false, true} {
			t.Run(o.name, func(t *testing.T) {
				t.Parallel()
				db := servertest.Postgres(t)
				choke, folder, dsn, command := stoppedAt(t, o, db, passes)
				if err := command.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				_ = command.Wait()
				close(choke.off)
				for deadline := time.Now().Add(time.Minute); db.Int("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'idemtui %' AND datname = current_database()") > 0; {
					if time.Now().After(deadline) {
						t.Fatal("its session stays")
					}
				}
				want := "it was not committed: nothing was changed"
				if passes {
					want = "it was committed: 3 rows written"
				}
				if _, stderr := says(t, 0, process(t, folder, "inspect", "list", "--dsn", dsn)); !strings.Contains(stderr, o.name+" ") || !strings.Contains(stderr, want) {
					t.Errorf("the next start says\n%s", stderr)
				}
				if _, stderr := says(t, 0, process(t, folder, "inspect", "list", "--dsn", dsn)); stderr != "" {
					t.Errorf("reported again:\n%s", stderr)
				}
			})
		}
	}
}

func TestASettleOrAnUndoAsksAgainWhereTheServerCrashesAtItsCommit(t *testing.T) {
	for i, o := range others {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			db := servertest.OwnPostgres(t, "synchronous_commit = on")
			passes := i == 1
			choke, folder, _, command := stoppedAt(t, o, db, passes)
			close(choke.off)
			db.Restart(true)
			_ = command.Wait() // the exit code says it
			code, state := 4, o.was
			if passes {
				code, state = 0, o.becomes
			}
			if got := command.ProcessState.ExitCode(); got != code || statesOf(db) != state {
				t.Errorf("exit %d, want %d; states %s, want %s\n%s", got, code, statesOf(db), state, command.Stdout)
			}
			if audit, _ := says(t, 0, process(t, folder, "inspect", "audit")); strings.Contains(audit, "INTERRUPTED") {
				t.Errorf("the record says\n%s", audit)
			}
		})
	}
}

func TestNothingIsSettledOrUndoneWhereTheRecordCannotBeKept(t *testing.T) {
	for _, o := range others {
		t.Run(o.name, func(t *testing.T) {
			db := servertest.Postgres(t)
			db.Exec(interruptedTable)
			folder := t.TempDir()
			words := append(o.ready(t, folder, db.DSN()), "--dsn", db.DSN(), "--yes", "--reason", "x")
			refused := func(name, want string, command *exec.Cmd) {
				t.Helper()
				stdout, stderr := says(t, 1, command)
				if stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) || statesOf(db) != o.was {
					t.Errorf("%s: %q, %q; states %s", name, stdout, stderr, statesOf(db))
				}
			}
			full := process(t, folder)
			full.Args = append([]string{"/bin/sh", "-c", `ulimit -f 0 && exec "$@"`, "sh", full.Path}, words...)
			full.Path = "/bin/sh"
			refused("full disk", "the change was not made", full)
			state := filepath.Join(folder, "idemtui")
			if err := os.MkdirAll(state, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(state, 0o777); err != nil {
				t.Fatal(err)
			}
			refused("a folder that others may write to", "can be written to by others", process(t, folder, words...))
		})
	}
}

func TestTwoIdemtuiSettleOrUndoEachClaimOnce(t *testing.T) {
	for _, o := range others {
		t.Run(o.name, func(t *testing.T) {
			db := servertest.Postgres(t)
			db.Exec(interruptedTable)
			db.Exec("CREATE TABLE written (key text); CREATE FUNCTION note_written() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.written VALUES (OLD.message_id); RETURN NULL; END $$")
			folder := t.TempDir()
			words := append(o.ready(t, folder, db.DSN()), "--dsn", db.DSN(), "--yes", "--reason", "x")
			db.Exec("CREATE TRIGGER note_written AFTER UPDATE ON processed_messages FOR EACH ROW EXECUTE FUNCTION note_written()")
			var commands [2]*exec.Cmd
			for i := range commands {
				commands[i] = process(t, folder, words...)
				if err := commands[i].Start(); err != nil {
					t.Fatal(err)
				}
			}
			for _, command := range commands {
				_ = command.Wait() // the one that comes late is refused, as it should
			}
			if got := db.Text("SELECT string_agg(key, ',' ORDER BY key) FROM written"); got != "pay_1,pay_2,pay_3" || statesOf(db) != o.becomes {
				t.Errorf("written %s, states %s", got, statesOf(db))
			}
			if stdout, stderr := says(t, 0, process(t, folder, "inspect", "audit")); stderr != "" || strings.Contains(stdout, "INTERRUPTED") {
				t.Errorf("the record says\n%s%s", stdout, stderr)
			}
		})
	}
}
