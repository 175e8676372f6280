package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"idemtui/inspect"
)

// Undo puts back what a release changed: a row that is in every recorded
// column as the release left it and that nobody has written since, and a deleted
// row whose key is still absent. Everything else is skipped with the reason.
func (s *Store) Undo(ctx context.Context, table inspect.Table, request inspect.UndoRequest) (inspect.UndoResult, error) {
	var result inspect.UndoResult
	if request.DryRun {
		err := s.look(ctx, "plan an undo in "+table.FullName(), func(ctx context.Context, t *tx) error {
			u := undoer{result: &result, request: request, recorder: recorder{store: s, table: table}}
			return u.preview(ctx, t)
		})
		return result, err
	}
	if request.Auditor == nil {
		return result, &inspect.Fault{Kind: inspect.FaultRefused, What: "no audit record can be written, so nothing is undone", Next: "check the state folder"}
	}
	result.Executed, result.AuditID = true, request.Auditor.ID()
	err := s.writing(ctx, "undo in "+table.FullName(), func(ctx context.Context, conn *connection) error {
		u := undoer{result: &result, request: request, recorder: recorder{
			store: s, conn: conn, auditor: request.Auditor, table: table,
			intent: inspect.Intent{Action: inspect.ActionUndo, Table: table.FullName(), UndoOf: request.AuditID, Reason: request.Reason},
		}}
		return u.all(ctx)
	})
	return result, err
}

// undoer is one undo in progress.
type undoer struct {
	recorder
	request inspect.UndoRequest
	result  *inspect.UndoResult
	left    map[inspect.Key]string // why rows were left out, for the explanation
}

// sameShape reports whether two records hold the same columns.
func sameShape(a, b inspect.AuditRow) bool {
	names := func(r inspect.AuditRow) []string { return append(columnNames(r.Before), columnNames(r.After)...) }
	return slices.Equal(names(a), names(b))
}

func columnNames(columns []inspect.ColumnValue) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.Column
	}
	return out
}

func (u *undoer) all(ctx context.Context) error {
	rows := u.request.Rows
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && n < inspect.MaxBatch && sameShape(rows[0], rows[n]) && rows[0].Key.HasNull() == rows[n].Key.HasNull() {
			n++
		}
		if err := bisect(rows[:n], func(part []inspect.AuditRow) error { return u.try(ctx, part) }, u.refused); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

func (u *undoer) refused(row inspect.AuditRow, pg *pgconn.PgError) {
	u.result.Failed = append(u.result.Failed, inspect.Failure{Key: row.Key, Error: u.store.said(pg)})
}

func (u *undoer) try(ctx context.Context, rows []inspect.AuditRow) error {
	if reason := u.impossible(rows[0]); reason != "" {
		for _, r := range rows {
			u.skip(r.Key, inspect.ReasonChanged, reason)
		}
		return nil
	}
	var t *tx
	var done []written
	var err error
	for some := rows; len(some) > 0 && err == nil && len(done) == 0; {
		t, err = u.store.begin(ctx, u.conn.conn, readWrite, applicationName+" "+u.auditor.ID())
		if err == nil {
			done, some, err = u.restoreAll(ctx, t, some)
		}
		if err == nil && len(some) > 0 {
			rollback(u.conn.conn)
		}
	}
	if err != nil || len(done) == 0 {
		rollback(u.conn.conn)
	} else {
		var restored []inspect.Key
		var failed []inspect.Failure
		restored, failed, err = u.commit(ctx, t, done)
		u.result.Restored = append(u.result.Restored, restored...)
		u.result.Failed = append(u.result.Failed, failed...)
	}
	if err != nil {
		return err
	}
	return u.store.fault("read the skipped rows again", u.explain(ctx, rows, done))
}

// impossible says why rows of this shape cannot be put back at all.
func (u *undoer) impossible(row inspect.AuditRow) string {
	for _, c := range append(columnNames(row.Before), columnNames(row.After)...) {
		if _, ok := u.table.Column(c); !ok {
			return "the table no longer has column " + c
		}
	}
	if row.After != nil {
		return ""
	}
	for _, c := range u.table.Columns {
		if !c.Generated && !slices.Contains(columnNames(row.Before), c.Name) {
			return "the record does not hold column " + c.Name + ", so the deleted row cannot be put back whole"
		}
	}
	return ""
}

func (u *undoer) statement(ctx context.Context, t *tx, rows []inspect.AuditRow) ([]written, error) {
	u.columns = columnNames(rows[0].Before)
	var sql string
	var args []any
	switch {
	case rows[0].Before == nil:
		u.columns = columnNames(rows[0].After)
		sql, args = u.deleteSQL(rows)
	case rows[0].After == nil:
		sql, args = u.insertSQL(rows)
	default:
		sql, args = u.restoreSQL(rows)
	}
	u.intent.SQL = sql
	if _, err := t.conn.Exec(ctx, constraintsNow); err != nil {
		return nil, err
	}
	q, err := t.conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer q.Close()
	var done []written
	seen := map[int64]bool{}
	for q.Next() {
		var n int64
		var before, after image
		if err := q.Scan(&n, &before, &after); err != nil {
			return nil, err
		}
		if seen[n] {
			return nil, &inspect.Fault{Kind: inspect.FaultRefused, What: fmt.Sprintf("key %s stands on several rows that cannot be told apart; nothing of its batch was undone", rows[n-1].Key)}
		}
		seen[n] = true
		w := written{key: rows[n-1].Key}
		if after.present {
			w.after = columnValues(u.columns, after.values)
		}
		if before.present {
			w.before = columnValues(u.columns, before.values)
		}
		if column := u.kept(rows[n-1], w.after); column != "" {
			return nil, &pgconn.PgError{Code: "27000", Message: "a trigger of the table kept " + column + " as it was, so nothing of the row was put back"}
		}
		done = append(done, w)
	}
	return done, q.Err()
}

// kept is a mapped column that the undo wrote and that is still as the release
// left it, which only a trigger can bring about; "" without any.
func (u *undoer) kept(row inspect.AuditRow, now []inspect.ColumnValue) string {
	if row.Before == nil || row.After == nil || !u.table.HasTriggers {
		return ""
	}
	for _, c := range changedColumns([]inspect.AuditRow{row}) {
		value := func(columns []inspect.ColumnValue) []inspect.ColumnValue {
			return []inspect.ColumnValue{{Value: valueOf(columns, c)}}
		}
		if slices.Contains(u.table.Mapping.Columns(), c) && c != u.table.Mapping.UpdatedAt && sameColumns(value(now), value(row.After)) {
			return c
		}
	}
	return ""
}

// restoreSQL writes back the columns that the release changed, on rows that are
// in every recorded column as it left them.
func (u *undoer) restoreSQL(rows []inspect.AuditRow) (string, []any) {
	keys := make([]inspect.Key, len(rows))
	for i, r := range rows {
		keys[i] = r.Key
	}
	w := write{table: u.table}
	nullKeys := rows[0].Key.HasNull()
	args, _, names := keyArrays(u.table, keys, 1)
	var guardD, guardL, set []string
	for i, c := range columnNames(rows[0].After) {
		values := make([]*string, len(rows))
		for j, r := range rows {
			values[j] = r.After[i].Value
		}
		args, names = append(args, values), append(names, fmt.Sprintf("g%d", i+1))
		guardD = append(guardD, fmt.Sprintf("%s::text COLLATE \"C\" IS NOT DISTINCT FROM d.g%d", col(c), i+1))
		guardL = append(guardL, fmt.Sprintf("%s::text COLLATE \"C\" IS NOT DISTINCT FROM l.g%d", col(c), i+1))
	}
	args, names = append(args, writers(rows)), append(names, "x")
	if u.table.RowVersions {
		guardD, guardL = append(guardD, "(d.x IS NULL OR t.xmin::text = d.x)"), append(guardL, "(l.x IS NULL OR t.xmin::text = l.x)")
	}
	for i, c := range changedColumns(rows) {
		column, _ := u.table.Column(c)
		if column.Generated {
			continue
		}
		values := make([]*string, len(rows))
		for j, r := range rows {
			values[j] = valueOf(r.Before, c)
		}
		args, names = append(args, values), append(names, fmt.Sprintf("s%d", i+1))
		set = append(set, fmt.Sprintf("%s = l.s%d::%s", ident(c), i+1, column.Cast))
	}
	lock := textArray(u.columns) + " AS before\n FROM " + tableName(u.table) + " AS t JOIN unnest(" + unnested(len(names), 1) +
		") WITH ORDINALITY AS d(" + strings.Join(names, ", ") + ", n) ON " + w.keyEquals("d", nullKeys) + "\n WHERE " + strings.Join(guardD, " AND ") +
		"\n FOR NO KEY UPDATE OF t SKIP LOCKED"
	if len(set) == 0 { // the release left the rows as they were
		return "SELECT d.n, " + textArray(u.columns) + ", " + lock, args
	}
	return "WITH locked AS MATERIALIZED (\n SELECT d.*, " + lock + ")\nUPDATE " + tableName(u.table) + " AS t SET " + strings.Join(set, ", ") + "\nFROM locked AS l WHERE " + w.keyEquals("l", nullKeys) +
		" AND " + strings.Join(guardL, " AND ") + "\nRETURNING l.n, l.before, " + textArray(u.columns), args
}

// writers are the transactions that wrote the rows, as a row's xmin shows them:
// a row that somebody wrote since, and that is again as the release left it,
// has another.
func writers(rows []inspect.AuditRow) []*string {
	out := make([]*string, len(rows))
	for i, r := range rows {
		out[i] = writer(r)
	}
	return out
}

// writer is the low half of the 64-bit id that txid_current gave, which is what
// xmin holds; nil where nobody knows it.
func writer(row inspect.AuditRow) *string {
	id, err := strconv.ParseUint(row.WrittenBy, 10, 64)
	if err != nil {
		return nil
	}
	xmin := strconv.FormatUint(id&0xffffffff, 10)
	return &xmin
}

// changedColumns are the columns that differ before and after, in any row.
func changedColumns(rows []inspect.AuditRow) []string {
	var out []string
	for _, r := range rows {
		for _, c := range r.Before {
			if !sameColumns([]inspect.ColumnValue{c}, []inspect.ColumnValue{{Column: c.Column, Value: valueOf(r.After, c.Column)}}) && !slices.Contains(out, c.Column) {
				out = append(out, c.Column)
			}
		}
	}
	return out
}

// insertSQL puts deleted rows back where their key is absent.
func (u *undoer) insertSQL(rows []inspect.AuditRow) (string, []any) {
	keys := make([]inspect.Key, len(rows))
	for i, r := range rows {
		keys[i] = r.Key
	}
	w := write{table: u.table}
	args, _, names := keyArrays(u.table, keys, 1)
	var columns, values []string
	for i, c := range u.columns {
		column, _ := u.table.Column(c)
		if column.Generated {
			continue
		}
		texts := make([]*string, len(rows))
		for j, r := range rows {
			texts[j] = r.Before[i].Value
		}
		args, names = append(args, texts), append(names, fmt.Sprintf("s%d", i+1))
		columns, values = append(columns, ident(c)), append(values, fmt.Sprintf("d.s%d::%s", i+1, column.Cast))
	}
	name := tableName(u.table)
	return "WITH d AS MATERIALIZED (SELECT * FROM unnest(" + unnested(len(names), 1) + ") WITH ORDINALITY AS d(" + strings.Join(names, ", ") + ", n)),\n back AS (INSERT INTO " +
		name + " AS t (" + strings.Join(columns, ", ") + ") OVERRIDING SYSTEM VALUE SELECT " + strings.Join(values, ", ") +
		" FROM d WHERE NOT EXISTS (SELECT FROM " + name + " AS t WHERE " + w.keyEquals("d", rows[0].Key.HasNull()) + ")\n  ON CONFLICT DO NOTHING RETURNING t.*)\n" +
		"SELECT d.n, NULL::text[], " + textArray(u.columns) + " FROM back AS t JOIN d ON " + w.keyEquals("d", rows[0].Key.HasNull()), args
}

func (u *undoer) skip(key inspect.Key, reason inspect.Reason, text string) {
	u.result.Skipped = append(u.result.Skipped, inspect.Skip{Key: key, Reason: reason, Text: text})
}

// explain says of each row that was not put back why.
func (u *undoer) explain(ctx context.Context, rows []inspect.AuditRow, done []written) error {
	restored := map[inspect.Key]bool{}
	for _, w := range done {
		restored[w.key] = true
	}
	var left []inspect.AuditRow
	for _, r := range rows {
		if !restored[r.Key] {
			left = append(left, r)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return u.store.transact(ctx, u.conn.conn, readOnly, func(ctx context.Context, t *tx) error {
		found, err := u.now(ctx, t, left)
		for _, r := range left {
			u.skipped(r, found[r.Key])
		}
		return err
	})
}

// now reads and judges the rows of records as they are.
func (u *undoer) now(ctx context.Context, t *tx, rows []inspect.AuditRow) (map[inspect.Key]found, error) {
	keys := make([]inspect.Key, len(rows))
	columns := map[string][]string{} // by the shape of the record
	shaped := map[string][]inspect.Key{}
	for i, r := range rows {
		keys[i] = r.Key
		names := columnNames(append(r.After, r.Before...))
		shape := strings.Join(names, "\x00")
		columns[shape], shaped[shape] = u.known(names), append(shaped[shape], r.Key)
	}
	l := looker{tx: t, table: u.table, reader: newReader(u.table), facts: inspect.Facts{Now: t.now(), Mapping: u.table.Mapping}}
	rowsNow, err := l.reader.byKeys(ctx, t, keys)
	if err != nil {
		return nil, err
	}
	claims, err := l.judge(ctx, rowsNow)
	if err != nil {
		return nil, err
	}
	out := map[inspect.Key]found{}
	for i := range claims {
		out[claims[i].Key] = found{claim: &claims[i]}
	}
	for shape, keys := range shaped {
		images, err := t.images(ctx, u.table, columns[shape], keys)
		if err != nil {
			return nil, err
		}
		for k, image := range images {
			if f, ok := out[k]; ok {
				f.image = image
				out[k] = f
			}
		}
	}
	return out, nil
}

// found is a row of the record as it is now: as a claim, and every column that
// the record holds.
type found struct {
	claim *inspect.Claim
	image []inspect.ColumnValue
}

// touched: somebody has written the row since, whatever it holds.
func (f found) touched(row inspect.AuditRow) bool {
	by := writer(row)
	return by != nil && f.claim != nil && f.claim.RowVersion.OK && f.claim.RowVersion.V != *by
}

// is compares the row with one side of its record.
func (f found) is(side []inspect.ColumnValue) bool {
	return side != nil && !slices.ContainsFunc(side, func(c inspect.ColumnValue) bool {
		return !sameColumns([]inspect.ColumnValue{c}, []inspect.ColumnValue{{Column: c.Column, Value: valueOf(f.image, c.Column)}})
	})
}

// known are those of the columns that the table still has, each once.
func (u *undoer) known(names []string) []string {
	var out []string
	for _, n := range names {
		if _, ok := u.table.Column(n); ok && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func (u *undoer) skipped(r inspect.AuditRow, now found) {
	state := u.table.Mapping.State.Column
	c := now.claim
	what, completed := "release", false
	if r.Settlement != nil {
		what, completed = "settle", r.Settlement.Outcome == inspect.AnswerCharged
	}
	switch {
	case u.left[r.Key] != "" && (c == nil || now.is(r.After)):
		u.skip(r.Key, inspect.ReasonChanged, u.left[r.Key])
	case c == nil && r.After == nil:
		u.skip(r.Key, inspect.ReasonLocked, "another transaction was putting a row with this key in its place")
	case c == nil:
		u.skip(r.Key, inspect.ReasonGone, "the row is no longer there")
	case now.is(r.Before):
		u.skip(r.Key, inspect.ReasonChanged, "the row is as it was before the "+what+" already")
	case r.After == nil:
		u.skip(r.Key, inspect.ReasonChanged, "there is a row with this key again")
	case now.is(r.After) && now.touched(r):
		u.skip(r.Key, inspect.ReasonChanged, "written since the "+what+", to the same values")
	case now.is(r.After):
		u.skip(r.Key, inspect.ReasonLocked, "another transaction holds the row"+otherwiseKept(u.table))
	case c.State == inspect.StateDone && !completed:
		u.skip(r.Key, inspect.ReasonDone, "done since the "+what)
	case c.State == inspect.StateProcessing && valueOf(r.After, state) != nil && c.RawState != *valueOf(r.After, state):
		u.skip(r.Key, inspect.ReasonClaimedAgain, "claimed again since the "+what+", by "+inspect.Brief(c.Owner.Or("nobody named")))
	default:
		u.skip(r.Key, inspect.ReasonChanged, "changed since the "+what)
	}
}

// preview says what an undo would restore, without writing.
func (u *undoer) preview(ctx context.Context, t *tx) error {
	now, err := u.now(ctx, t, u.request.Rows)
	if err != nil {
		return err
	}
	if err := u.otherChanged(ctx, t, u.request.Rows); err != nil {
		return err
	}
	for _, r := range u.request.Rows {
		reason := u.impossible(r)
		f := now[r.Key]
		switch {
		case reason != "":
			u.skip(r.Key, inspect.ReasonChanged, reason)
		case u.left[r.Key] != "":
			u.skipped(r, f)
		case f.claim == nil && r.After == nil, f.claim != nil && f.is(r.After) && !f.touched(r):
			u.result.Restored = append(u.result.Restored, r.Key)
		default:
			u.skipped(r, f)
		}
	}
	return nil
}
