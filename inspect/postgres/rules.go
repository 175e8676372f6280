package postgres

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"idemtui/inspect"
)

// sentinel is what the select list returns for a time that stands for none.
const sentinel = "sentinel"

// orSentinel is a time as text, or the mark that the column holds the value
// that stands for no time.
func orSentinel(t inspect.Table, name, text string) string {
	value := t.Mapping.Times[name].Sentinel
	if value == "" {
		return text
	}
	return fmt.Sprintf("CASE WHEN %s = %s THEN '%s' ELSE %s END", col(name), literal(value), sentinel, text)
}

// isNull: the column is NULL, or holds the value that stands for no time.
func isNull(t inspect.Table, name string) string {
	if value := t.Mapping.Times[name].Sentinel; value != "" {
		return fmt.Sprintf("(%[1]s IS NULL OR %[1]s = %[2]s)", col(name), literal(value))
	}
	return col(name) + " IS NULL"
}

func isNotNull(t inspect.Table, name string) string {
	if value := t.Mapping.Times[name].Sentinel; value != "" {
		return fmt.Sprintf("(%[1]s IS NOT NULL AND %[1]s <> %[2]s)", col(name), literal(value))
	}
	return col(name) + " IS NOT NULL"
}

// testSQL is one test as a condition; values are literals, see literal.
func testSQL(t inspect.Table, test inspect.StateTest) string {
	switch test.Op {
	case inspect.TestNull:
		return isNull(t, test.Column)
	case inspect.TestNotNull:
		return isNotNull(t, test.Column)
	case inspect.TestIs:
		return col(test.Column) + " = " + literal(test.Value)
	case inspect.TestIsNot:
		return col(test.Column) + " <> " + literal(test.Value)
	case inspect.TestFuture:
		return againstNow(t, test.Column, ">")
	case inspect.TestPast:
		return againstNow(t, test.Column, "<=")
	}
	return "false"
}

// againstNow compares a time with the database's clock in the form in which it
// is stored, so that no stored value is beyond comparison.
func againstNow(t inspect.Table, name, operator string) string {
	if c, _ := t.Column(name); c.Base == "date" {
		return "(" + stamp(t, name) + ") " + operator + " now()"
	}
	compared := fmt.Sprintf("%s %s (%s)", col(name), operator, write{table: t}.nowAs(name))
	if t.Mapping.Times[name].Sentinel != "" {
		return isNotNull(t, name) + " AND " + compared
	}
	return compared
}

func ruleSQL(t inspect.Table, rule inspect.StateRule) string {
	if len(rule) == 0 {
		return "true"
	}
	out := make([]string, len(rule))
	for i, test := range rule {
		out[i] = testSQL(t, test)
	}
	return strings.Join(out, " AND ")
}

// notRuleSQL: the rule does not hold. A single test for NULL is turned around,
// so that the predicate of a partial index is met.
func notRuleSQL(t inspect.Table, rule inspect.StateRule) string {
	if len(rule) == 1 {
		switch rule[0].Op {
		case inspect.TestNull:
			return isNotNull(t, rule[0].Column)
		case inspect.TestNotNull:
			return isNull(t, rule[0].Column)
		}
	}
	return "(" + ruleSQL(t, rule) + ") IS NOT TRUE"
}

// inStateByRules: one of the state's rules holds, and none of the states that
// are asked before it.
func inStateByRules(t inspect.Table, state inspect.State) string {
	rules := t.Mapping.State.Rules
	before := inspect.StateOrder
	var conditions []string
	if order := slices.Index(inspect.StateOrder, state); order >= 0 {
		before = inspect.StateOrder[:order]
		var any []string
		for _, rule := range rules[state] {
			any = append(any, ruleSQL(t, rule))
		}
		if len(any) == 0 {
			return "false"
		}
		if len(any) == 1 {
			conditions = append(conditions, any[0])
		} else {
			conditions = append(conditions, "("+strings.Join(any, " OR ")+")")
		}
	}
	for _, s := range before {
		for _, rule := range rules[s] {
			conditions = append(conditions, notRuleSQL(t, rule))
		}
	}
	if len(conditions) == 0 {
		return "true"
	}
	return strings.Join(conditions, " AND ")
}

// stateLabel tells the state by rules, in the order in which it is decided.
func stateLabel(t inspect.Table) string {
	return stateCase(t, func(s inspect.State, _ int) string { return string(s) })
}

// numberedState is stateLabel with the number of the rule that holds.
func numberedState(t inspect.Table) string {
	return stateCase(t, func(s inspect.State, i int) string { return fmt.Sprintf("%s %d", s, i) })
}

func stateCase(t inspect.Table, label func(inspect.State, int) string) string {
	var b strings.Builder
	b.WriteString("CASE")
	for _, s := range inspect.StateOrder {
		for i, rule := range t.Mapping.State.Rules[s] {
			fmt.Fprintf(&b, " WHEN %s THEN %s", ruleSQL(t, rule), literal(label(s, i)))
		}
	}
	fmt.Fprintf(&b, " WHEN false THEN '' ELSE %s END", literal(string(inspect.StateUnmapped)))
	return b.String()
}

// stateOf is the state of a row as read, with what it was told by.
func (r reader) stateOf(v []*string, stored map[string]*string) (inspect.State, string) {
	m := r.table.Mapping
	if !m.State.ByRules() {
		return stateOf(m, stored)
	}
	if v[r.state] == nil {
		return inspect.StateUnmapped, ""
	}
	name, number, _ := strings.Cut(*v[r.state], " ")
	state := inspect.State(name)
	i, err := strconv.Atoi(number)
	if err != nil || i >= len(m.State.Rules[state]) {
		return inspect.StateUnmapped, ""
	}
	return state, m.State.Rules[state][i].String()
}

// ownerText is the owner as text: the column, or an element of its array.
func ownerText(t inspect.Table) string {
	c := col(t.Mapping.Owner)
	switch t.Mapping.OwnerElement {
	case inspect.FirstElement:
		return fmt.Sprintf("(%[1]s)[array_lower(%[1]s, 1)]::text", c)
	case inspect.LastElement:
		return fmt.Sprintf("(%[1]s)[array_upper(%[1]s, 1)]::text", c)
	}
	return c + "::text"
}

func cloneRules(rules map[inspect.State][]inspect.StateRule) map[inspect.State][]inspect.StateRule {
	out := maps.Clone(rules)
	for s := range out {
		out[s] = slices.Clone(out[s])
		for i := range out[s] {
			out[s][i] = slices.Clone(out[s][i])
		}
	}
	return out
}

func cloneReleases(rules []inspect.ReleaseRule) []inspect.ReleaseRule {
	out := slices.Clone(rules)
	for i := range out {
		out[i] = out[i].Clone()
	}
	return out
}

// ruleColumns are the places of column names in a mapping's rules.
func ruleColumns(m *inspect.Mapping) []*string {
	var out []*string
	add := func(rule inspect.StateRule) {
		for i := range rule {
			out = append(out, &rule[i].Column)
		}
	}
	for _, rules := range m.State.Rules {
		for _, rule := range rules {
			add(rule)
		}
	}
	for i := range m.Releases {
		for j := range m.Releases[i].Set {
			out = append(out, &m.Releases[i].Set[j].Column)
		}
		for _, rule := range m.Releases[i].Expect {
			add(rule)
		}
		for _, pair := range m.Releases[i].ClaimPairs() {
			out = append(out, &pair.With)
		}
	}
	return out
}

// byRule takes what a release writes from the profile.
func (w *write) byRule(rule inspect.ReleaseRule) {
	for _, s := range rule.Set {
		w.set = append(w.set, assignment{s.Column, w.valueOf(s)})
	}
}

// valueOf is what a column is set to, as SQL.
func (w *write) valueOf(s inspect.SetColumn) string {
	c, _ := w.table.Column(s.Column)
	sentinel := w.table.Mapping.Times[s.Column].Sentinel
	switch {
	case s.To == inspect.SetNow:
		return w.nowAs(s.Column)
	case s.To == inspect.SetBump:
		return w.bumped(s.Column)
	case s.To == inspect.SetLiteral:
		return literal(s.Value)
	case sentinel != "" && !c.Nullable:
		return literal(sentinel)
	}
	return "NULL"
}

// stateOf is the state of a row whose columns are known, as far as no clock is
// needed to tell it.
func stateOf(m inspect.Mapping, stored map[string]*string) (inspect.State, string) {
	if !m.State.ByRules() {
		s := textOf(stored[m.State.Column])
		return m.State.Of(s), s.V
	}
	var row []inspect.ColumnValue
	for name, value := range stored {
		if sentinel := m.Times[name].Sentinel; value != nil && sentinel != "" && *value == sentinel {
			value = nil
		}
		row = append(row, inspect.ColumnValue{Column: name, Value: value})
	}
	for _, state := range inspect.StateOrder {
		for _, rule := range m.State.Rules[state] {
			if rule.Holds(row) {
				return state, rule.String()
			}
		}
	}
	return inspect.StateUnmapped, ""
}

// rules: what the rules compare with fits the columns' types, and what they
// compare with the clock is a time.
func (b *binder) rules() error {
	for _, rules := range b.m.State.Rules {
		for _, rule := range rules {
			for i, test := range rule {
				c, _ := b.table.Column(test.Column)
				switch test.Op {
				case inspect.TestIs, inspect.TestIsNot:
					if err := fits(c, test.Value); err != nil {
						return err
					}
					if c.Base == "bool" {
						rule[i].Value = boolText(test.Value)
					}
				case inspect.TestFuture, inspect.TestPast:
					if !slices.Contains(timeTypes, c.Base) && b.m.Times[c.Name].Unit == "" {
						return &inspect.Fault{Kind: inspect.FaultNotATime, What: fmt.Sprintf("column %s (%s) is %s, not a time", c.Name, test, c.Type), Next: "compare a time with now"}
					}
				}
			}
		}
	}
	return nil
}

// settings: what a release writes fits the columns' types.
func (b *binder) settings() error {
	for _, r := range b.m.Releases {
		for _, s := range r.Set {
			c, _ := b.table.Column(s.Column)
			if s.To == inspect.SetLiteral && (len(c.Labels) > 0 || c.Base == "bool") {
				if err := fits(c, s.Value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// owner: of an array the last element is the owner, unless the mapping says
// otherwise.
func (b *binder) owner() error {
	c, _ := b.table.Column(b.m.Owner)
	switch array := strings.HasPrefix(c.Base, "_"); {
	case array && b.m.OwnerElement == "":
		b.m.OwnerElement = inspect.LastElement
	case !array:
		b.m.OwnerElement = ""
	}
	return nil
}

// indexPredicate is the WHERE of a partial index on the claimed rows; "" where
// all rows are claimed, or where the clock decides, which no index may ask.
func indexPredicate(t inspect.Table) string {
	for _, rules := range t.Mapping.State.Rules {
		for _, rule := range rules {
			for _, test := range rule {
				if test.Op == inspect.TestFuture || test.Op == inspect.TestPast {
					return ""
				}
			}
		}
	}
	claimed := inState(t, inspect.StateProcessing)
	if claimed == "true" {
		return ""
	}
	return " WHERE " + strings.ReplaceAll(claimed, `t."`, `"`)
}
