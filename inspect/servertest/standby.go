//go:build unix

package servertest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// Standby makes a hot standby of the server of OwnPostgres: a second server that
// streams from it and can be read. It has caught up when Standby returns, and
// is stopped with the test. The settings are lines of postgresql.conf.
func (d *DB) Standby(settings ...string) *DB {
	d.t.Helper()
	d.mustOwn()
	bin, as := postgresOrSkip(d.t)
	folder, err := newFolder(as)
	if err != nil {
		d.t.Fatalf("make a standby: %v", err)
	}
	server := &pgServer{folder: folder, password: d.server.password}
	err = server.copyOf(d.server, bin, as)
	if err == nil {
		err = server.addSettings(settings)
	}
	if err == nil {
		err = server.run(bin, as)
	}
	if err != nil {
		folder.remove()
		d.t.Fatalf("make a standby: %v", err)
	}
	d.t.Cleanup(server.process.end)
	standby := &DB{t: d.t, server: server, owned: true, name: d.name, primary: d}
	d.t.Cleanup(standby.drop)
	standby.CatchUp()
	return standby
}

// CatchUp waits until a standby shows everything that its primary has written
// so far.
func (d *DB) CatchUp() {
	d.t.Helper()
	if d.primary == nil {
		d.t.Fatal("only a standby can catch up")
	}
	// Commits are asynchronous here; one that is not takes all before it to disk,
	// from where they are sent.
	d.primary.Exec("BEGIN; SET LOCAL synchronous_commit = on; SELECT pg_logical_emit_message(true, 'servertest', ''); COMMIT")
	lsn := d.primary.Text("SELECT pg_current_wal_flush_lsn()::text")
	for deadline := time.Now().Add(startLimit); ; time.Sleep(10 * time.Millisecond) {
		var there bool
		d.Scan([]any{&there}, "SELECT COALESCE(pg_last_wal_replay_lsn() >= $1::pg_lsn, false)", lsn)
		if there {
			return
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("the standby did not catch up with %s", lsn)
		}
	}
}

// copyOf fills the data folder with a base backup of a running server, set up
// to stream from it.
func (s *pgServer) copyOf(primary *pgServer, bin string, as account) error {
	command := exec.Command(
		filepath.Join(bin, "pg_basebackup"), "--pgdata", s.data(), "--host", "127.0.0.1", "--port", strconv.Itoa(primary.port),
		"--username", "postgres", "--no-password", "--checkpoint", "fast", "--wal-method", "stream", "--no-sync", "--write-recovery-conf",
	)
	command.Dir = s.folder.path
	command.Env = append(cleanEnvironment(), "PGPASSWORD="+primary.password)
	command.SysProcAttr = as.attributes()
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_basebackup: %w\n%s", err, output)
	}
	return nil
}
