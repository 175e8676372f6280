package inspect

import (
	"fmt"
	"slices"
	"strings"
)

// StateBinding tells the state of a row: by the values of one column, or by
// rules on columns. Done and failed are asked before processing, so that a row
// that says both counts as finished.
type StateBinding struct {
	Column string
	Values map[State][]string
	// Rules are used where there is no Column: a row is in a state if one of
	// the state's rules holds.
	Rules map[State][]StateRule
}

// StateRule holds for a row if all its tests do; without tests it holds for
// every row.
type StateRule []StateTest

// StateTest is one test of one column.
type StateTest struct {
	Column string
	Op     TestOp
	Value  string // of TestIs and TestIsNot
}

// TestOp is what a test asks.
type TestOp string

// The tests. Past and future are by the database's clock; a sentinel of a time
// counts as NULL.
const (
	TestNull    TestOp = "=null"
	TestNotNull TestOp = "!null"
	TestIs      TestOp = "="
	TestIsNot   TestOp = "!="
	TestFuture  TestOp = ">now"
	TestPast    TestOp = "<=now"
)

// everyRow is a rule without tests, as it is written.
const everyRow = "row"

// NullRule is the rule that a column is NULL, or that it is not.
func NullRule(column string, isNull bool) StateRule {
	op := TestNotNull
	if isNull {
		op = TestNull
	}
	return StateRule{{Column: column, Op: op}}
}

// ByRules reports whether the state is told by rules.
func (s StateBinding) ByRules() bool { return s.Column == "" }

// Claims reports whether anything is mapped to processing.
func (s StateBinding) Claims() bool {
	return len(s.Values[StateProcessing])+len(s.Rules[StateProcessing]) > 0
}

// Of maps a stored state to the model's; a NULL or an unnamed value is unmapped.
func (s StateBinding) Of(stored Null[string]) State {
	if stored.OK {
		for _, state := range StateOrder {
			if slices.Contains(s.Values[state], stored.V) {
				return state
			}
		}
	}
	return StateUnmapped
}

// String writes the test as ParseStateRule reads it.
func (t StateTest) String() string { return t.Column + string(t.Op) + t.Value }

// String writes the rule as ParseStateRule reads it.
func (r StateRule) String() string {
	if len(r) == 0 {
		return everyRow
	}
	out := make([]string, len(r))
	for i, t := range r {
		out[i] = t.String()
	}
	return strings.Join(out, " and ")
}

// Columns are the columns that the rule tests.
func (r StateRule) Columns() []string {
	out := make([]string, len(r))
	for i, t := range r {
		out[i] = t.Column
	}
	return out
}

// ParseStateRule reads tests joined by " and ": COL=null, COL!null, COL=VALUE,
// COL!=VALUE, COL>now, COL<=now; or "row", which holds for every row.
func ParseStateRule(text string) (StateRule, error) {
	if strings.TrimSpace(text) == everyRow {
		return StateRule{}, nil
	}
	var rule StateRule
	for _, part := range strings.Split(text, " and ") {
		t, err := parseStateTest(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		rule = append(rule, t)
	}
	return rule, nil
}

func parseStateTest(text string) (StateTest, error) {
	for _, op := range []TestOp{TestNull, TestNotNull, TestFuture, TestPast} {
		if column, ok := strings.CutSuffix(text, string(op)); ok && column != "" {
			return StateTest{Column: strings.TrimSpace(column), Op: op}, nil
		}
	}
	for _, op := range []TestOp{TestIsNot, TestIs} {
		column, value, ok := strings.Cut(text, string(op))
		if column = strings.TrimSpace(column); ok && column != "" && strings.TrimSpace(value) != "" {
			return StateTest{Column: column, Op: op, Value: strings.TrimSpace(value)}, nil
		}
	}
	return StateTest{}, fmt.Errorf("%q is no test: want COL=null, COL!null, COL=VALUE, COL!=VALUE, COL>now or COL<=now", text)
}

// Holds evaluates the rule on a row as it was read; tests that need a clock do
// not hold.
func (r StateRule) Holds(row []ColumnValue) bool {
	for _, t := range r {
		i := slices.IndexFunc(row, func(c ColumnValue) bool { return c.Column == t.Column })
		if i < 0 {
			return false
		}
		v := row[i].Value
		holds := false
		switch t.Op {
		case TestNull:
			holds = v == nil
		case TestNotNull:
			holds = v != nil
		case TestIs:
			holds = v != nil && *v == t.Value
		case TestIsNot:
			holds = v != nil && *v != t.Value
		}
		if !holds {
			return false
		}
	}
	return true
}
