package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"idemtui/inspect"
)

// moveSQL deletes claims and inserts what becomes of them into the table they
// are moved to, in one statement under the guard. A claim whose further columns
// have no row to come from is not locked, and so not moved.
func (w write) moveSQL(nullKeys bool) string {
	to := w.rule().To
	target := w.target()
	var before, was, columns, values, taken, list []string
	for i, c := range w.audited {
		before = append(before, fmt.Sprintf("%s::text AS b%d", col(c), i+1))
		was = append(was, fmt.Sprintf("g.b%d", i+1))
	}
	for i, p := range to.Take {
		columns, values = append(columns, ident(p.Column)), append(values, fmt.Sprintf("g.c%d", i+1))
		taken = append(taken, fmt.Sprintf("%s AS c%d", col(p.With), i+1))
	}
	from := ""
	if f := to.From; f != nil {
		var on []string
		for _, p := range f.On {
			on = append(on, fmt.Sprintf("f.%s = %s", ident(p.Column), col(p.With)))
		}
		from = " JOIN " + ident(f.Schema, f.Table) + " AS f ON " + strings.Join(on, " AND ")
		for i, p := range f.Take {
			before = append(before, fmt.Sprintf("f.%s AS f%d", ident(p.With), i+1))
			columns, values = append(columns, ident(p.Column)), append(values, fmt.Sprintf("g.f%d", i+1))
		}
	}
	set := write{table: target}
	for _, s := range to.Set {
		columns, values = append(columns, ident(s.Column)), append(values, set.valueOf(s))
	}
	for _, c := range columnNamesOf(target) {
		list = append(list, fmt.Sprintf("o.%s::text", ident(c)))
	}
	var same []string
	for i, p := range to.Take {
		if slices.Contains(w.table.Mapping.KeyNames(), p.With) {
			same = append(same, fmt.Sprintf("o.%s IS NOT DISTINCT FROM g.c%d", ident(p.Column), i+1))
		}
	}
	return "WITH locked AS MATERIALIZED (\n SELECT d.*, " + strings.Join(before, ", ") + "\n FROM " + tableName(w.table) + " AS t JOIN " + w.planned() + " ON " + w.keyEquals("d", nullKeys) + from +
		"\n WHERE " + w.guard("d") + "\n FOR UPDATE OF t SKIP LOCKED),\ngone AS (DELETE FROM " + tableName(w.table) + " AS t USING locked AS l\n WHERE " +
		w.keyEquals("l", nullKeys) + " AND " + w.again(nullKeys) + "\n RETURNING l.*, " + strings.Join(taken, ", ") + "),\nput AS (INSERT INTO " + tableName(target) +
		" (" + strings.Join(columns, ", ") + ")\n SELECT " + strings.Join(values, ", ") + " FROM gone AS g RETURNING *)\nSELECT g.n::text, " + strings.Join(was, ", ") + ", " +
		strings.Join(list, ", ") + " FROM gone AS g LEFT JOIN put AS o ON " + strings.Join(same, " AND ")
}

// removes: the claim's row is deleted.
func (w write) removes() bool {
	return w.mode == inspect.ReleaseDelete || w.mode == inspect.ReleaseMove
}

// target is the table that the mode move puts claims into.
func (w write) target() inspect.Table {
	to := w.rule().To
	target, _ := w.table.Other(inspect.Table{Schema: to.Schema, Name: to.Table}.FullName())
	return target
}

// moved is the row that a move inserted; none where a trigger kept it out.
func (w write) moved(after []*string) ([]inspect.OtherRow, error) {
	target := w.target()
	row := inspect.OtherRow{Table: target.FullName(), After: columnValues(columnNamesOf(target), after)}
	for _, k := range target.Mapping.Key {
		if valueOf(row.After, k.Column) == nil {
			return nil, &pgconn.PgError{Code: "27000", Message: "a trigger of " + target.FullName() + " kept the row out, so nothing of it was moved"}
		}
	}
	return []inspect.OtherRow{row}, nil
}
