package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"idemtui/inspect"
)

// A framework's own function has no guard. So the plan's rows are locked and
// compared first, in the same transaction, and owners of whom the function would
// touch another row are left out. The whole transaction sees one instant: what a
// worker claims under the same name while the function runs, it does not see
// (and a planned row that changed since ends it with 40001, to be tried again).
// Then the server is asked how many rows were written, before the commit.

// begin opens the transaction of the write.
func (w write) begin() string {
	if w.calls() {
		return readWriteOnce
	}
	return readWrite
}

// calls reports whether the release is a function of the framework.
func (w write) calls() bool { return w.mode == inspect.ReleaseCall }

// function is the name of the framework's function, schema first.
func (w write) function() (schema, name string) {
	if schema, name, ok := strings.Cut(w.rule().Function, "."); ok {
		return schema, name
	}
	return w.table.Schema, w.rule().Function
}

func (w write) callName() string {
	schema, name := w.function()
	return ident(schema, name)
}

func (w write) callSQL() string {
	name := w.callName()
	arguments := w.rule().Arguments
	if len(arguments) == 0 {
		return "SELECT " + name + "($1::text[])"
	}
	_, casts, names := keyArrays(w.table, nil, 1)
	var list []string
	for _, a := range arguments {
		switch a {
		case inspect.ArgumentKey:
			list = append(list, casts...)
		case inspect.ArgumentNow:
			list = append(list, "now()")
		default:
			list = append(list, "NULL")
		}
	}
	return "SELECT " + name + "(" + strings.Join(list, ", ") + ") FROM unnest(" + unnested(len(names), 1) + ") AS d(" + strings.Join(names, ", ") + ")"
}

// takesOwners: the function frees all that its owners hold.
func (w write) takesOwners() bool { return w.calls() && len(w.rule().Arguments) == 0 }

// lockSQL locks the planned rows that are as they were read.
func (w write) lockSQL(nullKeys bool) string {
	owner := "NULL::text"
	if w.table.Mapping.Owner != "" {
		owner = ownerText(w.table)
	}
	return "SELECT d.n::text, " + owner + ", " + columnTexts(w.audited) + "\n FROM " + tableName(w.table) + " AS t JOIN " + w.planned() + " ON " + w.keyEquals("d", nullKeys) +
		"\n WHERE " + w.guard("d") + "\n FOR UPDATE OF t SKIP LOCKED"
}

// mayCall refuses a function that is not there, or that the role may not call.
func (t *tx) mayCall(ctx context.Context, w write) error {
	if !w.calls() {
		return nil
	}
	schema, name := w.function()
	exists, may := false, false
	given, condition := "text[]", "p.proargtypes[0] = 'text[]'::regtype AND"
	if n := len(w.rule().Arguments); n > 0 {
		given, condition = fmt.Sprintf("%d arguments", n), ""
	}
	err := t.texts(ctx, func(v []*string) error {
		exists, may = true, may || *v[0] == "true"
		return nil
	}, `SELECT has_function_privilege(p.oid, 'EXECUTE')::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
 WHERE n.nspname = $1::text AND p.proname = $2::text AND `+condition+` $3::text::int BETWEEN p.pronargs - p.pronargdefaults AND p.pronargs`, schema, name, strconv.Itoa(max(1, len(w.rule().Arguments))))
	switch {
	case err != nil:
		return err
	case !exists:
		return &inspect.Fault{Kind: inspect.FaultMapping, What: fmt.Sprintf("the database has no function %s that takes %s", ident(schema, name), given), Next: "choose another --mode"}
	case !may:
		return &inspect.Fault{
			Kind: inspect.FaultPermission, What: fmt.Sprintf("role %s may not call %s", t.database.User, ident(schema, name)),
			Next: fmt.Sprintf("GRANT EXECUTE ON FUNCTION %s TO %s", ident(schema, name), ident(t.database.User)),
		}
	}
	return nil
}

// locked is a planned row that is locked and as it was read.
type locked struct {
	n      int
	before []inspect.ColumnValue
	owner  string
	with   []inspect.OtherRow
}

// together releases rows of which more is written than their own row, or by the
// framework's function: everything is locked and compared first.
func (r *releaser) together(ctx context.Context, t *tx, rows []inspect.PlannedRow) ([]written, error) {
	if _, err := t.conn.Exec(ctx, constraintsNow); err != nil {
		return nil, err
	}
	held, err := r.lock(ctx, t, rows)
	if err == nil {
		held, err = r.lockOthers(ctx, t, rows, held)
	}
	if err == nil && r.write.takesOwners() && len(held) > 0 {
		held, err = r.alone(ctx, t, rows, held)
	}
	if err != nil || len(held) == 0 {
		return nil, err
	}
	var done []written
	if r.write.calls() {
		done, err = r.call(ctx, t, rows, held)
	} else {
		some, with := make([]inspect.PlannedRow, len(held)), map[inspect.Key][]inspect.OtherRow{}
		for i, h := range held {
			some[i] = rows[h.n-1]
			with[some[i].Key] = h.with
		}
		done, err = r.writeRows(ctx, &pipeline{}, some)
		for i := range done {
			done[i].with = with[done[i].key]
		}
	}
	if err == nil {
		err = r.writeOthers(ctx, t, done)
	}
	return done, err
}

// call has the framework's function release the locked rows.
func (r *releaser) call(ctx context.Context, t *tx, rows []inspect.PlannedRow, held []locked) ([]written, error) {
	var owners []string
	keys := make([]inspect.Key, len(held))
	for i, h := range held {
		keys[i] = rows[h.n-1].Key
		if !slices.Contains(owners, h.owner) {
			owners = append(owners, h.owner)
		}
	}
	given := []any{owners}
	if !r.write.takesOwners() {
		given, _, _ = keyArrays(r.table, keys, 1)
	}
	before, err := r.written(ctx, t)
	if err != nil {
		return nil, err
	}
	if _, err := t.conn.Exec(ctx, r.write.callSQL(), given...); err != nil {
		return nil, err
	}
	if err := r.wroteNoOther(ctx, t, before, held); err != nil {
		return nil, err
	}
	now, err := t.images(ctx, r.table, r.write.audited, keys) // none where the function deleted the row
	if err != nil {
		return nil, err
	}
	done := make([]written, len(held))
	for i, h := range held {
		done[i] = written{key: keys[i], before: h.before, after: now[keys[i]], with: h.with, settlement: rows[h.n-1].Settlement}
	}
	return done, nil
}

// written counts the row versions of the tables that the function writes which
// this session has replaced: pg_stat_get_xact_tuples_updated and _deleted, which
// also hold what earlier transactions of the session did and did not report yet,
// and stand still where track_counts is off.
func (r *releaser) written(ctx context.Context, t *tx) (map[string]int, error) {
	tables := []inspect.Table{r.table}
	for _, c := range r.write.rule().With {
		tables = append(tables, r.write.other(c))
	}
	out := map[string]int{}
	for _, table := range tables {
		var wrote int
		err := t.conn.QueryRow(ctx, `SELECT coalesce(sum(pg_stat_get_xact_tuples_updated(c) + pg_stat_get_xact_tuples_deleted(c)), 0)::int
 FROM (SELECT $1::oid AS c UNION SELECT relid FROM pg_partition_tree($1::oid)) AS parts`, table.OID).Scan(&wrote)
		if err != nil {
			return nil, err
		}
		out[table.FullName()] = wrote
	}
	return out, nil
}

// wroteNoOther compares what the function wrote with what was planned.
func (r *releaser) wroteNoOther(ctx context.Context, t *tx, before map[string]int, held []locked) error {
	planned := map[string]int{r.table.FullName(): len(held)}
	for _, h := range held {
		for _, o := range h.with {
			planned[o.Table]++
		}
	}
	after, err := r.written(ctx, t)
	for table, n := range after {
		if wrote := n - before[table]; wrote > planned[table] {
			return &inspect.Fault{
				Kind: inspect.FaultRefused, What: fmt.Sprintf("%s wrote %d rows of %s where %d were planned, so all of it was rolled back", r.write.callName(), wrote, table, planned[table]),
				Next: "look at what the function does, or choose another --mode",
			}
		}
	}
	return err
}

func (r *releaser) lock(ctx context.Context, t *tx, rows []inspect.PlannedRow) ([]locked, error) {
	var out []locked
	err := t.texts(ctx, func(v []*string) error {
		n, err := strconv.Atoi(*v[0])
		switch {
		case err != nil:
			return fmt.Errorf("read an ordinal: %w", err)
		case v[1] == nil && r.write.takesOwners():
			r.leave(rows[n-1].Key, "it has no owner, and the framework's function takes owners")
		default:
			h := locked{n: n, before: columnValues(r.write.audited, v[2:])}
			if v[1] != nil {
				h.owner = *v[1]
			}
			out = append(out, h)
		}
		return nil
	}, r.write.lockSQL(rows[0].Key.HasNull()), r.write.arguments(rows)...)
	return out, err
}

// alone keeps the rows of owners all of whose rows are locked: of the others
// the function would touch more than was planned.
func (r *releaser) alone(ctx context.Context, t *tx, rows []inspect.PlannedRow, held []locked) ([]locked, error) {
	planned := map[string]int{}
	for _, h := range held {
		planned[h.owner]++
	}
	owned := map[string]int{}
	owner := ownerText(r.table)
	owners := make([]string, 0, len(planned))
	for o := range planned {
		owners = append(owners, o)
	}
	err := t.texts(ctx, func(v []*string) error {
		n, err := strconv.Atoi(*v[1])
		owned[*v[0]] = n
		return err
	}, fmt.Sprintf("SELECT %[1]s, count(*)::text FROM %[2]s AS t WHERE %[1]s = ANY ($1::text[]) GROUP BY 1", owner, tableName(r.table)), owners)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(held, func(h locked) bool {
		more := owned[h.owner] - planned[h.owner]
		if more > 0 {
			r.leave(rows[h.n-1].Key, fmt.Sprintf("the framework's function frees all that %s holds, which is %d more than could be released here; release by --owner, or choose another --mode", h.owner, more))
		}
		return more > 0
	}), nil
}

// leave notes why a row was left out, for the explanation.
func (r *releaser) leave(key inspect.Key, why string) {
	if r.left == nil {
		r.left = map[inspect.Key]string{}
	}
	r.left[key] = why
}
