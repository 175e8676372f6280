package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Answer is what the provider said of a charge.
type Answer string

// The answers that can be written.
const (
	AnswerCharged    Answer = "charged"
	AnswerNotCharged Answer = "not-charged"
)

// ReleaseComplete is the mode of a plan that only completes claims. It is no
// release and is never asked for by --mode.
const ReleaseComplete ReleaseMode = "complete"

// Settlement is the provider's answer for one claim, as a person gave it:
// idemtui records who said so and never says itself whether a charge happened.
type Settlement struct {
	Outcome Answer `json:"outcome"`
	// Reference is where the provider has it: the id of the charge, of the
	// refusal, or of the query.
	Reference string `json:"reference"`
	// Result is what a later duplicate gets back; nil leaves it NULL.
	Result *string `json:"result,omitempty"`
}

// KeyAnswer is the answer for one key.
type KeyAnswer struct {
	Key Key `json:"key"`
	Settlement
}

// SettleRequest says what is to be settled: each key once.
type SettleRequest struct {
	Answers []KeyAnswer
	// Mode is how a claim that was not charged is released.
	Mode ReleaseMode
}

// Settler is a Store that can plan a settle. Its plan is carried out by
// Store.Release, and undone like a release.
type Settler interface {
	// PlanSettle reads the claims and says what a settle would write.
	PlanSettle(ctx context.Context, table Table, request SettleRequest) (Plan, error)
}

// Settles reports whether the plan is a settle.
func (p Plan) Settles() bool {
	return len(p.Answers) > 0
}

// CompletedBy splits a plan's rows into those that are completed and those that
// are released.
func (p Plan) CompletedBy() (completed, released []PlannedRow) {
	for _, r := range p.Rows {
		if r.Settlement != nil && r.Settlement.Outcome == AnswerCharged {
			completed = append(completed, r)
		} else {
			released = append(released, r)
		}
	}
	return completed, released
}

// CheckCompletion refuses a table on which a completion cannot be written
// whole; it names why.
func CheckCompletion(t Table) error {
	m := t.Mapping
	why := ""
	switch m.Kind {
	case KindInsertOnly:
		why = "its rows are inserted in the transaction of the work (K6), so there is no claim to complete"
	case KindInsertOnlyCommit:
		why = "nothing in its rows tells finished work from begun (K7), so a completion cannot be written"
	case KindPlaceholder:
		why = "its rows are completed in the transaction that holds their lock, with what the work sends (K5), which cannot be written whole from outside"
	case KindLockRow:
		why = "its rows are locks (K8), which are never done"
	}
	if why == "" {
		why = completionGap(t)
	}
	if why == "" {
		return nil
	}
	return &Fault{Kind: FaultRefused, What: fmt.Sprintf("%s cannot be settled as charged: %s", t.FullName(), why), Next: "complete it by the consumer's own code"}
}

// completionGap is what a mapping lacks for a completion, "" if nothing.
func completionGap(t Table) string {
	m := t.Mapping
	if !m.State.ByRules() {
		if len(m.State.Values[StateDone]) == 0 {
			return "no value for the state done is mapped (--map done=VALUE)"
		}
		return ""
	}
	rules := m.State.Rules[StateDone]
	if len(rules) == 0 {
		return "no column that tells done is mapped (--map done=COLUMN!null)"
	}
	for _, rule := range rules {
		if len(rule) != 1 || rule[0].Op != TestNotNull {
			continue
		}
		c, _ := t.Column(rule[0].Column)
		if slices.Contains([]string{"timestamptz", "timestamp", "date"}, c.Base) || m.Times[c.Name].Unit != "" {
			return ""
		}
	}
	return fmt.Sprintf("what %s holds when the work is done is not known", strings.Join(rules[0].Columns(), ", "))
}

// CheckResult refuses a result that the table has no place for, or that its
// column cannot hold.
func CheckResult(t Table, result string) error {
	c, ok := t.Column(t.Mapping.Result)
	switch {
	case t.Mapping.Result == "" || !ok:
		return &Fault{Kind: FaultRefused, What: t.FullName() + " has no column for a result that is known", Next: "leave --result away"}
	case strings.HasPrefix(c.Base, "json") && !json.Valid([]byte(result)):
		return &Fault{Kind: FaultRefused, What: fmt.Sprintf("the result is no JSON, and %s is %s", c.Name, c.Type), Next: `write a text as '"..."'`}
	}
	return nil
}

// SettleConsequences says, before a settle, what it does and what could go
// wrong.
func SettleConsequences(t Table, mode ReleaseMode, completed, released int) []string {
	var out []string
	out = append(out, "you say what the provider answered; idemtui records who said so, and cannot know whether a charge happened")
	if completed > 0 {
		out = append(out, fmt.Sprintf("charged, %s: the claim becomes DONE; the next delivery is acked without a charge, and nothing runs it again", plural(int64(completed), "claim")))
		if t.Mapping.Result == "" {
			out = append(out, "only the mapped columns are written: if the table's own completion writes more (a result, a response), do not settle here")
		}
		if t.Mapping.Token != "" {
			out = append(out, "a late worker that checks state or token is refused")
		} else {
			out = append(out, "the table has no fencing token: a late worker may still write over it")
		}
	}
	if released > 0 {
		out = append(out, fmt.Sprintf("not charged, %s: released", plural(int64(released), "claim")))
		for _, line := range Consequences(t, mode, false) {
			if line != askProvider {
				out = append(out, line)
			}
		}
	}
	return out
}
