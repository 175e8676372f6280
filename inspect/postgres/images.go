package postgres

import (
	"slices"

	"idemtui/inspect"
)

// The record of a write holds its rows whole, before and after. What the
// statement compared is known from the plan, and where nothing but the statement
// changes a row, what it does not set is after it as it was before. Only the
// rest is fetched: the texts of whole rows would cost as much as their write.

// origin says where the images of an audited column come from.
type origin struct {
	// before is the column's place among the guarded ones, which are as the plan
	// read them; -1 where the statement returns the value.
	before int
	// written: the statement returns the value after the write; otherwise it is
	// the one before.
	written bool
}

// images are the origins of the audited columns.
func (w write) images() []origin {
	set := w.setColumns()
	out := make([]origin, len(w.audited))
	for i, c := range w.audited {
		out[i] = origin{before: -1, written: w.mode != inspect.ReleaseDelete && (!w.table.Plain || slices.Contains(set, c))}
		if !w.keyAndState {
			out[i].before = slices.Index(w.guarded, c)
		}
	}
	return out
}

// imagesOf are a row's values before and after the write; returned is what the
// statement returned of it, nil after a deletion.
func (w write) imagesOf(origins []origin, row *inspect.PlannedRow, returned []*string) (before, after []inspect.ColumnValue) {
	next := func() *string {
		v := returned[0]
		returned = returned[1:]
		return v
	}
	before = make([]inspect.ColumnValue, len(origins))
	for i, from := range origins {
		before[i].Column = w.audited[i]
		if from.before >= 0 {
			before[i].Value = asRead(row, from.before, w.audited[i])
		} else {
			before[i].Value = next()
		}
	}
	if w.mode == inspect.ReleaseDelete {
		return before, nil
	}
	after = slices.Clone(before)
	for i, from := range origins {
		if from.written {
			after[i].Value = next()
		}
	}
	return before, after
}
