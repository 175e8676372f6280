package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"idemtui/inspect"
)

// Some claims hold more than their own row: the lock of their queue, say. Such
// rows are read with the plan, locked and compared after the claim's own in the
// same transaction, and written with it.

// others finds the tables that the mapping's releases write besides the claim's.
// A release whose other table is not there, or not to be read, is unusable.
func (t *tx) others(ctx context.Context, table *inspect.Table, m *inspect.Mapping) error {
	for i := range m.Releases {
		rule := &m.Releases[i]
		find := func(schema, name *string, columns ...*string) error {
			other, why, err := t.other(ctx, *table, *schema, *name, columns)
			if err != nil || why != "" {
				rule.Unusable = why
				return err
			}
			*schema, *name = other.Schema, other.Name
			if _, known := table.Other(other.FullName()); !known {
				table.Others = append(table.Others, other)
			}
			return nil
		}
		for j := range rule.With {
			c := &rule.With[j]
			if err := find(&c.Schema, &c.Table, append(firsts(c.On), setColumns(c.Set)...)...); err != nil {
				return err
			}
		}
		if rule.To == nil {
			continue
		}
		columns := append(firsts(rule.To.Take), setColumns(rule.To.Set)...)
		if from := rule.To.From; from != nil {
			columns = append(columns, firsts(from.Take)...)
			if err := find(&from.Schema, &from.Table, append(firsts(from.On), seconds(from.Take)...)...); err != nil {
				return err
			}
		}
		if err := find(&rule.To.Schema, &rule.To.Table, columns...); err != nil {
			return err
		}
	}
	return nil
}

func firsts(pairs []inspect.ColumnPair) []*string {
	out := make([]*string, len(pairs))
	for i := range pairs {
		out[i] = &pairs[i].Column
	}
	return out
}

func seconds(pairs []inspect.ColumnPair) []*string {
	out := make([]*string, len(pairs))
	for i := range pairs {
		out[i] = &pairs[i].With
	}
	return out
}

func setColumns(set []inspect.SetColumn) []*string {
	out := make([]*string, len(set))
	for i := range set {
		out[i] = &set[i].Column
	}
	return out
}

// other finds one table by its folded name, with its key, and brings the names
// of its columns to the catalog's; why says what is missing.
func (t *tx) other(ctx context.Context, table inspect.Table, schema, name string, columns []*string) (other inspect.Table, why string, err error) {
	if schema == "" {
		schema = table.Schema
	}
	found, err := t.relations(ctx, "replace(lower(c.relname), '_', '') = $1::text AND n.nspname = $2::text AND c.relkind IN ('r', 'p')", inspect.FoldName(name), schema)
	switch {
	case err != nil:
		return other, "", err
	case len(found) == 0:
		return other, fmt.Sprintf("there is no table %s in schema %s", name, schema), nil
	case len(found[0].unique) == 0:
		return other, fmt.Sprintf("no unique key tells the rows of %s apart", found[0].table.FullName()), nil
	}
	other = found[0].table
	other.UniqueKey = true
	for _, c := range found[0].unique[0] {
		other.Mapping.Key = append(other.Mapping.Key, inspect.KeyColumn{Column: c, Kind: inspect.PartText})
	}
	for _, column := range columns {
		c, ok := inspect.FoldedColumn(other, *column)
		if !ok {
			return other, fmt.Sprintf("%s has no column %s", other.FullName(), *column), nil
		}
		*column = c.Name
	}
	for _, c := range other.Columns {
		if !c.Readable { // it could not be put back
			return other, fmt.Sprintf("role %s may not read %s of %s", t.database.User, c.Name, other.FullName()), nil
		}
	}
	return other, "", nil
}

// together: more than the claim's own row is written, or a function writes it.
func (w write) together() bool { return w.calls() || len(w.rule().With) > 0 }

func (w write) rule() inspect.ReleaseRule {
	rule, _ := w.table.Mapping.ReleaseRule(w.mode)
	return rule
}

// shown are all statements of the write, as a plan and a record show them.
func (w write) shown() string {
	sql := w.sql(false)
	for _, c := range w.rule().With {
		other := w.other(c)
		sql += ";\n" + w.otherSQL(c, false, true)
		if len(c.Set) > 0 {
			sql += ";\n" + updateOther(other, c)
		}
	}
	return sql
}

func (w write) other(c inspect.Companion) inspect.Table {
	other, _ := w.table.Other(inspect.Table{Schema: c.Schema, Name: c.Table}.FullName())
	return other
}

// otherSQL finds the rows that claims hold in another table.
func (w write) otherSQL(c inspect.Companion, nullKeys, lock bool) string {
	other := w.other(c)
	var on, list []string
	for _, p := range c.On {
		on = append(on, fmt.Sprintf("o.%s = %s", ident(p.Column), col(p.With)))
	}
	for _, column := range columnNamesOf(other) {
		list = append(list, fmt.Sprintf("o.%s::text", ident(column)))
	}
	_, _, names := keyArrays(w.table, nil, 1)
	sql := "SELECT d.n::text, " + strings.Join(list, ", ") + "\n FROM " + tableName(w.table) + " AS t JOIN unnest(" + unnested(len(names), 1) + ") WITH ORDINALITY AS d(" +
		strings.Join(names, ", ") + ", n) ON " + w.keyEquals("d", nullKeys) + "\n JOIN " + tableName(other) + " AS o ON " + strings.Join(on, " AND ")
	if lock {
		sql += "\n FOR UPDATE OF o SKIP LOCKED"
	}
	return sql
}

func columnNamesOf(t inspect.Table) []string {
	out := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		out[i] = c.Name
	}
	return out
}

// held reads, or locks, the rows that claims hold in other tables, by claim.
func (t *tx) held(ctx context.Context, w write, keys []inspect.Key, lock bool) (map[inspect.Key][]inspect.OtherRow, error) {
	out := map[inspect.Key][]inspect.OtherRow{}
	for _, c := range w.rule().With {
		other := w.other(c)
		for chunk := range slices.Chunk(keys, inspect.MaxBatch) {
			args, _, _ := keyArrays(w.table, chunk, 1)
			err := t.texts(ctx, func(v []*string) error {
				n, err := strconv.Atoi(*v[0])
				if err != nil {
					return fmt.Errorf("read an ordinal: %w", err)
				}
				key := chunk[n-1]
				out[key] = append(out[key], inspect.OtherRow{Table: other.FullName(), Before: columnValues(columnNamesOf(other), v[1:])})
				return nil
			}, w.otherSQL(c, slices.ContainsFunc(chunk, inspect.Key.HasNull), lock), args...)
			if err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// plannedWith reads the rows of other tables that a plan releases with its
// claims, and says how many there are.
func (t *tx) plannedWith(ctx context.Context, w write, plan *inspect.Plan) error {
	if len(w.rule().With) == 0 || len(plan.Rows) == 0 {
		return nil
	}
	keys := make([]inspect.Key, len(plan.Rows))
	for i, row := range plan.Rows {
		keys[i] = row.Key
	}
	found, err := t.held(ctx, w, keys, false)
	for i, row := range plan.Rows {
		plan.Rows[i].With = found[row.Key]
	}
	plan.Consequence = append(plan.Consequence, inspect.WithOthers(plan.Rows)...)
	return err
}

// lockOthers locks what the locked claims hold in other tables, and leaves out
// the claims of which that is not as it was planned.
func (r *releaser) lockOthers(ctx context.Context, t *tx, rows []inspect.PlannedRow, held []locked) ([]locked, error) {
	if len(r.write.rule().With) == 0 || len(held) == 0 {
		return held, nil
	}
	keys := make([]inspect.Key, len(held))
	for i, h := range held {
		keys[i] = rows[h.n-1].Key
	}
	found, err := t.held(ctx, r.write, keys, true)
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		held[i].with = found[key]
	}
	return slices.DeleteFunc(held, func(h locked) bool {
		planned := rows[h.n-1]
		if sameOthers(planned.With, h.with) {
			return false
		}
		r.leave(planned.Key, "what it holds in another table is locked, or is not what it was when it was read")
		return true
	}), nil
}

// sameOthers compares rows of other tables, in any order.
func sameOthers(planned, now []inspect.OtherRow) bool {
	return len(planned) == len(now) && !slices.ContainsFunc(planned, func(p inspect.OtherRow) bool {
		return !slices.ContainsFunc(now, func(n inspect.OtherRow) bool { return n.Table == p.Table && sameColumns(n.Before, p.Before) })
	})
}

// updateOther writes the rows of another table that are locked.
func updateOther(other inspect.Table, c inspect.Companion) string {
	w := write{table: other}
	var set []string
	for _, s := range c.Set {
		set = append(set, ident(s.Column)+" = "+w.valueOf(s))
	}
	_, _, names := keyArrays(other, nil, 1)
	return "UPDATE " + tableName(other) + " AS t SET " + strings.Join(set, ", ") + "\nFROM unnest(" + unnested(len(names), 1) + ") WITH ORDINALITY AS d(" +
		strings.Join(names, ", ") + ", n) WHERE " + w.keyEquals("d", false) + "\nRETURNING d.n::text, " + columnTexts(columnNamesOf(other))
}

// writeOthers writes what the written claims hold in other tables, or reads what
// the framework's function made of it.
func (r *releaser) writeOthers(ctx context.Context, t *tx, done []written) error {
	for _, c := range r.write.rule().With {
		other := r.write.other(c)
		var keys []inspect.Key
		var at []*inspect.OtherRow
		for i := range done {
			for j := range done[i].with {
				if row := &done[i].with[j]; row.Table == other.FullName() {
					key, err := otherKey(other, row.Before)
					if err != nil {
						return err
					}
					keys, at = append(keys, key), append(at, row)
				}
			}
		}
		if len(keys) == 0 {
			continue
		}
		if len(c.Set) == 0 {
			now, err := t.images(ctx, other, columnNamesOf(other), keys)
			if err != nil {
				return err
			}
			for i, key := range keys {
				at[i].After = now[key]
			}
			continue
		}
		args, _, _ := keyArrays(other, keys, 1)
		wrote := 0
		err := t.texts(ctx, func(v []*string) error {
			n, err := strconv.Atoi(*v[0])
			if err == nil {
				wrote++
				at[n-1].After = columnValues(columnNamesOf(other), v[1:])
			}
			return err
		}, updateOther(other, c), args...)
		if err != nil {
			return err
		}
		if wrote != len(keys) {
			return &inspect.Fault{Kind: inspect.FaultRefused, What: fmt.Sprintf("%d rows of %s were to be written and %d were, so nothing of the batch was released", len(keys), other.FullName(), wrote), Next: "look at the table's triggers and policies"}
		}
	}
	return nil
}

// otherKey is the key of a row of another table.
func otherKey(other inspect.Table, row []inspect.ColumnValue) (inspect.Key, error) {
	stored := map[string]*string{}
	for _, c := range row {
		stored[c.Column] = c.Value
	}
	return keyFrom(other.Mapping, stored)
}
