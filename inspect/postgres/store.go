// Package postgres reads and releases claims in PostgreSQL tables. It is
// harmless by construction: every look is one read-only transaction with its
// time limits set inside it, and the only startup parameter is
// application_name, so that it works the same through a transaction pooler.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
	"idemtui/inspect/profiles"
)

// Options bound what the store asks of the server. Zero values mean defaults.
type Options struct {
	// StatementTimeout ends a statement on the server (default 5 s).
	StatementTimeout time.Duration
	// LockTimeout ends the wait for a table that another session has locked
	// (default 200 ms): a waiting look would make others wait behind it.
	LockTimeout time.Duration
	// ConnectTimeout bounds one attempt to connect where the connection string
	// does not say (default 10 s).
	ConnectTimeout time.Duration
	// Profiles are the known shapes (default: those that came with the program).
	Profiles []inspect.Profile
	// Replica takes the searches and counts, so that they do not load the primary.
	Replica *dsn.DSN
	// AuditRow says which columns an audit record holds: AuditAll or AuditMapped.
	AuditRow AuditRow
}

// AuditRow says which columns of a row go into the audit record.
type AuditRow string

// The extents of an audit record. Only AuditAll lets a deletion be undone.
const (
	AuditAll    AuditRow = "all"
	AuditMapped AuditRow = "mapped"
)

const applicationName = "idemtui"

// Store is an inspect.Store on one PostgreSQL database. It holds at most two
// connections: one that reads, kept open, and one opened for a release.
type Store struct {
	config  *pgx.ConnConfig
	looking *pgx.ConnConfig // of the connection that reads
	options Options
	scrub   func(string) string

	life context.Context
	end  context.CancelFunc

	read  *line
	write *line

	replica *Store // nil without one

	large   int64         // exactPages, or what a test sets
	silence time.Duration // how long a look waits for the next byte

	mu       sync.Mutex
	uncounts map[uint32]bool // tables whose exact count ran into the timeout
}

var _ inspect.Store = (*Store)(nil)

// Open prepares a store; the first method that needs the server connects. The
// error of a connection string that cannot be read holds nothing of it.
func Open(d dsn.DSN, options Options) (*Store, error) {
	config, err := pgx.ParseConfig(d.Secret())
	if err != nil {
		return nil, &inspect.Fault{Kind: inspect.FaultUnreachable, What: "the connection string cannot be read", Next: "check host, port, user and sslmode in it", Err: errors.New(d.Scrub(err.Error()))}
	}
	options = options.withDefaults()
	// Poolers refuse other startup parameters, or swallow them.
	config.RuntimeParams = map[string]string{"application_name": applicationName}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = 0, 0
	if config.ConnectTimeout <= 0 { // else connect_timeout or PGCONNECT_TIMEOUT says
		config.ConnectTimeout = options.ConnectTimeout
	}
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: 2 * time.Second}
	}
	var replica *Store
	if options.Replica != nil {
		there := options
		there.Replica = nil
		if replica, err = Open(*options.Replica, there); err != nil {
			return nil, err
		}
	}
	life, end := context.WithCancel(context.Background())
	s := &Store{
		config: config, options: options, scrub: d.Scrub, life: life, end: end,
		read: newLine(), write: newLine(), uncounts: map[uint32]bool{}, large: exactPages, silence: silenceOf(options.StatementTimeout), replica: replica,
	}
	s.looking = listening(config, func() time.Duration { return s.silence })
	return s, nil
}

func (o Options) withDefaults() Options {
	if o.StatementTimeout <= 0 {
		o.StatementTimeout = 5 * time.Second
	}
	if o.LockTimeout <= 0 {
		o.LockTimeout = 200 * time.Millisecond
	}
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = 10 * time.Second
	}
	if o.Profiles == nil {
		o.Profiles = profiles.BuiltIn()
	}
	if o.AuditRow == "" {
		o.AuditRow = AuditAll
	}
	return o
}

// Close cancels what runs, on the server too, and closes every connection.
func (s *Store) Close() error {
	s.end()
	s.read.shut()
	s.write.shut()
	if s.replica != nil {
		return s.replica.Close()
	}
	return nil
}

// ID names the database without connecting: name@host:port.
func (s *Store) ID() string {
	return dsn.Label(s.config.Database, s.config.Host, strconv.Itoa(int(s.config.Port)))
}

// while runs one operation under the caller's context and the store's life.
func (s *Store) while(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(s.life, func() { cancel(errClosed) })
	defer stop()
	if s.life.Err() != nil {
		return errClosed
	}
	err := f(ctx)
	if timedOut(err) && ctx.Err() != nil {
		// The server says the same to a cancel as to its own time limit.
		err = context.Cause(ctx)
	}
	return err
}

var errClosed = errors.New("the connection to the database was closed")

// line is one connection and whoever uses it now.
type line struct {
	free chan struct{}
	conn *pgx.Conn
}

func newLine() *line {
	l := &line{free: make(chan struct{}, 1)}
	l.free <- struct{}{}
	return l
}

// use waits for the line, connects if need be, and runs f.
func (l *line) use(ctx context.Context, config *pgx.ConnConfig, f func(*pgx.Conn) error) error {
	select {
	case <-l.free:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { l.free <- struct{}{} }()
	if l.conn != nil && l.conn.IsClosed() {
		l.drop()
	}
	if l.conn == nil {
		conn, err := pgx.ConnectConfig(ctx, config.Copy())
		if err != nil {
			return err
		}
		l.conn = conn
	}
	return f(l.conn)
}

// drop ends the connection and waits until nothing of it is left.
func (l *line) drop() {
	if l.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = l.conn.Close(ctx) // the session ends with the socket, whatever the server says to the goodbye
	select {
	case <-l.conn.PgConn().CleanupDone():
	case <-ctx.Done():
	}
	l.conn = nil
}

func (l *line) shut() {
	<-l.free
	l.drop()
	l.free <- struct{}{}
}

// Identity asks the server who and where it is.
func (s *Store) Identity(ctx context.Context) (inspect.Database, error) {
	var db inspect.Database
	err := s.look(ctx, "connect", func(_ context.Context, t *tx) error {
		db = t.database
		return nil
	})
	return db, err
}

// look runs f in one read-only transaction on the reading connection. It tries
// once more where the connection turns out to be dead (a server that was
// restarted between two looks is no error) and where a standby cancelled the
// look because of what it replayed.
func (s *Store) look(ctx context.Context, what string, f func(context.Context, *tx) error) error {
	once := func() error {
		return s.while(ctx, func(ctx context.Context) error {
			return s.read.use(ctx, s.looking, func(conn *pgx.Conn) error {
				return s.transact(ctx, conn, readOnly, f)
			})
		})
	}
	err := once()
	if staleConnection(err) || inTheWay(err) {
		err = once()
	}
	var own *sinkError
	if errors.As(err, &own) {
		return own.err // no fault of the database
	}
	return s.fault(what, err)
}

// sinkError is the error of whoever takes a list.
type sinkError struct{ err error }

func (e *sinkError) Error() string { return e.err.Error() }
func (e *sinkError) Unwrap() error { return e.err }

// staleConnection: the server ended the session before the look began.
func staleConnection(err error) bool {
	var begin *beginError
	return errors.As(err, &begin) && begin.lost
}

// beginError is a failure of the first round trip of a transaction.
type beginError struct {
	err  error
	lost bool
}

func (e *beginError) Error() string { return fmt.Sprintf("begin: %v", e.err) }
func (e *beginError) Unwrap() error { return e.err }
