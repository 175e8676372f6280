package lessons

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"idemtui/sim"
)

// Column is a number of a result that a table shows.
type Column uint8

// The columns.
const (
	Deliveries Column = iota
	Payments
	Charges
	ChargedTwice
	NeverCharged
	FailedFirst
	Takeovers
	Fenced
	Stuck
	columnCount
)

var columnTitles = [columnCount]string{
	"deliveries", "payments", "charges", "charged twice", "never charged", "failed first", "takeovers", "fenced", "stuck",
}

// String is the column's title.
func (c Column) String() string {
	if c >= columnCount {
		return ""
	}
	return columnTitles[c]
}

// word is the column as a {word}.
func (c Column) word() string { return strings.ReplaceAll(columnTitles[c], " ", "") }

// Of is the column's number in a result.
func (c Column) Of(r sim.Result) int64 {
	return [columnCount]int64{
		r.Deliveries, r.Payments, r.Charges, r.ChargedTwice, r.NeverCharged, r.FailedFirst, r.Takeovers, r.Fenced, r.Stuck,
	}[c]
}

// Table is a set of runs at full size, side by side.
type Table struct {
	Title   string
	Rows    []Row
	Columns []Column
	dials   []Parameter // what can be changed in all rows at once
	note    string      // what to see in it, with {KEY.COLUMN} words
}

// Row is one run of a table.
type Row struct {
	Label    string
	key      string // for the words of the note
	Scenario sim.Scenario
}

// byHandler makes a row for each handler on the same workload.
func byHandler(s sim.Scenario, handlers ...sim.HandlerID) []Row {
	rows := make([]Row, len(handlers))
	for i, h := range handlers {
		s.Handler = h
		rows[i] = Row{Label: h.Handler().Title, key: h.String(), Scenario: s}
	}
	return rows
}

// Run makes the table's runs, one result a row. The error is the context's, or
// says which parameter is out of range.
func (t Table) Run(ctx context.Context) ([]sim.Result, error) {
	results := make([]sim.Result, len(t.Rows))
	for i, row := range t.Rows {
		r, err := sim.RunContext(ctx, row.Scenario, nil)
		if err != nil {
			return nil, fmt.Errorf("run %q of the table: %w", row.Label, err)
		}
		results[i] = r
	}
	return results, nil
}

// Note says what to see in the results, which are those of Run.
func (t Table) Note(results []sim.Result) string {
	return fill(t.note, func(word string) (string, bool) {
		key, column, _ := strings.Cut(word, ".")
		for i, row := range t.Rows {
			if row.key == key && i < len(results) {
				return resultWords(results[i])(column)
			}
		}
		return "", false
	})
}

// Parameters are what may be changed in all rows at once, each of which changes
// some number of the table.
func (t Table) Parameters() []Parameter { return t.dials }

// Turn is the table with the parameter moved to its next value up (by > 0) or
// down in every row. Where it cannot be moved, nothing changes and ok is false.
// The note of a changed table does not hold any more.
func (t Table) Turn(p Parameter, by int) (changed Table, ok bool) {
	rows := slices.Clone(t.Rows)
	for i := range rows {
		if rows[i].Scenario, ok = p.Turn(rows[i].Scenario, by); !ok {
			return t, false
		}
	}
	t.Rows = rows
	return t, true
}

// Short is the row's label in one word.
func (r Row) Short() string { return r.key }

func (t Table) withSeed(seed uint64) Table {
	rows := slices.Clone(t.Rows)
	for i := range rows {
		rows[i].Scenario.Seed = seed
	}
	t.Rows = rows
	return t
}

// resultWords looks up the columns of a result.
func resultWords(r sim.Result) func(string) (string, bool) {
	return func(word string) (string, bool) {
		if word == "again" { // deliveries beyond the first of each payment
			return orNo(r.Deliveries - r.Payments), true
		}
		for c := range columnCount {
			if c.word() == word {
				return orNo(c.Of(r)), true
			}
		}
		return "", false
	}
}
