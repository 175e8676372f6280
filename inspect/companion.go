package inspect

import (
	"fmt"
	"slices"
)

// Companion are the rows of another table that a claim holds besides its own,
// as the lock of its queue: they are released with it, in one transaction.
type Companion struct {
	Schema string // "" means the schema of the claim table
	Table  string
	// On are the columns by which they are found: that of the other table equals
	// that of the claim.
	On []ColumnPair
	// Set is written to them; nothing where the framework's function does.
	Set []SetColumn
}

// ColumnPair is a column of another table and the one it goes with.
type ColumnPair struct {
	Column string // of the other table
	With   string
}

// MoveTo is the table into which the mode move puts a claim: a row is inserted
// there and the claim's is deleted, in one statement.
type MoveTo struct {
	Schema string // "" means the schema of the claim table
	Table  string
	// Take are the columns that come from the claim. Its key is among them.
	Take []ColumnPair
	// From is a third table, for what the claim itself does not hold.
	From *MoveFrom
	Set  []SetColumn
}

// MoveFrom is the row that a move takes more columns from. Without it nothing is
// moved.
type MoveFrom struct {
	Schema string // "" means the schema of the claim table
	Table  string
	On     []ColumnPair // of this table and of the claim
	Take   []ColumnPair // of the table moved to and of this table
}

// OtherRow is a row of another table that is released with a claim.
type OtherRow struct {
	Table string `json:"table"` // SCHEMA.NAME
	// Before is nil of a row that is inserted, After of one that is deleted, and
	// in a plan.
	Before []ColumnValue `json:"before"`
	After  []ColumnValue `json:"after,omitempty"`
}

// Other finds a table that the mapping's releases write besides the claim's.
func (t Table) Other(fullName string) (Table, bool) {
	i := slices.IndexFunc(t.Others, func(o Table) bool { return o.FullName() == fullName })
	if i < 0 {
		return Table{}, false
	}
	return t.Others[i], true
}

// claimColumns are the claim's columns that the rule reads for other tables.
func (r ReleaseRule) claimColumns() []string {
	var out []string
	for _, p := range r.ClaimPairs() {
		out = append(out, p.With)
	}
	return out
}

// ClaimPairs are the places in the rule that name a column of the claim beside
// one of another table.
func (r ReleaseRule) ClaimPairs() []*ColumnPair {
	var out []*ColumnPair
	add := func(pairs []ColumnPair) {
		for i := range pairs {
			out = append(out, &pairs[i])
		}
	}
	for _, c := range r.With {
		add(c.On)
	}
	if r.To != nil {
		add(r.To.Take)
		if r.To.From != nil {
			add(r.To.From.On)
		}
	}
	return out
}

// Clone copies what Fit and a Store change of a rule.
func (r ReleaseRule) Clone() ReleaseRule {
	r.Set, r.With = slices.Clone(r.Set), slices.Clone(r.With)
	for i := range r.With {
		r.With[i].On, r.With[i].Set = slices.Clone(r.With[i].On), slices.Clone(r.With[i].Set)
	}
	r.Expect = slices.Clone(r.Expect)
	for i := range r.Expect {
		r.Expect[i] = slices.Clone(r.Expect[i])
	}
	if r.To != nil {
		to := *r.To
		to.Take, to.Set = slices.Clone(to.Take), slices.Clone(to.Set)
		if to.From != nil {
			from := *to.From
			from.On, from.Take = slices.Clone(from.On), slices.Clone(from.Take)
			to.From = &from
		}
		r.To = &to
	}
	return r
}

// WithOthers says how many rows of which other tables a plan releases with its
// claims; nothing where there are none.
func WithOthers(rows []PlannedRow) []string {
	count := map[string]int{}
	var order []string
	for _, row := range rows {
		for _, other := range row.With {
			if count[other.Table] == 0 {
				order = append(order, other.Table)
			}
			count[other.Table]++
		}
	}
	var out []string
	for _, table := range order {
		out = append(out, fmt.Sprintf("released with them, in the same transaction: %s of %s", plural(int64(count[table]), "row"), table))
	}
	return out
}
