package postgres

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"idemtui/inspect"
)

// written is a row that a statement wrote: nil before an insert, nil after a
// deletion.
type written struct {
	key           inspect.Key
	before, after []inspect.ColumnValue
	settlement    *inspect.Settlement
	with          []inspect.OtherRow // of other tables
}

// recorder commits batches together with their audit records.
type recorder struct {
	store   *Store
	conn    *connection
	auditor inspect.Auditor
	table   inspect.Table
	columns []string       // of the images before and after
	intent  inspect.Intent // what all batches have in common
	batch   int
	// transaction is the server's id of the open one, "" where nobody asked yet.
	transaction string
}

// transactionID asks for it; see transactionStatus.
const transactionID = "SELECT txid_current()::text"

// commit writes the audit record, then commits. After the record is on disk
// nothing may cut the commit short.
func (r *recorder) commit(ctx context.Context, t *tx, done []written) (committed []inspect.Key, failed []inspect.Failure, err error) {
	r.batch++
	intent := r.intent
	intent.Batch, intent.At, intent.Database, intent.DBUser = r.batch, t.now(), t.database.ID, t.database.User
	outcome := inspect.Outcome{Batch: r.batch, Status: inspect.OutcomeCommitted}
	intent.Rows = auditRows(done)
	intent.Transaction, r.transaction = r.transaction, ""
	if intent.Transaction == "" {
		if err := t.conn.QueryRow(ctx, transactionID).Scan(&intent.Transaction); err != nil {
			rollback(r.conn.conn)
			return nil, nil, err
		}
	}
	outcome.Released = make([]inspect.Key, len(done))
	for i := range done {
		outcome.Released[i] = done[i].key
	}
	if err := r.auditor.Intent(ctx, intent); err != nil {
		rollback(r.conn.conn)
		return nil, nil, &inspect.Fault{Kind: inspect.FaultAudit, What: "the audit record could not be written, so nothing was changed: " + err.Error(), Next: "make the audit folder writable, or choose another with --audit-dir", Err: err}
	}
	last := context.WithoutCancel(ctx)
	limited, cancel := context.WithTimeout(last, 30*time.Second)
	defer cancel()
	var tag pgconn.CommandTag
	tag, err = t.conn.Exec(limited, "COMMIT")
	var pg *pgconn.PgError
	switch {
	case err == nil && tag.String() == "COMMIT":
	case err == nil: // the transaction had failed before
		outcome.Status, outcome.Released, outcome.Error = inspect.OutcomeRolledBack, nil, "the server rolled back"
		err = &inspect.Fault{Kind: inspect.FaultServer, What: "the server rolled the batch back instead of committing it", Next: "make a new plan"}
	case errors.As(err, &pg) && !r.conn.conn.IsClosed():
		outcome.Status, outcome.Released, outcome.Error = inspect.OutcomeRolledBack, nil, pg.Message
	default:
		outcome = r.afterLoss(last, intent, "the connection was lost during the commit")
		err = nil
		if outcome.Status == inspect.OutcomeUnknown {
			for _, w := range done {
				outcome.Failed = append(outcome.Failed, inspect.Failure{Key: w.key, Error: "outcome unknown: the connection was lost during the commit"})
			}
			err = &inspect.Fault{Kind: inspect.FaultGone, What: "the connection was lost during the commit and the rows could not be read again: some may be changed", Next: "look at them before you go on; audit id " + r.auditor.ID()}
		}
	}
	if e := r.auditor.Outcome(last, outcome); e != nil && err == nil {
		err = &inspect.Fault{Kind: inspect.FaultAudit, What: "the rows were changed, but the outcome could not be recorded: " + e.Error(), Next: "make the audit folder writable", Err: e}
	}
	return outcome.Released, outcome.Failed, err
}

// afterLoss finds out what became of a batch whose commit got no answer.
func (r *recorder) afterLoss(ctx context.Context, intent inspect.Intent, lost string) inspect.Outcome {
	unknown := inspect.Outcome{Batch: intent.Batch, Status: inspect.OutcomeUnknown, Error: lost}
	if err := r.conn.reconnect(ctx); err != nil {
		return unknown
	}
	status, err := r.ended(ctx, intent.Transaction)
	if err != nil {
		return unknown
	}
	now, err := r.store.imagesNow(ctx, r.conn.conn, r.table, r.columns, recordedKeys(intent.Rows))
	if err != nil {
		return unknown
	}
	end := inspect.EndOf(intent, status, now)
	end.Error = lost
	failed := map[inspect.OutcomeStatus]string{
		inspect.OutcomeRolledBack: "the connection was lost before the commit: not changed",
		inspect.OutcomeMovedOn:    "the connection was lost during the commit, and the row has changed since: it may have been written before",
	}
	if why := failed[end.Status]; why != "" {
		for _, row := range intent.Rows {
			end.Failed = append(end.Failed, inspect.Failure{Key: row.Key, Error: why})
		}
	}
	return end
}

// ended waits, for a while, until the server has ended a transaction whose
// session was lost: it may still be at its commit.
func (r *recorder) ended(ctx context.Context, transaction string) (inspect.TransactionStatus, error) {
	wait := 10 * time.Millisecond
	for deadline := time.Now().Add(10 * time.Second); ; wait = min(2*wait, time.Second) {
		status, err := transactionStatus(transaction, func(f func(context.Context, *tx) error) error {
			return r.store.transact(ctx, r.conn.conn, readOnly, f)
		})
		if err != nil || status != inspect.TransactionInProgress || time.Now().After(deadline) {
			return status, err
		}
		select {
		case <-time.After(wait):
		case <-r.store.life.Done():
			return status, errClosed
		}
	}
}

// auditRows are written rows as a record has them.
func auditRows(done []written) []inspect.AuditRow {
	out := make([]inspect.AuditRow, len(done))
	for i, w := range done {
		out[i] = inspect.AuditRow{Key: w.key, Before: w.before, After: w.after, Settlement: w.settlement, With: w.with}
	}
	return out
}

// imagesNow reads the audited columns of keys as they are now.
func (s *Store) imagesNow(ctx context.Context, conn *pgx.Conn, table inspect.Table, columns []string, keys []inspect.Key) (out map[inspect.Key][]inspect.ColumnValue, err error) {
	err = s.transact(ctx, conn, readOnly, func(ctx context.Context, t *tx) error {
		out, err = t.images(ctx, table, columns, keys)
		return err
	})
	return out, err
}

// images reads columns of keys, many keys in one statement.
func (t *tx) images(ctx context.Context, table inspect.Table, columns []string, keys []inspect.Key) (map[inspect.Key][]inspect.ColumnValue, error) {
	out := map[inspect.Key][]inspect.ColumnValue{}
	w := write{table: table}
	for chunk := range slices.Chunk(keys, inspect.MaxBatch) {
		nullKeys := slices.ContainsFunc(chunk, inspect.Key.HasNull)
		args, _, names := keyArrays(table, chunk, 1)
		sql := "SELECT d.n::text, " + columnTexts(columns) + " FROM " + tableName(table) + " AS t JOIN unnest(" + unnested(len(names), 1) +
			") WITH ORDINALITY AS d(" + strings.Join(names, ", ") + ", n) ON " + w.keyEquals("d", nullKeys)
		err := t.texts(ctx, func(v []*string) error {
			n, err := strconv.Atoi(*v[0])
			if err == nil {
				out[chunk[n-1]] = columnValues(columns, v[1:])
			}
			return err
		}, sql, args...)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func sameColumns(a, b []inspect.ColumnValue) bool {
	return slices.EqualFunc(a, b, func(x, y inspect.ColumnValue) bool {
		return x.Column == y.Column && (x.Value == nil) == (y.Value == nil) && (x.Value == nil || *x.Value == *y.Value)
	})
}

// connection is the writing line's connection, opened anew when it is lost.
type connection struct {
	store *Store
	conn  *pgx.Conn
	// answers is who answered the first transaction on conn; nil before.
	answers *inspect.Database
}

// writing opens the second connection, runs f and closes it.
func (s *Store) writing(ctx context.Context, what string, f func(context.Context, *connection) error) error {
	err := s.while(ctx, func(ctx context.Context) error {
		return s.write.use(ctx, s.config, func(conn *pgx.Conn) error {
			c := &connection{store: s, conn: conn}
			err := f(ctx, c)
			s.write.conn = c.conn
			s.write.drop()
			return err
		})
	})
	return s.fault(what, err)
}

// reconnect replaces a lost connection, trying for as long as a restart of the
// server behind a pooler takes.
func (c *connection) reconnect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	wait := 250 * time.Millisecond
	for {
		old := line{conn: c.conn}
		old.drop()
		c.conn, c.answers = nil, nil
		conn, err := pgx.ConnectConfig(ctx, c.store.config.Copy())
		if err == nil {
			c.conn = conn
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-c.store.life.Done():
			return err
		case <-time.After(wait):
			wait = min(2*wait, 5*time.Second)
		}
	}
}
