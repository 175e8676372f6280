package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"idemtui/inspect"
)

// Release carries out a plan in batches, each its own transaction. A row that
// differs from what the plan read is skipped with the reason; a row whose
// write the database refuses is reported and never stops the rest.
func (s *Store) Release(ctx context.Context, table inspect.Table, plan inspect.Plan, options inspect.ReleaseOptions) (inspect.Result, error) {
	w := newWrite(table, plan.Mode, plan.OverrideLease, s.auditColumns(table))
	return s.release(ctx, table, plan, options, w)
}

func (s *Store) release(ctx context.Context, table inspect.Table, plan inspect.Plan, options inspect.ReleaseOptions, w write) (inspect.Result, error) {
	result := inspect.Result{Plan: plan, Skipped: slices.Clone(plan.Refused)}
	if err := checkPlan(s, table, plan, options); err != nil {
		return result, err
	}
	result.Executed, result.AuditID = true, options.Auditor.ID()
	err := s.writing(ctx, "release in "+table.FullName(), func(ctx context.Context, conn *connection) error {
		r := releaser{store: s, conn: conn, write: w, plan: plan, options: options, result: &result}
		return r.all(ctx)
	})
	return result, err
}

func checkPlan(s *Store, table inspect.Table, plan inspect.Plan, options inspect.ReleaseOptions) error {
	refuse := func(what, next string) error {
		return &inspect.Fault{Kind: inspect.FaultRefused, What: what, Next: next}
	}
	switch {
	case options.Auditor == nil:
		return refuse("no audit record can be written, so nothing is released", "check the state folder")
	case plan.Table != table.FullName():
		return refuse(fmt.Sprintf("the plan is for table %s, not %s", plan.Table, table.FullName()), "make a new plan")
	case plan.ID != inspect.PlanID(plan):
		return refuse("the plan was altered after it was made", "make a new plan")
	case plan.OverrideLease && len(plan.Rows) > 1:
		return refuse("a running lease is overridden one key at a time", "name one key")
	}
	return nil
}

// connection is the writing line's connection, opened anew when it is lost.
type connection struct {
	store *Store
	conn  *pgx.Conn
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
		c.conn = nil
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

// releaser is one release in progress.
type releaser struct {
	store   *Store
	conn    *connection
	write   write
	plan    inspect.Plan
	options inspect.ReleaseOptions
	result  *inspect.Result
	batch   int
	settled int
}

func (r *releaser) all(ctx context.Context) error {
	size := inspect.MaxBatch
	if r.options.Rate > 0 {
		size = min(size, r.options.Rate)
	}
	// Keys with a NULL need another comparison, which no index serves.
	var plain, null []inspect.PlannedRow
	for _, row := range r.plan.Rows {
		if row.Key.HasNull() {
			null = append(null, row)
		} else {
			plain = append(plain, row)
		}
	}
	for _, part := range [][]inspect.PlannedRow{plain, null} {
		for chunk := range slices.Chunk(part, size) {
			if err := r.pace(ctx); err != nil {
				r.untried(err)
				return err
			}
			if err := r.rows(ctx, chunk); err != nil {
				r.untried(err)
				return err
			}
			if r.options.Progress != nil {
				r.options.Progress(r.settled, len(r.plan.Rows))
			}
		}
	}
	return nil
}

// pace waits so that no more than the rate is released a second.
func (r *releaser) pace(ctx context.Context) error {
	if r.options.Rate > 0 && r.settled > 0 {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// untried reports the rows that an error left without an outcome.
func (r *releaser) untried(cause error) {
	has := map[inspect.Key]bool{}
	for _, k := range r.result.Released {
		has[k] = true
	}
	for _, s := range r.result.Skipped {
		has[s.Key] = true
	}
	for _, f := range r.result.Failed {
		has[f.Key] = true
	}
	why := r.store.fault("release", cause).Error()
	for _, row := range r.plan.Rows {
		if !has[row.Key] {
			r.result.Failed = append(r.result.Failed, inspect.Failure{Key: row.Key, Error: "not released: " + why})
		}
	}
}

// rows releases one batch; where the database refuses a row, the batch is cut
// in two until the row stands alone.
func (r *releaser) rows(ctx context.Context, rows []inspect.PlannedRow) error {
	err := r.try(ctx, rows)
	for range 3 {
		if !inTheWay(err) {
			break
		}
		err = r.try(ctx, rows)
	}
	var pg *pgconn.PgError
	if err == nil || !errors.As(err, &pg) || !ofOneRow(pg) {
		return err
	}
	if len(rows) > 1 {
		half := len(rows) / 2
		if err := r.rows(ctx, rows[:half]); err != nil {
			return err
		}
		return r.rows(ctx, rows[half:])
	}
	r.settled++
	failure := inspect.Failure{Key: rows[0].Key, Error: fmt.Sprintf("%s (%s)", r.store.scrub(pg.Message), pg.Code)}
	r.result.Failed = append(r.result.Failed, failure)
	return nil
}

// inTheWay: another transaction was, and a second try may do.
func inTheWay(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

// ofOneRow: an error that one row can cause (a constraint, a value, a
// trigger), as against one of rights, time or connection.
func ofOneRow(pg *pgconn.PgError) bool {
	switch pg.Code[:2] {
	case "22", "23", "27", "38", "39", "44", "P0":
		return true
	}
	return false
}

// written is a row that the statement wrote.
type written struct {
	row           inspect.PlannedRow
	before, after []inspect.ColumnValue
}

// try runs one transaction: write, audit, commit; then it finds out why the
// rest of the batch was not written.
func (r *releaser) try(ctx context.Context, rows []inspect.PlannedRow) error {
	t, err := r.store.begin(ctx, r.conn.conn, readWrite, applicationName+" "+r.options.Auditor.ID())
	var done []written
	if err == nil {
		done, err = r.statement(ctx, t, rows)
	}
	if err == nil && len(done) > 0 {
		err = r.commit(ctx, t, done)
	} else {
		rollback(r.conn.conn)
	}
	if err != nil {
		return err
	}
	return r.explain(ctx, rows, done)
}

func (r *releaser) statement(ctx context.Context, t *tx, rows []inspect.PlannedRow) ([]written, error) {
	if t.database.Standby {
		return nil, &inspect.Fault{Kind: inspect.FaultReadOnly, What: t.database.ID + " is a standby", Next: "connect to the primary"}
	}
	// A constraint that waits for the commit would fail after the audit record.
	if _, err := t.conn.Exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE"); err != nil {
		return nil, err
	}
	q, err := t.conn.Query(ctx, r.write.sql(rows[0].Key.HasNull()), r.write.arguments(rows)...)
	if err != nil {
		return nil, err
	}
	defer q.Close()
	var done []written
	seen := map[int64]bool{}
	for q.Next() {
		var n int64
		var before, after []*string
		if err := q.Scan(&n, &before, &after); err != nil {
			return nil, err
		}
		if seen[n] {
			return nil, &inspect.Fault{Kind: inspect.FaultRefused, What: fmt.Sprintf("key %s stands on several rows that cannot be told apart; nothing of its batch was released", rows[n-1].Key), Next: "add a unique constraint, and release the others by key"}
		}
		seen[n] = true
		w := written{row: rows[n-1], before: columnValues(r.write.audited, before)}
		if after != nil {
			w.after = columnValues(r.write.audited, after)
		}
		done = append(done, w)
	}
	return done, q.Err()
}

// commit writes the audit record, then commits. After the record is on disk
// nothing may cut the commit short.
func (r *releaser) commit(ctx context.Context, t *tx, done []written) error {
	r.batch++
	intent := inspect.Intent{
		Action: inspect.ActionRelease, Batch: r.batch, At: t.now(), Database: t.database.ID, DBUser: t.database.User, Table: r.plan.Table,
		PlanID: r.plan.ID, Mode: r.plan.Mode, Reason: r.options.Reason, SQL: r.plan.SQL,
	}
	outcome := inspect.Outcome{Batch: r.batch, Status: inspect.OutcomeCommitted}
	for _, w := range done {
		intent.Rows = append(intent.Rows, inspect.AuditRow{Key: w.row.Key, Before: w.before, After: w.after})
		outcome.Released = append(outcome.Released, w.row.Key)
	}
	if err := r.options.Auditor.Intent(ctx, intent); err != nil {
		rollback(r.conn.conn)
		return &inspect.Fault{Kind: inspect.FaultAudit, What: "the audit record could not be written, so nothing was released: " + err.Error(), Next: "make the audit folder writable, or choose another with --audit-dir", Err: err}
	}
	last := context.WithoutCancel(ctx)
	limited, cancel := context.WithTimeout(last, 30*time.Second)
	defer cancel()
	_, err := t.conn.Exec(limited, "COMMIT")
	var pg *pgconn.PgError
	switch {
	case err == nil:
		r.released(done)
	case errors.As(err, &pg) && !r.conn.conn.IsClosed():
		outcome.Status, outcome.Released, outcome.Error = inspect.OutcomeRolledBack, nil, pg.Message
	default:
		outcome = r.afterLoss(last, done, outcome)
		err = nil
		if outcome.Status == inspect.OutcomeUnknown {
			err = &inspect.Fault{Kind: inspect.FaultGone, What: "the connection was lost during the commit and the rows could not be read again: some may be released", Next: "look at them before releasing again; audit id " + r.options.Auditor.ID()}
		}
	}
	if e := r.options.Auditor.Outcome(last, outcome); e != nil && err == nil {
		err = &inspect.Fault{Kind: inspect.FaultAudit, What: "the rows were released, but the outcome could not be recorded: " + e.Error(), Next: "make the audit folder writable", Err: e}
	}
	return err
}

func (r *releaser) released(done []written) {
	for _, w := range done {
		r.result.Released = append(r.result.Released, w.row.Key)
	}
	r.settled += len(done)
}

// afterLoss finds out what became of a batch whose commit got no answer: each
// row is read again by its key and compared with how the release left it.
func (r *releaser) afterLoss(ctx context.Context, done []written, outcome inspect.Outcome) inspect.Outcome {
	outcome.Error = "the connection was lost during the commit"
	unknown := outcome
	unknown.Status, unknown.Released = inspect.OutcomeUnknown, nil
	if err := r.conn.reconnect(ctx); err != nil {
		return unknown
	}
	keys := make([]inspect.Key, len(done))
	for i, w := range done {
		keys[i] = w.row.Key
	}
	now, err := r.store.imagesNow(ctx, r.conn.conn, r.write.table, r.write.audited, keys)
	if err != nil {
		return unknown
	}
	outcome.Released = nil
	for _, w := range done {
		image, there := now[w.row.Key]
		switch {
		case !there && w.after == nil, there && w.after != nil && sameColumns(image, w.after):
			outcome.Released = append(outcome.Released, w.row.Key)
			r.released([]written{w})
		case there && sameColumns(image, w.before):
			outcome.Failed = append(outcome.Failed, inspect.Failure{Key: w.row.Key, Error: "the connection was lost before the commit: not released"})
		default:
			outcome.Failed = append(outcome.Failed, inspect.Failure{Key: w.row.Key, Error: "the connection was lost during the commit, and the row has changed since: it may have been released"})
		}
	}
	r.result.Failed = append(r.result.Failed, outcome.Failed...)
	r.settled += len(outcome.Failed)
	if len(outcome.Released) == 0 {
		outcome.Status = inspect.OutcomeRolledBack
	}
	return outcome
}

// imagesNow reads the audited columns of keys as they are now.
func (s *Store) imagesNow(ctx context.Context, conn *pgx.Conn, table inspect.Table, columns []string, keys []inspect.Key) (map[inspect.Key][]inspect.ColumnValue, error) {
	out := map[inspect.Key][]inspect.ColumnValue{}
	err := s.transact(ctx, conn, readOnly, func(ctx context.Context, t *tx) error {
		r := newReader(table)
		for _, k := range keys {
			where, args := r.exactKey(k)
			err := t.texts(ctx, func(v []*string) error {
				out[k] = columnValues(columns, v)
				return nil
			}, "SELECT "+columnTexts(columns)+" FROM "+tableName(table)+" AS t WHERE "+where+" LIMIT 1", args...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

func sameColumns(a, b []inspect.ColumnValue) bool {
	return slices.EqualFunc(a, b, func(x, y inspect.ColumnValue) bool {
		return x.Column == y.Column && (x.Value == nil) == (y.Value == nil) && (x.Value == nil || *x.Value == *y.Value)
	})
}

// explain reads the rows of a batch that were not written once more, and says
// of each why.
func (r *releaser) explain(ctx context.Context, rows []inspect.PlannedRow, done []written) error {
	wrote := map[inspect.Key]bool{}
	for _, w := range done {
		wrote[w.row.Key] = true
	}
	var keys []inspect.Key
	for _, row := range rows {
		if !wrote[row.Key] {
			keys = append(keys, row.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	now := map[inspect.Key]*inspect.Claim{}
	var at time.Time
	table := r.write.table
	err := r.store.transact(ctx, r.conn.conn, readOnly, func(ctx context.Context, t *tx) error {
		l := looker{tx: t, table: table, reader: newReader(table), facts: inspect.Facts{Now: t.now(), Mapping: table.Mapping}}
		at = t.now()
		found, err := l.reader.byKeys(ctx, t, keys)
		if err != nil {
			return err
		}
		claims, err := l.judge(ctx, found)
		for i := range claims {
			now[claims[i].Key] = &claims[i]
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if !wrote[row.Key] {
			r.result.Skipped = append(r.result.Skipped, inspect.SkippedBecause(row, now[row.Key], table.Mapping, r.plan.OverrideLease, at))
		}
	}
	r.settled += len(keys)
	return nil
}
