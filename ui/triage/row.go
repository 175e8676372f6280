package triage

import (
	"cmp"
	"strings"
	"time"

	"idemtui/inspect"
	"idemtui/ui/text"
)

// row is one line of the list: a claim, and its texts made printable once.
type row struct {
	claim    inspect.Claim
	key      string
	owner    string
	claimed  string
	lapsed   string
	tries    string
	verdict  string // glyph and word
	why      string // the evidence that decided
	haystack string // what the filter looks into
	// gone says why the row is no longer in the table's list; "" is a row of
	// the last look. since is when that was noticed, by the local clock.
	gone  string
	since time.Time
}

func newRow(c inspect.Claim, at time.Time) row {
	r := row{
		claim:   c,
		key:     text.Sanitise(c.Key.Visible()),
		owner:   "none",
		claimed: claimedText(c),
		lapsed:  lapsedText(c, at),
		tries:   "-",
		verdict: VerdictText(c),
		why:     text.Sanitise(DecidingText(c)),
	}
	if c.Owner.OK {
		r.owner = text.Sanitise(c.Owner.V)
	}
	if c.Attempts.OK {
		r.tries = text.Count(c.Attempts.V, true)
	}
	r.haystack = strings.ToLower(strings.Join([]string{r.key, r.owner, text.Sanitise(c.RawState), r.verdict, string(c.Condition), r.why}, "\n"))
	return r
}

func ageOf(age inspect.Null[time.Duration]) string {
	if !age.OK {
		return "unknown"
	}
	return text.Age(age.V)
}

func claimedText(c inspect.Claim) string {
	switch {
	case c.Age.OK:
		return text.Age(c.Age.V)
	case c.ClaimedAt.Invalid():
		return "invalid"
	case c.ClaimedAt.Valid():
		return "future"
	}
	return "unknown"
}

// lapsedText is how long ago the lease ended, or in how long it ends.
func lapsedText(c inspect.Claim, at time.Time) string {
	switch {
	case c.Lapsed.OK:
		return text.Age(c.Lapsed.V)
	case c.LeaseUntil.Invalid():
		return "invalid"
	case c.LeaseUntil.Valid():
		return "in " + text.Age(c.LeaseUntil.Time.Sub(at))
	}
	return "no lease"
}

// VerdictText is the glyph and the word of a claim's verdict, on screen as in
// print; a row that is not PROCESSING has its state instead.
func VerdictText(c inspect.Claim) string {
	switch c.Verdict {
	case inspect.VerdictAlive:
		return "● ALIVE"
	case inspect.VerdictLikelyDead:
		return "✗ LIKELY DEAD"
	case inspect.VerdictCannotTell:
		return "? CANNOT TELL"
	}
	return "- " + strings.ToUpper(string(c.State))
}

// conditionText says how a claim stands, in words.
func conditionText(c inspect.Claim) string {
	switch c.Condition {
	case inspect.ConditionStuck:
		return "stuck"
	case inspect.ConditionHeld:
		return "held"
	case inspect.ConditionNoLease:
		return "no lease: cannot lapse"
	case inspect.ConditionInvalidTime:
		return "a stored time is no time"
	case inspect.ConditionFuture:
		return "claimed in the future"
	}
	return string(c.State)
}

// DecidingText is the evidence behind the verdict, on screen as in print: what
// points its way, strongest first, or, where nothing decides, what lease, age
// and sessions say.
func DecidingText(c inspect.Claim) string {
	var texts []string
	session := ""
	for _, e := range c.Evidence {
		switch c.Verdict {
		case inspect.VerdictAlive:
			if e.For == inspect.ForAlive {
				texts = append(texts, e.Text)
			}
		case inspect.VerdictLikelyDead:
			if e.For == inspect.ForDead {
				texts = append(texts, e.Text)
			}
		default:
			switch e.Rung {
			case inspect.RungLease, inspect.RungAge, inspect.RungHeartbeat:
				texts = append(texts, e.Text)
			case inspect.RungSession:
				session = e.Text
			}
		}
	}
	if session != "" {
		texts = append(texts, session)
	}
	return strings.Join(texts, "; ")
}

// matches applies the filter: a substring in any column, "!" before it turns
// it round.
func (r row) matches(filter string) bool {
	filter = strings.ToLower(strings.TrimSpace(filter))
	rest, inverse := strings.CutPrefix(filter, "!")
	if rest = strings.TrimSpace(rest); rest == "" {
		return true
	}
	return strings.Contains(r.haystack, rest) != inverse
}

// column is a column of the list that can be sorted by.
type column int

const (
	byLapsed column = iota
	byClaimed
	byKey
	byOwner
	byTries
	byVerdict
	columns // how many there are
)

// names are the columns' heads, and each one's natural direction in words and
// the other one.
var names = [columns]struct{ head, natural, flipped string }{
	byLapsed:  {"LAPSED", "longest lapsed first", "longest lapsed last"},
	byClaimed: {"CLAIMED", "oldest claim first", "oldest claim last"},
	byKey:     {"KEY", "key, A first", "key, Z first"},
	byOwner:   {"OWNER", "owner, A first", "owner, Z first"},
	byTries:   {"TRY", "most tries first", "fewest tries first"},
	byVerdict: {"VERDICT", "likely dead first", "likely dead last"},
}

// order is the column of the sort and its direction.
type order struct {
	by      column
	flipped bool
}

// next is the following step of the cycle: each column as is natural, then
// flipped.
func (o order) next() order {
	if !o.flipped {
		return order{o.by, true}
	}
	return order{(o.by + 1) % columns, false}
}

func (o order) previous() order {
	if o.flipped {
		return order{o.by, false}
	}
	return order{(o.by + columns - 1) % columns, true}
}

func (o order) String() string {
	if o.flipped {
		return names[o.by].flipped
	}
	return names[o.by].natural
}

// compare orders two rows; equal ones by key, so that a refresh moves nothing.
// Rows without a value stand last in either direction.
func (o order) compare(a, b row) int {
	c := 0
	switch o.by {
	case byLapsed:
		c = absentLast(a.lease(), b.lease(), o.flipped)
	case byClaimed:
		c = absentLast(negated(a.claim.Age), negated(b.claim.Age), o.flipped)
	case byKey:
		c = directed(strings.Compare(a.key, b.key), o.flipped)
	case byOwner:
		c = directed(strings.Compare(a.owner, b.owner), o.flipped)
	case byTries:
		c = absentLast(negated(a.claim.Attempts), negated(b.claim.Attempts), o.flipped)
	case byVerdict:
		c = directed(cmp.Compare(weight(a.claim.Verdict), weight(b.claim.Verdict)), o.flipped)
	}
	return cmp.Or(c, absentLast(a.lease(), b.lease(), false), strings.Compare(a.key, b.key))
}

// lease is what the list is sorted by first: the end of the lease, the
// earliest first; without a lease the time of the claim.
func (r row) lease() inspect.Null[int64] {
	for _, s := range []inspect.Stamp{r.claim.LeaseUntil, r.claim.ClaimedAt} {
		if s.Valid() {
			return inspect.Some(s.Time.UnixMicro())
		}
	}
	return inspect.Null[int64]{}
}

func negated[T ~int64](n inspect.Null[T]) inspect.Null[int64] {
	return inspect.Null[int64]{V: -int64(n.V), OK: n.OK}
}

func absentLast(a, b inspect.Null[int64], flipped bool) int {
	switch {
	case a.OK && b.OK:
		return directed(cmp.Compare(a.V, b.V), flipped)
	case a.OK:
		return -1
	case b.OK:
		return 1
	}
	return 0
}

func directed(c int, flipped bool) int {
	if flipped {
		return -c
	}
	return c
}

func weight(v inspect.Verdict) int {
	switch v {
	case inspect.VerdictLikelyDead:
		return 0
	case inspect.VerdictCannotTell:
		return 1
	case inspect.VerdictAlive:
		return 2
	}
	return 3
}
