package inspect

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// FollowState is what has become of a released key.
type FollowState string

// The states of a followed key. Unclear: the row says something that the
// mapping does not name. Gone: the row was removed since, as some tables do
// when the work is finished, and as a person may.
const (
	FollowNotPickedUp FollowState = "not_picked_up"
	FollowAtWork      FollowState = "at_work"
	FollowDone        FollowState = "done"
	FollowFailedAgain FollowState = "failed_again"
	FollowGone        FollowState = "gone"
	FollowUnclear     FollowState = "unclear"
)

// followOrder is the order in which a summary names the states.
var followOrder = []FollowState{FollowDone, FollowAtWork, FollowFailedAgain, FollowGone, FollowUnclear, FollowNotPickedUp}

// Followed is one released key and what has become of it.
type Followed struct {
	Key   Key
	State FollowState
	// Text is the fact behind the state, in words.
	Text string
}

// Follow is what has become of the keys of one release. It is a value: each
// look makes a new one by Next.
type Follow struct {
	AuditID string
	Keys    []Followed
	// rows are the released rows as the release left them, in the order of Keys.
	rows []AuditRow
}

// NewFollow begins to follow released rows; nothing is known of them yet.
func NewFollow(auditID string, rows []AuditRow) Follow {
	f := Follow{AuditID: auditID}
	at := map[Key]int{}
	for _, row := range rows {
		if i, repeated := at[row.Key]; repeated {
			f.rows[i] = row // the later batch is how it was left
			continue
		}
		at[row.Key] = len(f.rows)
		f.rows = append(f.rows, row)
		f.Keys = append(f.Keys, Followed{Key: row.Key, State: FollowNotPickedUp, Text: "not looked at yet"})
	}
	return f
}

// Next takes in a look at some of the keys, as Open names them.
func (f Follow) Next(look Lookup) Follow {
	found := make(map[Key]LookedUp, len(look.Keys))
	for _, k := range look.Keys {
		found[k.Key] = k
	}
	next := Follow{AuditID: f.AuditID, Keys: slices.Clone(f.Keys), rows: f.rows}
	for i, row := range f.rows {
		k, looked := found[row.Key]
		switch {
		case !looked:
		case k.Class == ClassNoRow:
			next.Keys[i] = FollowOne(row, nil, look.Table.Mapping)
		default:
			next.Keys[i] = FollowOne(row, &k.Claim, look.Table.Mapping)
		}
	}
	return next
}

// FollowOne says what has become of one released row; now is nil where there
// is no row.
func FollowOne(left AuditRow, now *Claim, m Mapping) Followed {
	is := func(state FollowState, format string, args ...any) Followed {
		return Followed{Key: left.Key, State: state, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case now == nil && left.After == nil:
		return is(FollowNotPickedUp, "still no row")
	case now == nil:
		return is(FollowGone, "the row was removed since")
	case now.State == StateDone:
		return is(FollowDone, "%s", since("done", now.CompletedAt))
	case !workedOn(left, *now, m):
		return is(FollowNotPickedUp, "as the release left it")
	case now.State == StateProcessing:
		return is(FollowAtWork, "claimed%s%s", byWhom(*now), lapsedAgain(*now))
	case now.State == StateUnmapped:
		return is(FollowUnclear, "the row says %q", now.RawState)
	default:
		return is(FollowFailedAgain, "%s%s", since("claimed and given back", now.FailedAt), tries(*now))
	}
}

// workedOn: somebody claimed the row since the release. A claim leaves its mark
// in the owner, the token, the times or the count of tries; where the release
// left the row PROCESSING (a lease that was ended) or removed it, a row that is
// claimed now is one.
func workedOn(left AuditRow, now Claim, m Mapping) bool {
	if left.After == nil {
		return now.State != StateFree
	}
	was := map[string]*string{}
	for _, v := range left.After {
		was[v.Column] = v.Value
	}
	for _, v := range now.AsRead {
		if v.Column == m.State.Column && now.State == StateFree {
			continue // a scheduler puts failed rows back without claiming them
		}
		old, recorded := was[v.Column]
		// A time of the last write is also moved by those who do not claim.
		if !recorded || v.Column == m.UpdatedAt || v.Column == m.ExpiresAt {
			continue
		}
		if (old == nil) != (v.Value == nil) || (old != nil && *old != *v.Value) {
			return true
		}
	}
	return false
}

func lapsedAgain(c Claim) string {
	if c.Condition == ConditionStuck {
		return ", and stuck again"
	}
	return ""
}

func tries(c Claim) string {
	if !c.Attempts.OK {
		return ""
	}
	return fmt.Sprintf(" (try %d)", c.Attempts.V)
}

// Count is how many keys are in a state.
func (f Follow) Count(state FollowState) int {
	n := 0
	for _, k := range f.Keys {
		if k.State == state {
			n++
		}
	}
	return n
}

// Over reports whether there is nothing to wait for: every key was picked up,
// and none is at work.
func (f Follow) Over() bool {
	return f.Count(FollowNotPickedUp)+f.Count(FollowAtWork) == 0
}

// Open are the keys of which there is more to hear: those that are not done.
func (f Follow) Open() []Key {
	var out []Key
	for _, k := range f.Keys {
		if k.State != FollowDone {
			out = append(out, k.Key)
		}
	}
	return out
}

// Summary is the line for the channel: "12 released: 9 done, 2 at work, 1 not
// picked up".
func (f Follow) Summary() string {
	var parts []string
	for _, state := range followOrder {
		if n := f.Count(state); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state.Words()))
		}
	}
	if len(parts) == 0 {
		return "0 released"
	}
	return fmt.Sprintf("%d released: %s", len(f.Keys), strings.Join(parts, ", "))
}

// Words is the state as people say it.
func (s FollowState) Words() string { return strings.ReplaceAll(string(s), "_", " ") }

// SchemaFollow is the schema of the follow document.
const SchemaFollow = "idemtui.follow/v1"

// EncodeFollow writes idemtui.follow/v1.
func EncodeFollow(w io.Writer, f Follow) error {
	return WriteJSON(w, struct {
		Schema string `json:"schema"`
		*followJSON
	}{SchemaFollow, newFollowJSON(f)})
}

type followJSON struct {
	AuditID     string         `json:"audit_id"`
	Summary     string         `json:"summary"`
	Released    int            `json:"released"`
	Done        int            `json:"done"`
	AtWork      int            `json:"at_work"`
	FailedAgain int            `json:"failed_again"`
	NotPickedUp int            `json:"not_picked_up"`
	Gone        int            `json:"gone"`
	Unclear     int            `json:"unclear"`
	Keys        []followedJSON `json:"keys"`
}

type followedJSON struct {
	Key   string      `json:"key"`
	State FollowState `json:"state"`
	Text  string      `json:"text"`
}

func newFollowJSON(f Follow) *followJSON {
	doc := &followJSON{
		AuditID: f.AuditID, Summary: f.Summary(), Released: len(f.Keys), Done: f.Count(FollowDone), AtWork: f.Count(FollowAtWork),
		FailedAgain: f.Count(FollowFailedAgain), NotPickedUp: f.Count(FollowNotPickedUp), Gone: f.Count(FollowGone), Unclear: f.Count(FollowUnclear),
		Keys: []followedJSON{},
	}
	for _, k := range f.Keys {
		doc.Keys = append(doc.Keys, followedJSON{k.Key.String(), k.State, k.Text})
	}
	return doc
}
