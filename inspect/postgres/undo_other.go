package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"idemtui/inspect"
)

// What a release wrote in other tables is put back with the claim's own row, or
// neither is.

// restoreAll puts rows back together with those of other tables. Where that
// could not be done of all, alone are those of which it could: the transaction is
// to be rolled back, and tried with them.
func (u *undoer) restoreAll(ctx context.Context, t *tx, rows []inspect.AuditRow) (done []written, alone []inspect.AuditRow, err error) {
	with, whole, err := u.restoreOthers(ctx, t, rows)
	if err != nil {
		return nil, nil, err
	}
	if len(whole) < len(rows) {
		return nil, whole, nil
	}
	if done, err = u.statement(ctx, t, rows); err != nil {
		return nil, nil, err
	}
	for i := range done {
		done[i].with = with[done[i].key]
	}
	if len(with) == 0 || len(done) == len(rows) {
		return done, nil, nil
	}
	restored := map[inspect.Key]bool{}
	for _, w := range done {
		restored[w.key] = true
	}
	return nil, slices.DeleteFunc(slices.Clone(rows), func(r inspect.AuditRow) bool { return !restored[r.Key] }), nil
}

// restoreOthers puts back what was written in other tables; whole are the rows
// of which that was possible.
func (u *undoer) restoreOthers(ctx context.Context, t *tx, rows []inspect.AuditRow) (with map[inspect.Key][]inspect.OtherRow, whole []inspect.AuditRow, err error) {
	with = map[inspect.Key][]inspect.OtherRow{}
	missing := map[inspect.Key]bool{}
	groups, err := u.otherRows(rows)
	if err != nil {
		return nil, nil, err
	}
	for _, g := range groups {
		sub := undoer{recorder: recorder{store: u.store, table: g.table}, result: &inspect.UndoResult{}}
		done, err := sub.statement(ctx, t, g.rows)
		if err != nil {
			return nil, nil, err
		}
		wrote := map[inspect.Key]bool{}
		for _, w := range done {
			wrote[w.key] = true
			for i, row := range g.rows {
				if row.Key == w.key {
					with[g.of[i]] = append(with[g.of[i]], inspect.OtherRow{Table: g.table.FullName(), Before: w.before, After: w.after})
				}
			}
		}
		for i, row := range g.rows {
			missing[g.of[i]] = missing[g.of[i]] || !wrote[row.Key]
		}
	}
	for _, row := range rows {
		if missing[row.Key] {
			u.leave(row.Key, "what it held in "+row.With[0].Table+" has changed since, or another transaction holds it")
			continue
		}
		whole = append(whole, row)
	}
	return with, whole, nil
}

// otherGroup are rows of one other table whose records have one shape, each with
// the claim that it was written with.
type otherGroup struct {
	table inspect.Table
	rows  []inspect.AuditRow
	of    []inspect.Key
}

func (u *undoer) otherRows(rows []inspect.AuditRow) ([]otherGroup, error) {
	var groups []otherGroup
	for _, row := range rows {
		for _, o := range row.With {
			table, ok := u.table.Other(o.Table)
			if !ok {
				return nil, &inspect.Fault{Kind: inspect.FaultRefused, What: fmt.Sprintf("the release wrote %s too, which this mapping does not know", o.Table), Next: "undo with the profile that it was released with"}
			}
			image := o.After
			if image == nil {
				image = o.Before
			}
			key, err := otherKey(table, image)
			if err != nil {
				return nil, err
			}
			one := inspect.AuditRow{Key: key, Before: o.Before, After: o.After, WrittenBy: row.WrittenBy}
			i := slices.IndexFunc(groups, func(g otherGroup) bool {
				return g.table.FullName() == o.Table && sameShape(g.rows[0], one) && (g.rows[0].After == nil) == (o.After == nil)
			})
			if i < 0 {
				i, groups = len(groups), append(groups, otherGroup{table: table})
			}
			groups[i].rows, groups[i].of = append(groups[i].rows, one), append(groups[i].of, row.Key)
		}
	}
	return groups, nil
}

// otherChanged says, without writing, of which rows what they held in other
// tables is no longer as the release left it.
func (u *undoer) otherChanged(ctx context.Context, t *tx, rows []inspect.AuditRow) error {
	groups, err := u.otherRows(rows)
	if err != nil {
		return err
	}
	for _, g := range groups {
		columns := columnNames(append(g.rows[0].After, g.rows[0].Before...))
		keys := make([]inspect.Key, len(g.rows))
		for i, row := range g.rows {
			keys[i] = row.Key
		}
		now, err := t.images(ctx, g.table, (&undoer{recorder: recorder{table: g.table}}).known(columns), keys)
		if err != nil {
			return err
		}
		for i, row := range g.rows {
			image, there := now[row.Key]
			if there != (row.After != nil) || (there && !found{image: image}.is(row.After)) {
				u.leave(g.of[i], "what it held in "+g.table.FullName()+" has changed since")
			}
		}
	}
	return nil
}

// leave notes why a row is not put back.
func (u *undoer) leave(key inspect.Key, why string) {
	if u.left == nil {
		u.left = map[inspect.Key]string{}
	}
	u.left[key] = why
}

// deleteSQL takes rows away again that were inserted and that nobody has written
// since.
func (u *undoer) deleteSQL(rows []inspect.AuditRow) (string, []any) {
	keys := make([]inspect.Key, len(rows))
	for i, r := range rows {
		keys[i] = r.Key
	}
	w := write{table: u.table}
	args, _, names := keyArrays(u.table, keys, 1)
	nullKeys := rows[0].Key.HasNull()
	var guard []string
	for i, c := range columnNames(rows[0].After) {
		values := make([]*string, len(rows))
		for j, r := range rows {
			values[j] = r.After[i].Value
		}
		args, names = append(args, values), append(names, fmt.Sprintf("g%d", i+1))
		guard = append(guard, fmt.Sprintf("%s::text COLLATE \"C\" IS NOT DISTINCT FROM %%[1]s.g%d", col(c), i+1))
	}
	args, names = append(args, writers(rows)), append(names, "x")
	if u.table.RowVersions {
		guard = append(guard, "(%[1]s.x IS NULL OR t.xmin::text = %[1]s.x)")
	}
	holds := func(from string) string {
		return strings.ReplaceAll(strings.Join(guard, " AND "), "%[1]s", from)
	}
	return "WITH locked AS MATERIALIZED (\n SELECT d.*, " + textArray(u.columns) + " AS before\n FROM " + tableName(u.table) + " AS t JOIN unnest(" + unnested(len(names), 1) +
		") WITH ORDINALITY AS d(" + strings.Join(names, ", ") + ", n) ON " + w.keyEquals("d", nullKeys) + "\n WHERE " + holds("d") +
		"\n FOR UPDATE OF t SKIP LOCKED)\nDELETE FROM " + tableName(u.table) + " AS t USING locked AS l WHERE " + w.keyEquals("l", nullKeys) + " AND " + holds("l") +
		"\nRETURNING l.n, l.before, NULL::text[]", args
}
