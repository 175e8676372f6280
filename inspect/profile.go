package inspect

import (
	"fmt"
	"slices"
	"strings"
)

// Profile is a known shape of a claim table: how it is recognised, and how its
// columns are read. Its names are folded, see FoldName; Fit replaces them by
// those of a real table.
type Profile struct {
	Name    string
	Title   string // what people call it
	Engines []string
	// Verified: tested on tables that the framework itself made. Otherwise a
	// release needs the person's word.
	Verified bool
	// Source says where its facts are from.
	Source  string
	Match   ProfileMatch
	Mapping Mapping
	// BuiltIn: it came with the program.
	BuiltIn bool
}

// ProfileMatch is how a profile recognises a table: by columns, types and keys,
// never by the table's name.
type ProfileMatch struct {
	Require []string
	// Forbid are columns that another shape has; ForbidOthers forbids all that
	// are not required.
	Forbid       []string
	ForbidOthers bool
	// Types are the base types that a column may have, by column.
	Types map[string][]string
	// Unique are columns within which a unique key must lie; none: any.
	Unique []string
}

// FoldName brings a name to the form in which profiles know it: lower case
// without "_", since naming strategies rewrite both.
func FoldName(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "") }

// FoldedColumn finds a column by its exact name, else by its folded one.
func FoldedColumn(t Table, name string) (Column, bool) {
	if c, ok := t.Column(name); ok {
		return c, true
	}
	for _, c := range t.Columns {
		if FoldName(c.Name) == FoldName(name) {
			return c, true
		}
	}
	return Column{}, false
}

// Misfit says in which way a table is not of the profile's shape, leaving keys
// aside; "" when it is.
func (p Profile) Misfit(t Table) string {
	var missing, extra []string
	for _, name := range p.Match.Require {
		c, ok := FoldedColumn(t, name)
		switch types := p.Match.Types[name]; {
		case !ok:
			missing = append(missing, name)
		case types != nil && !slices.Contains(types, c.Base):
			return fmt.Sprintf("its %s is %s, not %s", c.Name, c.Type, strings.Join(types, " or "))
		}
	}
	if len(missing) > 0 {
		return "it has no " + strings.Join(missing, ", ")
	}
	for _, c := range t.Columns {
		name := FoldName(c.Name)
		if slices.Contains(p.Match.Forbid, name) || (p.Match.ForbidOthers && !slices.Contains(p.Match.Require, name)) {
			extra = append(extra, c.Name)
		}
		if types := p.Match.Types[name]; types != nil && !slices.Contains(types, c.Base) {
			return fmt.Sprintf("its %s is %s, not %s", c.Name, c.Type, strings.Join(types, " or "))
		}
	}
	if len(extra) > 0 {
		return "it has " + strings.Join(extra, ", ")
	}
	return ""
}

// Keyless says which unique key the profile wants and the table lacks; "" when
// it has one within those columns.
func (p Profile) Keyless(t Table, unique [][]string) string {
	if len(p.Match.Unique) == 0 {
		return ""
	}
	for _, columns := range unique {
		if !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(p.Match.Unique, FoldName(c)) }) {
			return ""
		}
	}
	names := make([]string, len(p.Match.Unique))
	for i, name := range p.Match.Unique {
		c, ok := FoldedColumn(t, name)
		names[i] = c.Name
		if !ok {
			names[i] = name
		}
	}
	return strings.Join(names, ", ")
}

// Fit is the profile's mapping in the table's own names. Columns that the
// profile does not require and the table does not have are left out.
// Key columns that scope a message id are left out too where the id is unique
// by itself.
func (p Profile) Fit(t Table, unique [][]string) Mapping {
	m := p.Mapping
	m.Profile, m.Verified = p.Name, p.Verified
	name := func(folded string) string {
		if folded == "" {
			return ""
		}
		c, _ := FoldedColumn(t, folded)
		return c.Name
	}
	m.Key = nil
	for _, k := range p.Mapping.Key {
		k.Column = name(k.Column)
		m.Key = append(m.Key, k)
	}
	m.Key = withoutScopes(m.Key, unique)
	m.State.Column = name(m.State.Column)
	m.State.Rules = map[State][]StateRule{}
	for state, rules := range p.Mapping.State.Rules {
		m.State.Rules[state] = fitRules(rules, name)
	}
	for _, c := range []*string{
		&m.ClaimedAt, &m.Lease.Column, &m.Lease.PlusColumn, &m.Heartbeat.Column, &m.Owner, &m.Token, &m.Attempts,
		&m.CompletedAt, &m.FailedAt, &m.ExpiresAt, &m.UpdatedAt, &m.Result,
	} {
		*c = name(*c)
	}
	m.Advisory = m.Advisory.InNames(name)
	m.Times = map[string]TimeBinding{}
	for column, binding := range p.Mapping.Times {
		if real := name(column); real != "" {
			m.Times[real] = binding
		}
	}
	m.Releases = slices.Clone(m.Releases)
	for i := range m.Releases {
		r := m.Releases[i].Clone()
		m.Releases[i] = r
		for _, pair := range r.ClaimPairs() {
			pair.With = name(pair.With)
		}
		set := r.Set
		for j := range set {
			set[j].Column = name(set[j].Column)
		}
		m.Releases[i].Set = slices.DeleteFunc(set, func(s SetColumn) bool { return s.Column == "" })
		m.Releases[i].Expect = fitRules(r.Expect, name)
	}
	return m
}

func withoutScopes(key []KeyColumn, unique [][]string) []KeyColumn {
	message := slices.DeleteFunc(slices.Clone(key), func(k KeyColumn) bool { return k.Role == RoleScope })
	for _, columns := range unique {
		if len(message) > 0 && !slices.ContainsFunc(columns, func(c string) bool {
			return !slices.ContainsFunc(message, func(k KeyColumn) bool { return k.Column == c })
		}) {
			return message
		}
	}
	return key
}

func fitRules(rules []StateRule, name func(string) string) []StateRule {
	out := make([]StateRule, len(rules))
	for i, rule := range rules {
		out[i] = slices.Clone(rule)
		for j := range rule {
			out[i][j].Column = name(rule[j].Column)
		}
	}
	return out
}

// Score ranks tables of known shapes before guesses, the stricter shape first.
func (p Profile) Score() int {
	if p.Verified {
		return 100
	}
	return 90 + min(9, len(p.Match.Require)+len(p.Match.Unique))
}

// Why says in one line by what the profile recognised a table.
func (p Profile) Why(t Table) string {
	names := make([]string, len(p.Match.Require))
	for i, name := range p.Match.Require {
		c, _ := FoldedColumn(t, name)
		names[i] = c.Name
	}
	why := "it has the columns of profile " + p.Name + " (" + strings.Join(names, ", ") + ")"
	if len(p.Match.Unique) > 0 {
		why += " and its key"
	}
	return why
}
