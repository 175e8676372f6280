//go:build unix

package servertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// TestMain doubles as the program that TestServerEndsWithAKilledProcess kills.
func TestMain(m *testing.M) { Main(m) }

func TestEachTestHasItsOwnDatabase(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			db := Postgres(t)
			db.Exec("CREATE TABLE only_mine (id int PRIMARY KEY)")
			db.Exec("INSERT INTO only_mine VALUES ($1)", 7)
			if got := db.Int("SELECT id FROM only_mine"); got != 7 {
				t.Errorf("id = %d, want 7", got)
			}
		})
	}
	wg.Wait()
}

func TestDatabaseIsDroppedWithOpenSessions(t *testing.T) {
	var name string
	t.Run("uses a database", func(t *testing.T) {
		db := Postgres(t)
		name = db.Name()
		if _, err := db.Pool().Exec(t.Context(), "SELECT 1"); err != nil {
			t.Fatal(err)
		}
		conn, err := pgx.Connect(t.Context(), db.DSN()) // left open on purpose
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(context.Background()) })
	})
	if got := Postgres(t).Int("SELECT count(*) FROM pg_database WHERE datname = $1", name); got != 0 {
		t.Errorf("%s is still there", name)
	}
}

func TestServerListensOnLoopbackOnlyAndNotInUTC(t *testing.T) {
	db := Postgres(t)
	for setting, want := range map[string]string{
		"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off",
		"TimeZone": "America/New_York", "max_connections": "60", "track_commit_timestamp": "off",
	} {
		if got := db.Text("SELECT current_setting($1)", setting); got != want {
			t.Errorf("%s = %q, want %q", setting, got, want)
		}
	}
}

func TestRoleNeedsItsPasswordAndHasOnlyItsGrants(t *testing.T) {
	db := Postgres(t)
	db.Exec("CREATE TABLE claims (id int); CREATE TABLE hidden (id int)")
	role := db.Role("viewer", "SELECT ON claims", "pg_read_all_stats")
	conn := db.ConnAs(role.DSN)
	if _, err := conn.Exec(t.Context(), "SELECT * FROM claims"); err != nil {
		t.Errorf("granted: %v", err)
	}
	if _, err := conn.Exec(t.Context(), "SELECT * FROM hidden"); sqlState(err) != "42501" {
		t.Errorf("not granted: %v", err)
	}
	_, err := pgx.Connect(t.Context(), strings.Replace(role.DSN, role.Password, "wrong", 1))
	if sqlState(err) != "28P01" {
		t.Errorf("wrong password: %v", err)
	}
}

func TestOwnServerRestarts(t *testing.T) {
	db := OwnPostgres(t, "track_commit_timestamp = on", "max_connections = 9")
	db.Exec("CREATE TABLE kept (id int)")
	conn, port := db.Conn(), db.Port()
	for _, crash := range []bool{false, true} {
		db.Restart(crash)
		if err := conn.Ping(t.Context()); err == nil {
			t.Errorf("crash %v: the old session survived", crash)
		}
		db.Exec("INSERT INTO kept VALUES (1)")
		conn = db.Conn()
	}
	if db.Port() != port {
		t.Errorf("port changed from %d to %d", port, db.Port())
	}
	if got := db.Text("SELECT current_setting('track_commit_timestamp')"); got != "on" {
		t.Errorf("track_commit_timestamp = %s", got)
	}
	db.Stop(false)
	if _, err := pgx.Connect(t.Context(), db.DSN()); err == nil {
		t.Error("a stopped server took a connection")
	}
	db.Start()
	if got := db.Int("SELECT count(*) FROM kept"); got < 1 {
		t.Errorf("%d rows after a clean stop, want at least 1", got)
	}
}

func TestTakenPortIsTriedAnew(t *testing.T) {
	bin, as := postgresOrSkip(t)
	db := Postgres(t)
	folder, err := newFolder(as)
	if err != nil {
		t.Fatal(err)
	}
	server := &pgServer{folder: folder, password: "secret"}
	if err := server.initialise(bin, as, nil); err != nil {
		t.Fatal(err)
	}
	if server.process, err = supervise(as, folder, "QUIT", []string{filepath.Join(bin, "postgres"), "-D", server.data()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.process.end)
	server.port = db.Port()
	if err := server.start(); !errors.Is(err, errPortTaken) {
		t.Fatalf("on a taken port: %v", err)
	}
	if server.port, err = freePort(); err != nil {
		t.Fatal(err)
	}
	if err := server.start(); err != nil {
		t.Fatalf("on another port after it: %v", err)
	}
}

// killedVariable makes this test binary start a server, say where it is, and
// wait to be killed.
const killedVariable = "IDEMTUI_SERVERTEST_TO_BE_KILLED"

func TestServerEndsWithAKilledProcess(t *testing.T) {
	if out := os.Getenv(killedVariable); out != "" {
		db := Postgres(t)
		said := db.server.folder.path + "\n" + db.Text("SELECT pg_backend_pid()::text") + "\n" + db.DSN()
		if err := os.WriteFile(out+".new", []byte(said), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(out+".new", out); err != nil {
			t.Fatal(err)
		}
		select {}
	}
	postgresOrSkip(t)
	out := filepath.Join(t.TempDir(), "said")
	command := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), killedVariable+"="+out)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer command.Process.Kill()
	var lines []string
	eventually(t, "the other process starts a server", func() bool {
		said, err := os.ReadFile(out)
		lines = strings.Split(string(said), "\n")
		return err == nil
	})
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()
	eventually(t, "the folder is removed", func() bool {
		_, err := os.Stat(lines[0])
		return errors.Is(err, os.ErrNotExist)
	})
	pid, err := strconv.Atoi(lines[1])
	if err != nil {
		t.Fatal(err)
	}
	if process, err := os.FindProcess(pid); err == nil && process.Signal(syscall.Signal(0)) == nil {
		t.Errorf("backend %d still runs", pid)
	}
	if _, err := pgx.Connect(t.Context(), lines[2]); err == nil {
		t.Error("the server still takes connections")
	}
}

func TestSweepRemovesOnlyFoldersNobodyUses(t *testing.T) {
	parent := t.TempDir()
	left, used, other := filepath.Join(parent, folderPrefix+"1"), filepath.Join(parent, folderPrefix+"2"), filepath.Join(parent, "other")
	for _, folder := range []string{left, used, other} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := lockFolder(used)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	sweep(parent, time.Now().Add(-time.Hour))
	if _, err := os.Stat(left); err != nil {
		t.Error("a folder made just now was removed")
	}
	sweep(parent, time.Now().Add(time.Hour))
	for folder, want := range map[string]bool{left: false, used: true, other: true} {
		if _, err := os.Stat(folder); (err == nil) != want {
			t.Errorf("%s: there is %v, want %v", filepath.Base(folder), err == nil, want)
		}
	}
}

func TestUnavailableSkipsOrFails(t *testing.T) {
	for value, want := range map[string]string{"": "skip", "0": "skip", "1": "fail"} {
		t.Setenv(RequireVariable, value)
		var ended ending
		inGoroutine(func() { unavailable(&ended, "nothing installed") })
		if ended.how != want {
			t.Errorf("%s=%q: %s, want %s", RequireVariable, value, ended.how, want)
		}
	}
}

func TestMajorVersion(t *testing.T) {
	for folder, want := range map[string]int{
		"/usr/lib/postgresql/9/bin": 9, "/usr/lib/postgresql/15/bin": 15, "/usr/pgsql-17/bin": 17, "/opt/bin": 0,
	} {
		if got := majorVersion(folder); got != want {
			t.Errorf("%s: %d, want %d", folder, got, want)
		}
	}
}

// ending notes how unavailable or a failure ended a test, without ending this
// one.
type ending struct {
	testing.TB
	how, said string
	cleanups  []func()
}

func (e *ending) Helper()          {}
func (e *ending) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }
func (e *ending) Skip(...any)      { e.how = "skip"; runtime.Goexit() }
func (e *ending) Fatalf(format string, args ...any) {
	e.how, e.said = "fail", fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (e *ending) runCleanups() {
	for _, f := range e.cleanups {
		f()
	}
}

// inGoroutine runs what may end its goroutine.
func inGoroutine(f func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Wait()
}

func sqlState(err error) string {
	var failed *pgconn.PgError
	if errors.As(err, &failed) {
		return failed.Code
	}
	return ""
}

// eventually waits for a condition that another process brings about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(startLimit); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not happen that %s", what)
		}
	}
}
