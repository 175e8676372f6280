package postgres

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// silenceOf is how long a look waits for the next byte. The server ends each
// statement at its timeout and keeps the answers of a few that are sent together;
// whoever is silent for longer is cut off, or stands before a server that is. The
// kernel would wait for a quarter of an hour (tcp(7), tcp_retries2).
func silenceOf(statement time.Duration) time.Duration { return 4*statement + 10*time.Second }

// listening is a configuration whose connections do not outlast a silence.
func listening(config *pgx.ConnConfig, limit func() time.Duration) *pgx.ConnConfig {
	config = config.Copy()
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &listener{Conn: conn, limit: limit()}, nil
	}
	return config
}

// listener closes its connection where a read waits too long. A deadline would
// do too, but those are the driver's.
type listener struct {
	net.Conn
	limit time.Duration
	cut   atomic.Bool
}

// Read is that of the connection; a silence ends it with context.DeadlineExceeded.
func (l *listener) Read(p []byte) (int, error) {
	timer := time.AfterFunc(l.limit, func() {
		l.cut.Store(true)
		_ = l.Close() // the read ends with it
	})
	n, err := l.Conn.Read(p)
	timer.Stop()
	if err != nil && l.cut.Load() {
		err = fmt.Errorf("silent for %s: %w", l.limit, context.DeadlineExceeded)
	}
	return n, err
}
