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
	rule, _ := w.table.Mapping.ReleaseRule(inspect.ReleaseCall)
	if schema, name, ok := strings.Cut(rule.Function, "."); ok {
		return schema, name
	}
	return w.table.Schema, rule.Function
}

func (w write) callSQL() string {
	schema, name := w.function()
	return "SELECT " + ident(schema, name) + "($1::text[])"
}

// lockSQL locks the planned rows that are as they were read.
func (w write) lockSQL(nullKeys bool) string {
	names := w.names()
	return "SELECT d.n::text, " + ownerText(w.table) + ", " + columnTexts(w.audited) + "\n FROM " + tableName(w.table) + " AS t JOIN unnest(" +
		unnested(len(names), 1) + ") WITH ORDINALITY AS d(" + strings.Join(names, ", ") + ", n) ON " + w.keyEquals("d", nullKeys) +
		"\n WHERE " + w.guard("d") + "\n FOR UPDATE OF t SKIP LOCKED"
}

// mayCall refuses a function that is not there, or that the role may not call.
func (t *tx) mayCall(ctx context.Context, w write) error {
	if !w.calls() {
		return nil
	}
	schema, name := w.function()
	exists, may := false, false
	err := t.texts(ctx, func(v []*string) error {
		exists, may = true, may || *v[0] == "true"
		return nil
	}, `SELECT has_function_privilege(p.oid, 'EXECUTE')::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
 WHERE n.nspname = $1::text AND p.proname = $2::text AND p.proargtypes[0] = 'text[]'::regtype AND p.pronargs - p.pronargdefaults <= 1`, schema, name)
	switch {
	case err != nil:
		return err
	case !exists:
		return &inspect.Fault{Kind: inspect.FaultMapping, What: fmt.Sprintf("the database has no function %s(text[])", ident(schema, name)), Next: "choose another --mode"}
	case !may:
		return &inspect.Fault{
			Kind: inspect.FaultPermission, What: fmt.Sprintf("role %s may not call %s", t.database.User, ident(schema, name)),
			Next: fmt.Sprintf("GRANT EXECUTE ON FUNCTION %s(text[]) TO %s", ident(schema, name), ident(t.database.User)),
		}
	}
	return nil
}

// locked is a planned row that is locked and as it was read.
type locked struct {
	n      int
	before []inspect.ColumnValue
	owner  string
}

// call releases rows by the framework's function.
func (r *releaser) call(ctx context.Context, t *tx, rows []inspect.PlannedRow) ([]written, error) {
	held, err := r.lock(ctx, t, rows)
	if err != nil || len(held) == 0 {
		return nil, err
	}
	if held, err = r.alone(ctx, t, rows, held); err != nil || len(held) == 0 {
		return nil, err
	}
	var owners []string
	keys := make([]inspect.Key, len(held))
	for i, h := range held {
		keys[i] = rows[h.n-1].Key
		if !slices.Contains(owners, h.owner) {
			owners = append(owners, h.owner)
		}
	}
	if _, err := t.conn.Exec(ctx, r.write.callSQL(), owners); err != nil {
		return nil, err
	}
	if err := r.wroteNoOther(ctx, t, len(held)); err != nil {
		return nil, err
	}
	done := make([]written, len(held))
	arrays, _, names := keyArrays(r.table, keys, 1)
	err = t.texts(ctx, func(v []*string) error {
		i, err := strconv.Atoi(*v[0])
		if err != nil {
			return fmt.Errorf("read an ordinal: %w", err)
		}
		done[i-1] = written{key: keys[i-1], before: held[i-1].before, after: columnValues(r.write.audited, v[1:])}
		return nil
	}, "SELECT d.n::text, "+columnTexts(r.write.audited)+" FROM "+tableName(r.table)+" AS t JOIN unnest("+unnested(len(arrays), 1)+
		") WITH ORDINALITY AS d("+strings.Join(names, ", ")+", n) ON "+r.write.keyEquals("d", false), arrays...)
	for i := range done {
		if done[i].after == nil { // the function deleted the row
			done[i] = written{key: keys[i], before: held[i].before}
		}
	}
	return done, err
}

// wroteNoOther asks the server how many row versions of the table this
// transaction has replaced (pg_stat_get_xact_tuples_updated and _deleted; they
// count nothing where track_counts is off).
func (r *releaser) wroteNoOther(ctx context.Context, t *tx, planned int) error {
	var wrote int
	err := t.conn.QueryRow(ctx, `SELECT coalesce(sum(pg_stat_get_xact_tuples_updated(c) + pg_stat_get_xact_tuples_deleted(c)), 0)::int
 FROM (SELECT $1::oid AS c UNION SELECT relid FROM pg_partition_tree($1::oid)) AS parts`, r.table.OID).Scan(&wrote)
	if err == nil && wrote > planned {
		schema, name := r.write.function()
		err = &inspect.Fault{
			Kind: inspect.FaultRefused, What: fmt.Sprintf("%s wrote %d rows of %s where %d were planned, so all of it was rolled back", ident(schema, name), wrote, r.table.FullName(), planned),
			Next: "look at what the function does, or choose another --mode",
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
		case v[1] == nil:
			r.leave(rows[n-1].Key, "it has no owner, and the framework's function takes owners")
		default:
			out = append(out, locked{n: n, owner: *v[1], before: columnValues(r.write.audited, v[2:])})
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
