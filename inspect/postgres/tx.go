package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
)

// The transactions. A look sees one instant of the whole table; a write must
// see each row as it is now, and would otherwise fail with 40001 where a role
// has another default. A framework's function must see nothing later than the
// comparison before it did.
const (
	readOnly      = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	readWrite     = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
	readWriteOnce = "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE"
)

// settings are set inside each transaction and end with it, so that a pooler
// can neither refuse nor keep them. Times are written in UTC and ISO whatever
// role and database have as defaults: the guard compares these texts. A look
// resolves names in pg_catalog alone. A write resolves them there first and then
// where the role would: the table's triggers may rely on it. A database without
// an encoding holds any bytes: asked for UTF-8 it would refuse the whole answer
// for one row's sake.
const settings = `SELECT set_config('statement_timeout', $1::text, true), set_config('lock_timeout', $2::text, true),
 set_config('idle_in_transaction_session_timeout', '15s', true), set_config('application_name', $3::text, true),
 set_config('search_path', CASE WHEN $4::bool THEN concat_ws(', ', 'pg_catalog', nullif(current_setting('search_path'), '')) ELSE 'pg_catalog' END, true), set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true),
 set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO, YMD', true), set_config('IntervalStyle', 'postgres', true),
 set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true), set_config('client_encoding', CASE current_setting('server_encoding') WHEN 'SQL_ASCII' THEN 'SQL_ASCII' ELSE 'UTF8' END, true),
 set_config('standard_conforming_strings', 'on', true), set_config('row_security', 'on', true), set_config('array_nulls', 'on', true)`

// standing asks, in the same round trip, who answers and what time it is.
const standing = `SELECT now(), pg_is_in_recovery(),
 CASE WHEN pg_is_in_recovery() THEN coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0)::float8 END,
 pg_backend_pid()::bigint, split_part(current_setting('server_version'), ' ', 1), current_database()::text, current_user::text,
 current_setting('default_transaction_read_only') = 'on',
 CASE WHEN has_function_privilege('pg_control_system()', 'EXECUTE') THEN (SELECT system_identifier::text FROM pg_control_system()) ELSE '' END,
 pg_has_role(current_user, 'pg_read_all_stats', 'USAGE'),
 CASE WHEN pg_is_in_recovery() THEN coalesce((SELECT sender_host || ':' || sender_port FROM pg_stat_wal_receiver), '') ELSE '' END`

// tx is one open transaction and what the server said at its start.
type tx struct {
	conn     *pgx.Conn
	database inspect.Database
	profiles []inspect.Profile
	seesAll  bool                   // pg_read_all_stats: other roles' sessions are visible
	answers  map[string][][]*string // of questions that were asked ahead
}

// now is the database's clock: the start of the transaction.
func (t *tx) now() time.Time { return t.database.ServerTime }

// transact begins, runs f and commits; any error rolls back.
func (s *Store) transact(ctx context.Context, conn *pgx.Conn, begin string, f func(context.Context, *tx) error) error {
	t, err := s.begin(ctx, conn, begin, applicationName)
	if err == nil {
		err = f(ctx, t)
	}
	if err == nil {
		_, err = conn.Exec(ctx, "COMMIT")
	}
	if err != nil {
		rollback(conn)
	}
	return err
}

// begin opens a transaction with its settings in one round trip.
func (s *Store) begin(ctx context.Context, conn *pgx.Conn, begin, application string) (*tx, error) {
	var p pipeline
	t := s.queueBegin(&p, conn, begin, application, nil)
	if err := p.run(ctx, conn); err != nil {
		var pg *pgconn.PgError
		lost := conn.IsClosed() && ctx.Err() == nil && (!errors.As(err, &pg) || slices.Contains([]string{"57P01", "57P05", "25P03"}, pg.Code))
		return nil, &beginError{err: err, lost: lost}
	}
	return t, nil
}

// queueBegin puts the opening of a transaction into a pipeline. Where an earlier
// transaction of the same connection has asked already who answers, only the
// clock is read.
func (s *Store) queueBegin(p *pipeline, conn *pgx.Conn, begin, application string, known *inspect.Database) *tx {
	t := &tx{conn: conn, profiles: s.options.Profiles}
	p.add(begin, nil)
	p.add(settings, nil, millis(s.options.StatementTimeout), millis(s.options.LockTimeout), application, strconv.FormatBool(begin != readOnly))
	d := &t.database
	if known != nil {
		*d = *known
		p.add("SELECT now()", func(rows pgx.Rows) error {
			err := scanOne(rows, &d.ServerTime)
			d.ServerTime = d.ServerTime.UTC()
			return err
		})
		return t
	}
	p.add(standing, func(rows pgx.Rows) error {
		var lag *float64
		var pid int64
		if err := scanOne(rows, &d.ServerTime, &d.Standby, &lag, &pid, &d.Version, &d.Name, &d.User, &d.ReadOnly, &d.System, &t.seesAll, &d.Primary); err != nil {
			return err
		}
		d.ServerTime = d.ServerTime.UTC()
		d.Engine, d.Host = "postgres", s.config.Host
		d.ID = dsn.Label(d.Name, s.config.Host, fmt.Sprint(s.config.Port))
		if lag != nil {
			d.ReplayLag = inspect.Some(time.Duration(*lag * float64(time.Second)))
		}
		// A pooler hands out a process id of its own.
		d.Pooler = uint32(pid) != conn.PgConn().PID()
		return nil
	})
	return t
}

func millis(d time.Duration) string { return fmt.Sprintf("%dms", max(d.Milliseconds(), 1)) }

// rollback ends a transaction after an error, with a time limit of its own:
// the caller's context may be what ended it.
func rollback(conn *pgx.Conn) {
	if conn.IsClosed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if _, err := conn.Exec(ctx, "ROLLBACK"); err != nil {
		_ = conn.Close(ctx) // what cannot be rolled back ends with its session
	}
}

// texts runs a query whose columns are all text and gives each row to f; the
// slice is reused.
func (t *tx) texts(ctx context.Context, f func([]*string) error, sql string, args ...any) error {
	if done, err := t.answered(question{sql, args}, f); done || err != nil {
		return err
	}
	rows, err := t.conn.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	return eachText(rows, f)
}

// eachText gives each row of texts to f; the slice is reused. The texts of a row
// share one piece of memory: ten thousand rows of a dozen columns are read at
// each look.
func eachText(rows pgx.Rows, f func([]*string) error) error {
	defer rows.Close()
	var values []*string
	var row []byte
	for rows.Next() {
		raw := rows.RawValues()
		if values == nil {
			if err := onlyTexts(rows.FieldDescriptions()); err != nil {
				return err
			}
			values = make([]*string, len(raw))
		}
		row = row[:0]
		for _, v := range raw {
			row = append(row, v...)
		}
		rest := string(row)
		texts := make([]string, len(raw))
		for i, v := range raw {
			values[i] = nil
			if v != nil {
				texts[i], rest = rest[:len(v)], rest[len(v):]
				values[i] = &texts[i]
			}
		}
		if err := f(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// onlyTexts: the bytes of a column that is sent as text, or whose type is a text,
// are its text.
func onlyTexts(columns []pgconn.FieldDescription) error {
	for _, c := range columns {
		if c.Format != pgx.TextFormatCode && !slices.Contains([]uint32{pgtype.TextOID, pgtype.VarcharOID, pgtype.NameOID, pgtype.BPCharOID}, c.DataTypeOID) {
			return fmt.Errorf("column %s is not read as text", c.Name)
		}
	}
	return nil
}
