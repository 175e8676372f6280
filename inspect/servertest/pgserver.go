//go:build unix

package servertest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// startLimit is how long a server may take to become ready; the machine may
// be running every other package's tests at the same time.
const startLimit = 60 * time.Second

// pgSettings makes a test server fast (nothing survives a crash of the machine,
// and need not) and a little hostile: its time zone is not UTC and has summer
// time, so that code leaning on the session's zone is found out.
const pgSettings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 60
shared_buffers = 64MB
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum_naptime = 10s
timezone = 'America/New_York'
log_timezone = 'UTC'
lc_messages = 'C'
log_line_prefix = '%m [%p] %q%u@%d '
`

// pgServer is one private PostgreSQL server.
type pgServer struct {
	process  *supervised
	folder   workFolder
	port     int
	password string
}

// startPostgres makes a data folder and starts a server in it; settings are
// lines of postgresql.conf that override pgSettings.
func startPostgres(bin string, as account, settings ...string) (*pgServer, error) {
	folder, err := newFolder(as)
	if err != nil {
		return nil, err
	}
	server := &pgServer{folder: folder, password: rand.Text()}
	if err := server.initialise(bin, as, settings); err != nil {
		folder.remove()
		return nil, err
	}
	if err := server.run(bin, as); err != nil {
		folder.remove()
		return nil, err
	}
	return server, nil
}

// data is the server's data folder.
func (s *pgServer) data() string { return filepath.Join(s.folder.path, "data") }

// initialise runs initdb. Every connection needs a password, the superuser's
// too: other people of the same machine reach the loopback port as well.
func (s *pgServer) initialise(bin string, as account, settings []string) error {
	passwordFile := filepath.Join(s.folder.path, "password")
	if err := os.WriteFile(passwordFile, []byte(s.password+"\n"), 0o600); err != nil {
		return fmt.Errorf("prepare initdb: %w", err)
	}
	if err := as.own(passwordFile); err != nil {
		return err
	}
	command := exec.Command(
		filepath.Join(bin, "initdb"), "--pgdata", s.data(), "--username", "postgres", "--pwfile", passwordFile,
		"--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync",
	)
	command.Dir = s.folder.path
	command.Env = cleanEnvironment()
	command.SysProcAttr = as.attributes()
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, output)
	}
	if err := os.Remove(passwordFile); err != nil {
		return fmt.Errorf("remove initdb's password file: %w", err)
	}
	return s.addSettings(append([]string{pgSettings}, settings...))
}

// addSettings appends lines to postgresql.conf, where the last one counts.
func (s *pgServer) addSettings(settings []string) error {
	conf, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("write postgresql.conf: %w", err)
	}
	_, errWrite := conf.WriteString(strings.Join(settings, "\n") + "\n")
	if err := errors.Join(errWrite, conf.Close()); err != nil {
		return fmt.Errorf("write postgresql.conf: %w", err)
	}
	return nil
}

// run starts the server on a free port. Between finding the port and binding
// it another process may take it; then the next port is tried.
func (s *pgServer) run(bin string, as account) error {
	argv := []string{filepath.Join(bin, "postgres"), "-D", s.data()}
	process, err := supervise(as, s.folder, "QUIT", argv)
	if err != nil {
		return err
	}
	s.process = process
	for range 10 {
		if s.port, err = freePort(); err != nil {
			break
		}
		if err = s.start(); !errors.Is(err, errPortTaken) {
			break
		}
	}
	if err != nil {
		s.process.end()
	}
	return err
}

// errPortTaken says that another process listens on the port.
var errPortTaken = errors.New("the port of the test server is taken")

// start starts the server's program and waits until it accepts connections.
func (s *pgServer) start() error {
	if err := os.Truncate(s.folder.log(), 0); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	if err := s.process.start("-p", strconv.Itoa(s.port)); err != nil {
		return err
	}
	for deadline := time.Now().Add(startLimit); ; time.Sleep(10 * time.Millisecond) {
		// The eighth line is the state that the server itself writes.
		status, _ := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
		if lines := strings.Split(string(status), "\n"); len(lines) > 7 && strings.TrimSpace(lines[7]) == "ready" {
			return nil
		}
		said, _ := os.ReadFile(s.folder.log())
		if strings.Contains(string(said), "Address already in use") {
			return errPortTaken
		}
		// A session's line names its user before the word FATAL; only the
		// server's own end matters here.
		if strings.Contains(string(said), "] FATAL:") || time.Now().After(deadline) {
			return fmt.Errorf("PostgreSQL did not start; it said:\n%s", said)
		}
	}
}

// stop ends the server's program, by INT (connections are ended, the data
// written) or QUIT (as a crash), and waits for it.
func (s *pgServer) stop(signal string) error { return s.process.stop(signal) }

// dsn is the connection string of a role to a database of the server.
func (s *pgServer) dsn(role, password, database string) string {
	return (&url.URL{
		Scheme: "postgres", User: url.UserPassword(role, password), Path: "/" + database,
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)), RawQuery: "sslmode=disable",
	}).String()
}

// freePort asks the system for a loopback port that nobody listens on now.
func freePort() (int, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}
