//go:build unix

package servertest

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// sharedPostgres is the server that the tests of this process share.
var sharedPostgres struct {
	once   sync.Once
	server *pgServer
	err    error
}

// DB is one test's own PostgreSQL database, dropped when the test is over. Its
// methods fail the test on any error and may be called from several
// goroutines.
type DB struct {
	t      testing.TB
	server *pgServer
	name   string
	owned  bool
	// primary is what a standby streams from, nil for any other database.
	primary *DB

	mu   sync.Mutex
	conn *pgx.Conn
	pool *pgxpool.Pool
}

// Postgres makes a database for the test on the server that the tests of this
// process share: 60 connections, commit timestamps off, the session time zone
// America/New_York. It skips the test where PostgreSQL is not installed.
func Postgres(t testing.TB) *DB {
	t.Helper()
	bin, as := postgresOrSkip(t)
	sharedPostgres.once.Do(func() {
		sharedPostgres.server, sharedPostgres.err = startPostgres(bin, as)
		if sharedPostgres.err == nil {
			stopAtEnd(sharedPostgres.server.process.end)
		}
	})
	if sharedPostgres.err != nil {
		t.Fatalf("start a private PostgreSQL: %v", sharedPostgres.err)
	}
	return newDB(t, sharedPostgres.server, false)
}

// OwnPostgres makes a database on a server of the test's own, which it may
// stop and start. The settings are lines of postgresql.conf, such as
// "track_commit_timestamp = on".
func OwnPostgres(t testing.TB, settings ...string) *DB {
	t.Helper()
	bin, as := postgresOrSkip(t)
	server, err := startPostgres(bin, as, settings...)
	if err != nil {
		t.Fatalf("start a private PostgreSQL: %v", err)
	}
	t.Cleanup(server.process.end)
	return newDB(t, server, true)
}

// postgresOrSkip finds what a server needs, or ends the test.
func postgresOrSkip(t testing.TB) (string, account) {
	t.Helper()
	bin := postgresPrograms()
	if bin == "" {
		unavailable(t, "PostgreSQL's server programs (initdb, postgres) are not installed: make deps")
	}
	as, err := serverAccount()
	if err != nil {
		unavailable(t, err.Error())
	}
	return bin, as
}

// newDB creates the test's database.
func newDB(t testing.TB, server *pgServer, owned bool) *DB {
	t.Helper()
	db := &DB{t: t, server: server, owned: owned, name: "t_" + strings.ToLower(rand.Text()[:12])}
	db.admin("CREATE DATABASE " + db.name + " TEMPLATE template0")
	t.Cleanup(db.drop)
	return db
}

// drop closes the test's connections and drops the database with every
// session still in it. A server of the test's own is thrown away whole.
func (d *DB) drop() {
	d.mu.Lock()
	conn, pool := d.conn, d.pool
	d.conn, d.pool = nil, nil
	d.mu.Unlock()
	if pool != nil {
		pool.Close()
	}
	if conn != nil {
		closeConn(conn)
	}
	if !d.owned {
		d.admin("DROP DATABASE " + d.name + " WITH (FORCE)")
	}
}

// Name is the database's name.
func (d *DB) Name() string { return d.name }

// Host is the address the server listens on.
func (d *DB) Host() string { return "127.0.0.1" }

// Port is the port the server listens on.
func (d *DB) Port() int { return d.server.port }

// DSN is the superuser's connection string, with its password.
func (d *DB) DSN() string { return d.server.dsn("postgres", d.server.password, d.name) }

// Exec runs one or more statements as the superuser.
func (d *DB) Exec(sql string, args ...any) {
	d.t.Helper()
	d.withConn(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql, args...)
		return err
	})
}

// Scan runs a query that gives one row, as the superuser, and reads its columns
// into dest.
func (d *DB) Scan(dest []any, sql string, args ...any) {
	d.t.Helper()
	d.withConn(func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, sql, args...).Scan(dest...)
	})
}

// Text runs a query that gives one row and one column and returns it as text.
func (d *DB) Text(sql string, args ...any) string {
	d.t.Helper()
	var text string
	d.Scan([]any{&text}, sql, args...)
	return text
}

// Int runs a query that gives one row and one whole number.
func (d *DB) Int(sql string, args ...any) int {
	d.t.Helper()
	var number int
	d.Scan([]any{&number}, sql, args...)
	return number
}

// withConn runs f on the one connection of Exec and Scan, opened at first use
// and again after a restart.
func (d *DB) withConn(f func(context.Context, *pgx.Conn) error) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn == nil || d.conn.IsClosed() {
		conn, err := pgx.Connect(ctx, d.DSN())
		if err != nil {
			d.t.Fatalf("connect to the test's database: %v", err)
		}
		d.conn = conn
	}
	if err := f(ctx, d.conn); err != nil {
		d.t.Fatalf("in the test's database: %v", err)
	}
}

// Conn opens a connection of the superuser; it is closed with the test.
func (d *DB) Conn() *pgx.Conn {
	d.t.Helper()
	return d.ConnAs(d.DSN())
}

// ConnAs opens a connection by a connection string, such as a Role's; it is
// closed with the test.
func (d *DB) ConnAs(dsn string) *pgx.Conn {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		d.t.Fatalf("connect to the test's database: %v", err)
	}
	d.t.Cleanup(func() { closeConn(conn) })
	return conn
}

// Pool is the superuser's pool of this database, of at most eight connections.
func (d *DB) Pool() *pgxpool.Pool {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pool == nil {
		config, err := pgxpool.ParseConfig(d.DSN())
		if err != nil {
			d.t.Fatalf("connect to the test's database: %v", err)
		}
		config.MaxConns = 8
		if d.pool, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
			d.t.Fatalf("connect to the test's database: %v", err)
		}
	}
	return d.pool
}

// Role is a login role with a password, made for one test.
type Role struct {
	// Name is what the server knows it by; it ends in the database's name,
	// because roles belong to the server and tests share it.
	Name string
	// Password is random and needed on every connection.
	Password string
	// DSN connects as the role to the test's database.
	DSN string
}

// Role makes a login role with the given grants, each what stands between
// GRANT and TO: "SELECT ON public.claims", "pg_read_all_stats". It is dropped
// with the test.
func (d *DB) Role(name string, grants ...string) Role {
	d.t.Helper()
	role := Role{Name: name + "_" + d.name, Password: rand.Text()}
	role.DSN = d.server.dsn(role.Name, role.Password, d.name)
	quoted := pgx.Identifier{role.Name}.Sanitize()
	d.Exec("CREATE ROLE " + quoted + " LOGIN PASSWORD '" + role.Password + "'")
	for _, grant := range grants {
		d.Exec("GRANT " + grant + " TO " + quoted)
	}
	d.t.Cleanup(func() {
		if !d.owned {
			d.Exec("DROP OWNED BY " + quoted + "; DROP ROLE " + quoted)
		}
	})
	return role
}

// Stop ends the server of OwnPostgres: as pg_ctl stop -m fast does, or, with
// crash, without warning its sessions or writing its data.
func (d *DB) Stop(crash bool) {
	d.t.Helper()
	d.mustOwn()
	signal := "INT"
	if crash {
		signal = "QUIT"
	}
	if err := d.server.stop(signal); err != nil {
		d.t.Fatalf("stop the test's server: %v", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn != nil {
		closeConn(d.conn)
	}
	if d.pool != nil {
		d.pool.Reset() // its idle connections are dead, and would be handed out once more
	}
}

// Start starts the server of OwnPostgres again on the same port, and waits
// until it accepts connections.
func (d *DB) Start() {
	d.t.Helper()
	d.mustOwn()
	if err := d.server.start(); err != nil {
		d.t.Fatalf("start the test's server: %v", err)
	}
}

// Restart is Stop and Start.
func (d *DB) Restart(crash bool) {
	d.t.Helper()
	d.Stop(crash)
	d.Start()
}

// mustOwn fails a test that would stop the server under the others.
func (d *DB) mustOwn() {
	d.t.Helper()
	if !d.owned {
		d.t.Fatal("only a server of OwnPostgres may be stopped")
	}
}

// admin runs a statement in the server's maintenance database.
func (d *DB) admin(sql string) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if err := d.adminExec(ctx, sql); err != nil {
		d.t.Fatalf("administer the test server: %v", err)
	}
}

// adminExec is admin without the test: for what must report an error.
func (d *DB) adminExec(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, d.server.dsn("postgres", d.server.password, "postgres"))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer closeConn(conn)
	_, err = conn.Exec(ctx, sql)
	return err
}

// closeConn closes a connection without waiting long for a dead server.
func closeConn(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}
