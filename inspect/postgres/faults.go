package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"idemtui/inspect"
)

// fault turns an error into one line for a person: what failed, and what to do
// next. A *inspect.Fault stays as it is; a cancelled context stays one.
func (s *Store) fault(what string, err error) error {
	if err == nil {
		return nil
	}
	var f *inspect.Fault
	if errors.As(err, &f) {
		return f
	}
	if errors.Is(err, errClosed) {
		return errClosed
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", what, context.Canceled)
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return s.serverFault(what, pg)
	}
	var connect *pgconn.ConnectError
	place := s.ID()
	switch {
	case errors.As(err, &connect):
		return s.connectFault(place, err)
	case errors.Is(err, context.DeadlineExceeded):
		return &inspect.Fault{Kind: inspect.FaultTimeout, What: what + ": no answer from " + place + " in time", Next: "try again", Err: s.clean(err)}
	default:
		return &inspect.Fault{Kind: inspect.FaultGone, What: what + ": the connection to " + place + " was lost", Next: "try again; nothing was changed by a look", Err: s.clean(err)}
	}
}

// clean hides passwords in a driver's words.
func (s *Store) clean(err error) error { return errors.New(s.scrub(err.Error())) }

func (s *Store) connectFault(place string, err error) error {
	f := &inspect.Fault{Kind: inspect.FaultUnreachable, What: "cannot reach " + place, Err: s.clean(err)}
	var dns *net.DNSError
	text := err.Error()
	switch {
	case errors.As(err, &dns):
		f.What += ": the host name is unknown"
		f.Next = "check the host in the connection string"
	case strings.Contains(text, "connection refused"):
		f.What += ": nothing listens there"
		f.Next = "check host and port, and that the server runs"
	// Before the encryption: waiting for an answer to its offer is what ran out.
	case errors.Is(err, context.DeadlineExceeded) || strings.Contains(text, "timeout"):
		f.What += ": no answer"
		f.Next = "check host, port and firewall"
	case strings.Contains(text, "tls") || strings.Contains(text, "SSL") || strings.Contains(text, "x509"):
		f.What += ": the encrypted connection failed"
		f.Next = "check sslmode and the certificates in the connection string"
	default:
		f.Next = "check host and port in the connection string"
	}
	return f
}

// serverFault words an error that the server sent.
func (s *Store) serverFault(what string, pg *pgconn.PgError) error {
	said := fmt.Sprintf("%s (%s)", s.scrub(pg.Message), pg.Code)
	f := &inspect.Fault{Kind: inspect.FaultServer, What: what + ": " + said, Err: errors.New(said)}
	switch pg.Code {
	case "28P01", "28000":
		f.Kind, f.What = inspect.FaultLogin, fmt.Sprintf("%s refused the login of role %q: %s", s.ID(), s.config.User, said)
		f.Next = "check user and password (the passfile, PGPASSWORD or the connection string)"
	case "3D000":
		f.Kind, f.What = inspect.FaultUnknownDatabase, fmt.Sprintf("the server has no database %q (%s)", s.config.Database, pg.Code)
		f.Next = "check the database name in the connection string"
	case "42501":
		f.Kind, f.Next = inspect.FaultPermission, fmt.Sprintf("grant role %q the right it lacks", s.config.User)
	case "57014":
		f.Kind = inspect.FaultTimeout
		f.What = fmt.Sprintf("%s: took longer than the statement timeout of %s", what, s.options.StatementTimeout)
		f.Next = "raise --statement-timeout, or add an index on the claimed rows, as inspect schema prints one"
	case "55P03":
		f.Kind, f.What = inspect.FaultLocked, what+": another session has locked the table"
		f.Next = "try again when it is done (an ALTER TABLE or VACUUM FULL, as a rule)"
	case "25006":
		f.Kind, f.Next = inspect.FaultReadOnly, "the server takes no writes: connect to the primary"
	case "57P01", "57P02", "57P03", "57P05", "25P03":
		f.Kind, f.What = inspect.FaultGone, fmt.Sprintf("%s: the server ended the connection: %s", what, said)
		f.Next = "try again in a moment"
	case "53300":
		f.Kind, f.What = inspect.FaultUnreachable, fmt.Sprintf("%s has no connection left: %s", s.ID(), said)
		f.Next = "try again when others have closed theirs"
	case "42P01":
		f.Kind, f.Next = inspect.FaultUnknownTable, "it may have been dropped since; list the tables again"
	case "42703":
		f.Kind, f.Next = inspect.FaultUnknownColumn, "the table has changed since; start again"
	case "22007", "22008", "22P02":
		f.Kind, f.Next = inspect.FaultMapping, "a value does not fit its mapped meaning: correct --map"
	case "08P01":
		f.Kind, f.What = inspect.FaultUnreachable, fmt.Sprintf("%s: the pooler or server refused: %s", s.ID(), said)
		f.Next = "try again in a moment"
	case "22P05":
		f.Kind, f.Next = inspect.FaultNoRow, "no row can have it; check how it is written"
	case "0A000":
		f.Next = "the table allows no such statement (a rewrite rule, as a rule): look at its definition"
	case "40001", "40P01":
		f.Next = "another session was in the way; try again"
	}
	return f
}

// timedOut: the server ended the statement because of its time limit.
func timedOut(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "57014"
}
