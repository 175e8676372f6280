//go:build unix

package servertest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Pooler is a private PgBouncer in front of a test's database.
type Pooler struct {
	t       testing.TB
	db      *DB
	process *supervised
	folder  workFolder
	port    int
}

// Pooled starts a PgBouncer in transaction mode in front of the database; it is
// stopped with the test. The settings are lines of pgbouncer.ini that override
// its own, such as "ignore_startup_parameters = statement_timeout". It skips
// the test where PgBouncer is not installed.
func (d *DB) Pooled(settings ...string) *Pooler {
	d.t.Helper()
	program := "/usr/sbin/pgbouncer" // where Debian keeps it, outside many a PATH
	if path, err := exec.LookPath("pgbouncer"); err == nil {
		program = path
	} else if !hasPrograms("/usr/sbin", "pgbouncer") {
		unavailable(d.t, "PgBouncer is not installed: make deps")
	}
	as, err := serverAccount()
	if err != nil {
		unavailable(d.t, err.Error())
	}
	folder, err := newFolder(as)
	if err != nil {
		d.t.Fatalf("start PgBouncer: %v", err)
	}
	p := &Pooler{t: d.t, db: d, folder: folder}
	// It keeps nothing, so it may be killed: the signals that end it gently
	// differ from version to version.
	p.process, err = supervise(as, folder, "KILL", []string{program, p.ini()})
	if err != nil {
		folder.remove()
		d.t.Fatalf("start PgBouncer: %v", err)
	}
	d.t.Cleanup(p.process.end)
	if err := p.run(as, settings); err != nil {
		d.t.Fatalf("start PgBouncer: %v", err)
	}
	return p
}

func (p *Pooler) ini() string { return filepath.Join(p.folder.path, "pgbouncer.ini") }

// DSN is the superuser's connection string through the pooler.
func (p *Pooler) DSN() string { return p.dsn("postgres", p.db.server.password) }

// RoleDSN is a role's connection string through the pooler.
func (p *Pooler) RoleDSN(role Role) string { return p.dsn(role.Name, role.Password) }

func (p *Pooler) dsn(role, password string) string {
	return (&pgServer{port: p.port}).dsn(role, password, p.db.name)
}

// run starts PgBouncer on a free port, trying again if another process takes
// it first.
func (p *Pooler) run(as account, settings []string) error {
	var err error
	for range 10 {
		if p.port, err = freePort(); err != nil {
			return err
		}
		if err = p.configure(as, settings); err != nil {
			return err
		}
		if err = p.process.start(); err != nil {
			return err
		}
		if err = p.wait(); !errors.Is(err, errPortTaken) {
			return err
		}
	}
	return err
}

// configure writes pgbouncer.ini. Passwords of roles are looked up in the
// server, so that a role may be made at any time.
func (p *Pooler) configure(as account, settings []string) error {
	users := filepath.Join(p.folder.path, "users")
	ini := []string{
		"[databases]", fmt.Sprintf("* = host=127.0.0.1 port=%d", p.db.server.port),
		"[pgbouncer]", "listen_addr = 127.0.0.1", "listen_port = " + strconv.Itoa(p.port), "unix_socket_dir =",
		"auth_type = scram-sha-256", "auth_file = " + users, "auth_user = postgres",
		"auth_query = SELECT usename, passwd FROM pg_catalog.pg_shadow WHERE usename = $1",
		"pool_mode = transaction", "default_pool_size = 4", "max_client_conn = 100",
	}
	for path, content := range map[string]string{
		users:   fmt.Sprintf("\"postgres\" \"%s\"\n", p.db.server.password),
		p.ini(): strings.Join(append(ini, settings...), "\n") + "\n",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return fmt.Errorf("configure PgBouncer: %w", err)
		}
		if err := as.own(path); err != nil {
			return err
		}
	}
	return nil
}

// wait waits until PgBouncer listens. It says so in its log; a connection
// would not tell whether it is not another process that listens there.
func (p *Pooler) wait() error {
	ready := fmt.Sprintf("listening on 127.0.0.1:%d", p.port)
	taken := fmt.Sprintf("127.0.0.1:%d: Address already in use", p.port)
	for deadline := time.Now().Add(startLimit); ; time.Sleep(10 * time.Millisecond) {
		content, _ := os.ReadFile(p.folder.log())
		said := string(content)
		switch {
		case strings.Contains(said, taken):
			return errPortTaken
		case strings.Contains(said, ready) && strings.Contains(said, "process up"):
			return nil
		case strings.Contains(said, "FATAL"), time.Now().After(deadline):
			return fmt.Errorf("it did not start; it said:\n%s", said)
		}
	}
}
