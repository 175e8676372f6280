//go:build unix

package cli

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"idemtui/inspect/servertest"
	"idemtui/ui/ptytest"
)

// chokePoint is a proxy before a server that stops at the commit of a release.
type chokePoint struct {
	listener net.Listener
	server   string
	// passes: the commit reaches the server, and its answer does not come back.
	passes bool
	// let is how many commits after a write pass first.
	let atomic.Int32
	// armed: the next commit after a write is stopped.
	armed   sync.Once
	off     chan struct{} // closed: everything passes
	stopped chan struct{} // closed when a commit was stopped
}

func newChokePoint(t *testing.T, db *servertest.DB, passes bool) *chokePoint {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dsn, err := url.Parse(db.DSN())
	if err != nil {
		t.Fatal(err)
	}
	c := &chokePoint{listener: listener, server: dsn.Host, passes: passes, off: make(chan struct{}), stopped: make(chan struct{})}
	var all sync.WaitGroup
	t.Cleanup(func() {
		listener.Close()
		all.Wait()
	})
	all.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { c.serve(client) })
		}
	})
	return c
}

// dsn leads through the choke point.
func (c *chokePoint) dsn(t *testing.T, db *servertest.DB) string {
	t.Helper()
	dsn, err := url.Parse(db.DSN())
	if err != nil {
		t.Fatal(err)
	}
	dsn.Host = c.listener.Addr().String()
	return dsn.String()
}

func (c *chokePoint) serve(client net.Conn) {
	server, err := net.Dial("tcp", c.server)
	if err != nil {
		client.Close()
		return
	}
	var both sync.WaitGroup
	silent := make(chan struct{})
	both.Go(func() { c.answers(client, server, silent) })
	both.Go(func() { c.questions(client, server, silent) })
	both.Wait()
}

// questions carries what the client says, and watches for the commit of a
// transaction that wrote.
func (c *chokePoint) questions(client, server net.Conn, silent chan struct{}) {
	defer server.Close()
	wrote := false
	buffer := make([]byte, 1<<16)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		said := buffer[:n]
		wrote = wrote || bytes.Contains(said, []byte("SKIP LOCKED"))
		if wrote && bytes.Contains(said, []byte("COMMIT")) && c.stops() {
			if c.passes {
				close(silent)
				if _, err := server.Write(said); err != nil {
					return
				}
			}
			close(c.stopped)
			_, _ = io.Copy(io.Discard, client) // until the client is gone
			return
		}
		if _, err := server.Write(said); err != nil {
			return
		}
	}
}

// stops is true for one commit, unless everything passes.
func (c *chokePoint) stops() bool {
	select {
	case <-c.off:
		return false
	default:
	}
	if c.let.Add(-1) >= 0 {
		return false
	}
	stops := false
	c.armed.Do(func() { stops = true })
	return stops
}

// answers carries what the server says, until it is to be silent.
func (c *chokePoint) answers(client, server net.Conn, silent chan struct{}) {
	defer client.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := server.Read(buffer)
		if err != nil {
			return
		}
		select {
		case <-silent:
			continue
		default:
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

const interruptedTable = `CREATE TABLE processed_messages (
 message_id text PRIMARY KEY, state text NOT NULL, owner text, claimed_at timestamptz, lease_expires_at timestamptz,
 completed_at timestamptz, updated_at timestamptz, attempts int NOT NULL DEFAULT 1, fencing_token bigint, result jsonb);
INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at, fencing_token)
 SELECT 'pay_' || n, 'PROCESSING', 'w', now() - interval '1 hour', now() - interval '50 minutes', n FROM generate_series(1, 3) n`

// process is a command of the program with a state folder of its own.
func process(t *testing.T, folder string, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.Command(ptytest.Program(t, programFolder), args...)
	command.Env = append(os.Environ(), "XDG_STATE_HOME="+folder, "XDG_CONFIG_HOME="+folder+"-config")
	return command
}

// says runs a command and returns both of its streams.
func says(t *testing.T, want int, command *exec.Cmd) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	_ = command.Run() // the exit code says it
	if code := command.ProcessState.ExitCode(); code != want {
		t.Fatalf("%v: exit %d, want %d\n%s%s", command.Args, code, want, &out, &errs)
	}
	return out.String(), errs.String()
}

func TestAReleaseKilledAtItsCommitIsReportedAndResolved(t *testing.T) {
	for name, c := range map[string]struct {
		passes bool
		state  string
		want   string
	}{
		"before the commit reached the server": {false, "PROCESSING", "it was not committed: nothing was changed"},
		"after the server committed":           {true, "FAILED", "it was committed: 3 rows written"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := servertest.Postgres(t)
			db.Exec(interruptedTable)
			choke := newChokePoint(t, db, c.passes)
			folder, dsn := t.TempDir(), choke.dsn(t, db)
			release := process(t, folder, "inspect", "release", "pay_1", "pay_2", "pay_3", "--dsn", dsn, "--yes", "--reason", "x")
			if err := release.Start(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-choke.stopped:
			case <-time.After(time.Minute):
				t.Fatal("no commit came")
			}
			// While it is at work it is not reported.
			if _, stderr := says(t, 0, process(t, folder, "inspect", "audit")); stderr != "" {
				t.Errorf("reported while at work: %s", stderr)
			}
			if stdout, _ := says(t, 0, process(t, folder, "inspect", "audit")); !strings.Contains(stdout, "at work") {
				t.Errorf("audit says\n%s", stdout)
			}
			if err := release.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = release.Wait()
			close(choke.off)
			for deadline := time.Now().Add(time.Minute); db.Text("SELECT max(state) FROM processed_messages") != c.state || db.Int("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'idemtui %' AND datname = current_database()") > 0; {
				if time.Now().After(deadline) {
					t.Fatalf("state %s, want %s", db.Text("SELECT max(state) FROM processed_messages"), c.state)
				}
			}
			if stdout, _ := says(t, 0, process(t, folder, "inspect", "audit")); !strings.Contains(stdout, "INTERRUPTED") {
				t.Errorf("audit says\n%s", stdout)
			}
			// The next start reports it, reads the rows again and notes the end.
			// The audit does so even where several tables fit: it needs none chosen.
			next := "list"
			if c.passes {
				next = "audit"
				db.Exec("CREATE SCHEMA other; CREATE TABLE other.processed_messages (LIKE processed_messages INCLUDING ALL)")
			}
			_, stderr := says(t, 0, process(t, folder, "inspect", next, "--dsn", dsn))
			if !strings.Contains(stderr, "was interrupted") || !strings.Contains(stderr, c.want) {
				t.Errorf("the next start says\n%s", stderr)
			}
			db.Exec("DROP SCHEMA IF EXISTS other CASCADE")
			if _, stderr := says(t, 0, process(t, folder, "inspect", "list", "--dsn", dsn)); stderr != "" {
				t.Errorf("reported again:\n%s", stderr)
			}
			undoInterrupted(t, db, folder, dsn, c.passes)
		})
	}
}

// undoInterrupted takes an interrupted release back, if it was committed.
func undoInterrupted(t *testing.T, db *servertest.DB, folder, dsn string, committed bool) {
	t.Helper()
	stdout, _ := says(t, 0, process(t, folder, "inspect", "audit", "--format", "json"))
	id := regexp.MustCompile(`"id": "([^"]+)"`).FindStringSubmatch(stdout)
	if id == nil {
		t.Fatalf("no id in\n%s", stdout)
	}
	stdout, _ = says(t, 0, process(t, folder, "inspect", "undo", id[1], "--dsn", dsn, "--yes", "--reason", "killed"))
	want := "0 put back"
	if committed {
		want = "3 put back"
	}
	if !strings.Contains(stdout, want) || db.Text("SELECT string_agg(DISTINCT state, ',') FROM processed_messages") != "PROCESSING" {
		t.Errorf("undo says\n%s", stdout)
	}
}

func TestTwoIdemtuiReleaseEachClaimOnce(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(interruptedTable)
	db.Exec("INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at, fencing_token) SELECT 'm' || n, 'PROCESSING', 'w', now() - interval '1 hour', now() - interval '50 minutes', n FROM generate_series(1, 2000) n")
	folder := t.TempDir()
	plan := regexp.MustCompile(`"id": "([^"]+)"`)
	stdout, _ := says(t, 0, process(t, folder, "inspect", "release", "--owner", "w", "--dsn", db.DSN(), "--format", "json"))
	id := plan.FindStringSubmatch(stdout)[1]
	var outputs [2]bytes.Buffer
	var commands [2]*exec.Cmd
	for i := range commands {
		commands[i] = process(t, folder, "inspect", "release", "--plan", id, "--dsn", db.DSN(), "--yes", "--reason", "x", "--max", "3000")
		commands[i].Stdout = &outputs[i]
		if err := commands[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	released := 0
	for i := range commands {
		_ = commands[i].Wait() // the one that comes late is refused, as it should
		section, _, _ := strings.Cut(outputs[i].String(), "\nskipped\n")
		released += len(regexp.MustCompile(`(?m)^  (pay_|m)\d+$`).FindAllString(section, -1))
	}
	if released != 2003 || db.Int("SELECT count(*) FROM processed_messages WHERE state = 'FAILED'") != 2003 {
		t.Errorf("%d released in all, want 2003\n%.2000s\n%.2000s", released, &outputs[0], &outputs[1])
	}
	if stdout, stderr := says(t, 0, process(t, folder, "inspect", "audit")); stderr != "" || strings.Contains(stdout, "INTERRUPTED") {
		t.Errorf("the record says\n%s%s", stdout, stderr)
	}
}

func TestNothingIsReleasedWhereTheRecordCannotBeKept(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(interruptedTable)
	refused := func(name, want string, command *exec.Cmd) {
		t.Helper()
		stdout, stderr := says(t, 1, command)
		if stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: %q, %q", name, stdout, stderr)
		}
		if n := db.Int("SELECT count(*) FROM processed_messages WHERE state = 'PROCESSING'"); n != 3 {
			t.Errorf("%s: %d rows left", name, n)
		}
	}
	args := []string{"inspect", "release", "pay_1", "pay_2", "pay_3", "--dsn", db.DSN(), "--yes", "--reason", "x"}
	// No file may grow, as on a full disk.
	full := process(t, t.TempDir())
	full.Args = append([]string{"/bin/sh", "-c", `ulimit -f 0 && exec "$@"`, "sh", full.Path}, args...)
	full.Path = "/bin/sh"
	refused("full disk", "the change was not made", full)
	open := t.TempDir()
	if err := os.MkdirAll(filepath.Join(open, "idemtui"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(open, "idemtui"), 0o777); err != nil {
		t.Fatal(err)
	}
	refused("a folder that others may write to", "can be written to by others", process(t, open, args...))
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a folder that cannot be made", "cannot be made", process(t, blocked, args...))
}

func TestAServerThatCrashesAtTheCommitIsAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		passes bool
		code   int
		state  string
		want   string
	}{
		"before the commit reached the server": {false, 4, "PROCESSING", "0 released, 0 skipped, 3 failed"},
		"after the server committed":           {true, 0, "FAILED", "3 released, 0 skipped, 0 failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := servertest.OwnPostgres(t, "synchronous_commit = on")
			db.Exec(interruptedTable)
			choke := newChokePoint(t, db, c.passes)
			folder, dsn := t.TempDir(), choke.dsn(t, db)
			release := process(t, folder, "inspect", "release", "pay_1", "pay_2", "pay_3", "--dsn", dsn, "--yes", "--reason", "x")
			var stdout, stderr bytes.Buffer
			release.Stdout, release.Stderr = &stdout, &stderr
			if err := release.Start(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-choke.stopped:
			case <-time.After(time.Minute):
				t.Fatal("no commit came")
			}
			for deadline := time.Now().Add(time.Minute); c.passes && db.Text("SELECT max(state) FROM processed_messages") != c.state; {
				if time.Now().After(deadline) {
					t.Fatal("the server did not commit")
				}
			}
			close(choke.off)
			db.Restart(true)
			_ = release.Wait() // the exit code says it
			if code := release.ProcessState.ExitCode(); code != c.code || !strings.Contains(stdout.String(), c.want) {
				t.Errorf("exit %d, want %d\n%s%s", code, c.code, &stdout, &stderr)
			}
			if got := db.Text("SELECT string_agg(DISTINCT state, ',') FROM processed_messages"); got != c.state {
				t.Errorf("state %s, want %s", got, c.state)
			}
			if audit, _ := says(t, 0, process(t, folder, "inspect", "audit")); strings.Contains(audit, "INTERRUPTED") {
				t.Errorf("the record says\n%s", audit)
			}
		})
	}
}

func TestInterruptingAFollowTellsWhatIsKnown(t *testing.T) {
	db := servertest.Postgres(t)
	db.Exec(interruptedTable)
	folder := t.TempDir()
	release := process(t, folder, "inspect", "release", "pay_1", "pay_2", "--dsn", db.DSN(), "--yes", "--reason", "x", "--follow", "5m", "--refresh", "100ms")
	var stdout, stderr bytes.Buffer
	release.Stdout, release.Stderr = &stdout, &stderr
	if err := release.Start(); err != nil {
		t.Fatal(err)
	}
	// The writing session has ended, and the keys are being read.
	reading := func() bool {
		return db.Int("SELECT count(*) FROM processed_messages WHERE state = 'FAILED'") == 2 &&
			db.Int("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query = 'COMMIT' AND application_name = 'idemtui'") > 0 &&
			db.Int("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'idemtui%'") == 1
	}
	for deadline := time.Now().Add(time.Minute); !reading(); {
		if time.Now().After(deadline) {
			t.Fatal("the keys are not followed")
		}
	}
	if err := release.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = release.Wait() // the exit code says it
	if code := release.ProcessState.ExitCode(); code != 130 || !strings.Contains(stdout.String(), "2 released, 0 skipped") || !strings.HasPrefix(stderr.String(), "idemtui: interrupted") {
		t.Errorf("exit %d\n%s%s", code, &stdout, &stderr)
	}
}
