package postgres

import (
	"slices"
	"strings"

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
	// after says which value is there after the write.
	after after
	text  *string // of afterText
}

// after is what a column holds after the write.
type after uint8

const (
	afterSame     after = iota // the value before
	afterReturned              // what the statement returns
	afterText                  // the same text in every row
	afterNow                   // the transaction's time
)

// images are the origins of the audited columns.
func (w write) images() []origin {
	out := make([]origin, len(w.audited))
	for i, c := range w.audited {
		out[i].before = -1
		if !w.keyAndState {
			out[i].before = slices.Index(w.guarded, c)
		}
		switch at := slices.Index(w.setColumns(), c); {
		case w.mode == inspect.ReleaseDelete:
		case !w.table.Plain:
			out[i].after = afterReturned
		case at >= 0:
			out[i].after, out[i].text = w.setTo(w.set[at])
		}
	}
	return out
}

// setTo is what a column of a plain table holds after an assignment: known
// beforehand where nothing is left for the column's type to change.
func (w write) setTo(a assignment) (after, *string) {
	c, _ := w.table.Column(a.column)
	text, isText := strings.CutPrefix(a.value, "'")
	switch {
	case a.value == "NULL":
		return afterText, nil
	case isText && c.Type == "text" && strings.Count(text, "'") == 1 && strings.HasSuffix(text, "'"):
		text = strings.TrimSuffix(text, "'")
		return afterText, &text
	case a.value == "now()" && c.Type == "timestamp with time zone":
		return afterNow, nil
	}
	return afterReturned, nil
}

// imagesOf are a row's values before and after the write, without those that are
// the transaction's time; returned is what the statement returned of it. room has
// space for both.
func (w write) imagesOf(room []inspect.ColumnValue, origins []origin, row *inspect.PlannedRow, returned []*string) (before, after []inspect.ColumnValue) {
	next := func() *string {
		v := returned[0]
		returned = returned[1:]
		return v
	}
	before = room[:len(origins):len(origins)]
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
	after = room[len(origins) : 2*len(origins) : 2*len(origins)] // nobody's append reaches another row
	copy(after, before)
	for i, from := range origins {
		switch from.after {
		case afterReturned:
			after[i].Value = next()
		case afterText:
			after[i].Value = from.text
		}
	}
	return before, after
}

// stampNow fills in the values that are the transaction's time.
func stampNow(origins []origin, done []written, now *string) {
	for i, from := range origins {
		if from.after == afterNow {
			for _, w := range done {
				if w.after != nil {
					w.after[i].Value = now
				}
			}
		}
	}
}
