package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
	if plan.Table == table.FullName() && plan.SQL != s.statements(table, plan) {
		return inspect.Result{Plan: plan, Skipped: slices.Clone(plan.Refused)}, &inspect.Fault{
			Kind: inspect.FaultRefused, What: "the statement would be another than the plan shows: the table, its mapping or what is recorded of it has changed since", Next: "make a new plan",
		}
	}
	return s.release(ctx, table, plan, options, w)
}

// statements are what a plan runs, as it shows them.
func (s *Store) statements(table inspect.Table, plan inspect.Plan) string {
	if !plan.Settles() {
		return newWrite(table, plan.Mode, plan.OverrideLease, s.auditColumns(table)).shown()
	}
	var sql []string
	completed, released := plan.CompletedBy()
	if len(completed) > 0 || plan.Mode == inspect.ReleaseComplete {
		sql = append(sql, newCompletion(table, s.auditColumns(table)).shown())
	}
	if len(released) > 0 {
		sql = append(sql, newWrite(table, plan.Mode, false, s.auditColumns(table)).shown())
	}
	return strings.Join(sql, ";\n")
}

func (s *Store) release(ctx context.Context, table inspect.Table, plan inspect.Plan, options inspect.ReleaseOptions, w write) (inspect.Result, error) {
	result := inspect.Result{Plan: plan, Skipped: slices.Clone(plan.Refused)}
	if err := checkPlan(s, table, plan, options); err != nil {
		return result, err
	}
	result.Executed, result.AuditID = true, options.Auditor.ID()
	action := inspect.ActionRelease
	if plan.Settles() {
		action = inspect.ActionSettle
	}
	id := make(chan string, 1)
	go func() { id <- inspect.PlanID(plan) }() // of many rows it takes as long as to connect
	err := s.writing(ctx, string(action)+" in "+table.FullName(), func(ctx context.Context, conn *connection) error {
		if <-id != plan.ID {
			result.Executed, result.AuditID = false, ""
			return &inspect.Fault{Kind: inspect.FaultRefused, What: "the plan was altered after it was made", Next: "make a new plan"}
		}
		r := releaser{plan: plan, options: options, result: &result, pace: pace{perSecond: options.Rate}, recorder: recorder{
			store: s, conn: conn, auditor: options.Auditor, table: table,
			intent: inspect.Intent{Action: action, Table: plan.Table, PlanID: plan.ID, Reason: options.Reason},
		}}
		return r.all(ctx, w)
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
	case !table.Mapping.Verified && !options.AllowUnverified:
		return refuse(fmt.Sprintf("the mapping of %s is not verified, so it may only be looked at", table.FullName()), "check it against what the list shows, then accept it with --allow-unverified, or give it yourself with --map")
	case plan.Table != table.FullName():
		return refuse(fmt.Sprintf("the plan is for table %s, not %s", plan.Table, table.FullName()), "make a new plan")
	case plan.OverrideLease && len(plan.Rows) > 1:
		return refuse("a running lease is overridden one key at a time", "name one key")
	}
	return nil
}

// releaser is one release in progress.
type releaser struct {
	recorder
	write   write
	plan    inspect.Plan
	options inspect.ReleaseOptions
	result  *inspect.Result
	settled int
	pace    pace
	left    map[inspect.Key]string // why rows were left out of a call
	// following is the batch after the one at work, next its arrays.
	following []inspect.PlannedRow
	next      *ahead
}

// all carries out a plan: the rows to complete by one statement, the rows to
// release by the other.
func (r *releaser) all(ctx context.Context, release write) error {
	completed, released := r.plan.CompletedBy()
	var err error
	if len(completed) > 0 {
		if err = inspect.CheckCompletion(r.table); err == nil {
			err = r.part(ctx, newCompletion(r.table, r.store.auditColumns(r.table)), completed)
		}
	}
	if err == nil {
		err = r.part(ctx, release, released)
	}
	if err != nil {
		r.untried(ctx, err)
	}
	return err
}

// part writes the rows of one statement, in batches.
func (r *releaser) part(ctx context.Context, w write, rows []inspect.PlannedRow) error {
	if len(rows) == 0 {
		return nil
	}
	r.write, r.columns = w, w.audited
	r.intent.Mode, r.intent.SQL = w.mode, w.shown()
	size := r.pace.batch(inspect.MaxBatch)
	// Keys with a NULL need another comparison, which no index serves.
	hasNull := func(row inspect.PlannedRow) bool { return row.Key.HasNull() }
	plain := rows
	var null []inspect.PlannedRow
	if slices.ContainsFunc(rows, hasNull) {
		null = slices.DeleteFunc(slices.Clone(rows), func(row inspect.PlannedRow) bool { return !hasNull(row) })
		plain = slices.DeleteFunc(slices.Clone(rows), hasNull)
	}
	defer func() {
		if r.next != nil {
			<-r.next.ready
		}
		r.next, r.following = nil, nil
	}()
	for _, part := range [][]inspect.PlannedRow{plain, null} {
		for len(part) > 0 {
			chunk := part[:min(size, len(part))]
			part = part[len(chunk):]
			r.following = part[:min(size, len(part))]
			if err := r.wait(ctx); err != nil {
				return err
			}
			before, began := r.settled, time.Now()
			if err := bisect(chunk, func(rows []inspect.PlannedRow) error { return r.try(ctx, rows) }, r.refused); err != nil {
				return err
			}
			r.pace.wrote(r.settled-before, began)
			if r.options.Progress != nil {
				r.options.Progress(r.settled, len(r.plan.Rows))
			}
		}
	}
	return nil
}

// wait waits until the rate allows another batch.
func (r *releaser) wait(ctx context.Context) error {
	if pause := r.pace.wait(time.Now()); pause > 0 {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// untried reports the rows that an error left without an outcome.
func (r *releaser) untried(ctx context.Context, cause error) {
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
	if ctx.Err() != nil { // the server calls a cancelled statement what it calls one that took too long
		why = "interrupted before its batch was committed"
	}
	for _, row := range r.plan.Rows {
		if !has[row.Key] {
			r.result.Failed = append(r.result.Failed, inspect.Failure{Key: row.Key, Error: "not released: " + why})
		}
	}
}

// bisect tries a batch; where the database refuses a row, the batch is cut in
// two until the row stands alone. What is in the way for a moment is tried
// again.
func bisect[R any](rows []R, try func([]R) error, refused func(R, *pgconn.PgError)) error {
	err := try(rows)
	for range 3 {
		if !inTheWay(err) {
			break
		}
		err = try(rows)
	}
	var pg *pgconn.PgError
	if err == nil || !errors.As(err, &pg) || !ofOneRow(pg) {
		return err
	}
	if len(rows) == 1 {
		refused(rows[0], pg)
		return nil
	}
	half := len(rows) / 2
	if err := bisect(rows[:half], try, refused); err != nil {
		return err
	}
	return bisect(rows[half:], try, refused)
}

// inTheWay: another transaction was, and a second try may do.
func inTheWay(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

// ofOneRow: an error that one row can cause (a constraint, a value, a
// trigger), as against one of rights, time or connection. A trigger's code may
// name what is not there; our own statement was checked against the catalog.
func ofOneRow(pg *pgconn.PgError) bool {
	switch pg.Code[:2] {
	case "22", "23", "27", "38", "39", "44", "P0":
		return true
	case "42", "0A":
		return pg.Where != "" && pg.Code != "42501"
	}
	return waits(pg)
}

// waits: a row's write waited too long for another transaction, as one that has
// put the same value into a unique index and is not over. A table that is locked
// has no place where.
func waits(pg *pgconn.PgError) bool { return pg.Code == "55P03" && pg.Where != "" }

// said is what the database said of one row.
func (s *Store) said(pg *pgconn.PgError) string {
	if waits(pg) {
		return fmt.Sprintf("another transaction that is not over was in the way, %s (%s)", s.scrub(pg.Where), pg.Code)
	}
	return fmt.Sprintf("%s (%s)", s.scrub(pg.Message), pg.Code)
}

// try runs one transaction: write, audit, commit; then it finds out why the
// rest of the batch was not written.
func (r *releaser) try(ctx context.Context, rows []inspect.PlannedRow) error {
	t, done, err := r.perform(ctx, rows)
	if errors.Is(err, errAltered) {
		rollback(r.conn.conn)
		r.write.table.Plain = false
		r.intent.SQL = r.write.shown()
		t, done, err = r.perform(ctx, rows)
	}
	if err != nil || len(done) == 0 {
		rollback(r.conn.conn)
	} else {
		var released []inspect.Key
		var failed []inspect.Failure
		released, failed, err = r.commit(ctx, t, done)
		r.result.Released = append(r.result.Released, released...)
		r.result.Failed = append(r.result.Failed, failed...)
		r.settled += len(released) + len(failed)
	}
	if err != nil {
		return err
	}
	// Its errors are faults, so that no batch is tried again for their sake.
	return r.store.fault("read the skipped rows again", r.explain(ctx, rows, done))
}

// refused reports a row that the database refused.
func (r *releaser) refused(row inspect.PlannedRow, pg *pgconn.PgError) {
	r.settled++
	r.result.Failed = append(r.result.Failed, inspect.Failure{Key: row.Key, Error: r.store.said(pg)})
}

// perform opens a transaction and runs the statement of a batch in it. Only the
// first time on a connection is it asked on its own who answers; after that a
// batch is one round trip, and its commit another.
func (r *releaser) perform(ctx context.Context, rows []inspect.PlannedRow) (t *tx, done []written, err error) {
	r.transaction = "" // that of a batch which wrote nothing is none of this one's
	application := applicationName + " " + r.options.Auditor.ID()
	var p pipeline
	if known := r.conn.answers; known != nil && !r.write.together() {
		t = r.store.queueBegin(&p, r.conn.conn, r.write.begin(), application, known)
	} else if t, err = r.store.begin(ctx, r.conn.conn, r.write.begin(), application); err != nil {
		return nil, nil, err
	}
	if t.database.ID != r.plan.Database {
		return nil, nil, &inspect.Fault{Kind: inspect.FaultRefused, What: fmt.Sprintf("the plan is for %s, but this is %s", r.plan.Database, t.database.ID), Next: "make a new plan here"}
	}
	r.conn.answers = &t.database
	if r.write.together() {
		done, err = r.together(ctx, t, rows)
		return t, done, err
	}
	p.add(constraintsNow, nil)
	done, err = r.writeRows(ctx, &p, rows)
	return t, done, err
}

// writeRows runs the statement as the last of a pipeline, in a transaction that
// is open or that the pipeline opens.
func (r *releaser) writeRows(ctx context.Context, p *pipeline, rows []inspect.PlannedRow) (done []written, err error) {
	values, formats := r.encoded(rows)
	r.prepare()
	p.addArrays(r.write.sql(rows[0].Key.HasNull()), func(q pgx.Rows) error {
		done, err = r.returned(q, rows)
		return err
	}, values, formats)
	plain, now, columns := "", "", ""
	p.add(inEnd, func(q pgx.Rows) error { return scanOne(q, &r.transaction, &plain, &now, &columns) }, strconv.FormatUint(uint64(r.table.OID), 10))
	err = p.run(ctx, r.conn.conn)
	if err == nil && r.write.table.Plain && plain != "true" {
		err = errAltered
	}
	if err == nil && r.write.removes() && columns != strconv.Itoa(len(r.write.table.Columns)) {
		err = &inspect.Fault{Kind: inspect.FaultRefused, What: fmt.Sprintf("%s has other columns than when it was looked at, so a deleted row could not be put back", r.table.FullName()), Next: "start idemtui again and make a new plan"}
	}
	stampNow(r.write.images(), done, &now)
	return done, err
}

// errAltered: the table is no longer plain, so that the images of what was
// written may be wrong. The batch is written anew, with all of them returned.
var errAltered = errors.New("the table has been altered")

// ahead is the arrays of a batch, made while the server was at work on the one
// before.
type ahead struct {
	rows    []inspect.PlannedRow
	values  [][]byte
	formats []int16
	ready   chan struct{}
}

// prepare begins to make the arrays of the batch that follows.
func (r *releaser) prepare() {
	if len(r.following) == 0 {
		return
	}
	next, w := &ahead{rows: r.following, ready: make(chan struct{})}, r.write
	r.next, r.following = next, nil
	go func() {
		next.values, next.formats = encodeArrays(w.types(), w.arrays(next.rows))
		close(next.ready)
	}()
}

// encoded are the arrays of a batch.
func (r *releaser) encoded(rows []inspect.PlannedRow) (values [][]byte, formats []int16) {
	if next := r.next; next != nil && &next.rows[0] == &rows[0] && len(next.rows) == len(rows) {
		r.next = nil
		<-next.ready
		return next.values, next.formats
	}
	return encodeArrays(r.write.types(), r.write.arrays(rows))
}

// inEnd asks for the transaction's id (see transactionStatus) and time, and, now
// that nobody can alter the table before the commit, whether it is still plain
// and how many columns it has.
const inEnd = "SELECT txid_current()::text, " + plainTable + ", now()::text, (SELECT count(*)::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) FROM pg_class c WHERE c.oid = $1::text::oid"

// returned reads what the statement returned of each row that it wrote.
func (r *releaser) returned(q pgx.Rows, rows []inspect.PlannedRow) ([]written, error) {
	done := make([]written, 0, len(rows))
	seen := make([]bool, len(rows))
	origins := r.write.images()
	size := 2 * len(origins)
	room := make([]inspect.ColumnValue, size*len(rows))
	err := eachText(q, func(v []*string) error {
		n, err := strconv.Atoi(*v[0])
		if err != nil {
			return fmt.Errorf("read an ordinal: %w", err)
		}
		row := &rows[n-1]
		if seen[n-1] {
			return &inspect.Fault{Kind: inspect.FaultRefused, What: fmt.Sprintf("key %s stands on several rows that cannot be told apart; nothing of its batch was released", row.Key), Next: "add a unique constraint, and release the others by key"}
		}
		seen[n-1] = true
		w := written{key: row.Key, settlement: row.Settlement}
		if columns := len(r.write.audited); r.write.mode == inspect.ReleaseMove {
			w.before = columnValues(r.write.audited, v[1:1+columns])
			if w.with, err = r.write.moved(v[1+columns:]); err != nil {
				return err
			}
		} else {
			w.before, w.after = r.write.imagesOf(room[size*(n-1):size*n], origins, row, v[1:])
		}
		if r.write.undone(w) {
			return &pgconn.PgError{Code: "27000", Message: "a trigger of the table put the claim back, so nothing of it was written"}
		}
		done = append(done, w)
		return nil
	})
	return done, err
}

// constraintsNow: a constraint that waits for the commit would fail after the
// audit record.
const constraintsNow = "SET CONSTRAINTS ALL IMMEDIATE"

// explain reads the rows of a batch that were not written once more, and says
// of each why.
func (r *releaser) explain(ctx context.Context, rows []inspect.PlannedRow, done []written) error {
	if len(done) == len(rows) {
		return nil
	}
	wrote := map[inspect.Key]bool{}
	for _, w := range done {
		wrote[w.key] = true
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
			if why := r.left[row.Key]; why != "" {
				r.result.Skipped = append(r.result.Skipped, inspect.Skip{Key: row.Key, Reason: inspect.ReasonChanged, Text: why})
				continue
			}
			skip := inspect.SkippedBecause(row, now[row.Key], table.Mapping, r.plan.OverrideLease, at)
			if skip.Text == inspect.HeldWhenTried {
				skip.Text += otherwiseKept(table)
			}
			r.result.Skipped = append(r.result.Skipped, skip)
		}
	}
	r.settled += len(keys)
	return nil
}

// otherwiseKept says what else, besides a lock, silently keeps a write from a
// row of the table.
func otherwiseKept(table inspect.Table) string {
	var also string
	if table.HasTriggers {
		also += "; or a trigger of the table suppressed the write"
	}
	if table.RowSecurity {
		also += "; or a row-level security policy does not let this role write the row"
	}
	return also
}

// undone: what the write set first, which is what ends the claim, is as it was,
// which only a trigger can bring about.
func (w write) undone(row written) bool {
	if row.after == nil || len(w.set) == 0 || !w.table.HasTriggers {
		return false
	}
	column := w.set[0].column
	return sameColumns([]inspect.ColumnValue{{Value: valueOf(row.before, column)}}, []inspect.ColumnValue{{Value: valueOf(row.after, column)}})
}
