package inspect

import (
	"fmt"
	"time"
)

// alikeText is what is said of tables whose rows do not tell.
const alikeText = "a finished row and one whose worker died look alike in this table"

// looksAlike: nothing in a row tells finished work from begun (K7), or that the
// work was never begun (K6).
func (m Mapping) looksAlike() bool { return m.Kind == KindInsertOnlyCommit }

// framework reports whether a framework owns the table: its columns are not
// the person's to change, and its profile says what frees a claim.
func (m Mapping) framework() bool { return len(m.Releases) > 0 }

// holdsRowLock: the worker holds the row's lock for as long as it works (K5),
// so a row that nobody has locked is one that nobody works on.
func (m Mapping) holdsRowLock() bool { return m.Kind == KindPlaceholder }

// OnlyByKey says why claims of a table may be released only by their own keys,
// never by owner or all at once; "" where they may.
func (m Mapping) OnlyByKey() string {
	switch m.Kind {
	case KindInsertOnlyCommit:
		return alikeText
	case KindInsertOnly:
		return "a row of this table is there because its work was committed"
	}
	return ""
}

func unlockedSince(c Claim, f Facts) Stamp {
	if !f.Mapping.holdsRowLock() || f.Standby || f.LocksHidden != "" || f.AdvisoryHidden != "" || f.locked(c) {
		return Stamp{}
	}
	if old, ok := seenBefore(c, f); ok && old.UnlockedSince.Valid() && old.Token == c.Token && old.ClaimedAt == c.ClaimedAt {
		return old.UnlockedSince
	}
	return At(f.Now)
}

// unlockedTwice: nobody held the row's lock at two looks far enough apart.
func unlockedTwice(c Claim, f Facts) bool {
	return c.UnlockedSince.Valid() && f.Now.Sub(c.UnlockedSince.Time) >= SecondLookAfter
}

func unlockedEvidence(e *Evidence, c Claim, f Facts) {
	switch {
	case !c.UnlockedSince.Valid():
	case unlockedTwice(c, f):
		e.For = ForDead
		e.Text += fmt.Sprintf(", which its worker would hold: unlocked at every look for %s", FormatSpan(f.Now.Sub(c.UnlockedSince.Time)))
	default:
		e.Text += fmt.Sprintf(", which its worker would hold; a second look counts from %s on", FormatSpan(SecondLookAfter))
	}
}

// OpenTransaction is a session that has written to a table and not ended its
// transaction: where rows appear only at the commit, this is what hangs.
type OpenTransaction struct {
	PID         int64
	Application string
	User        string
	State       string
	// Age is how long the transaction has been open, InState how long the
	// session has been in its state; none where hidden.
	Age     Null[time.Duration]
	InState Null[time.Duration]
	// WaitsFor are the processes that it waits for: the same key in another open
	// transaction.
	WaitsFor []int64
	// EndSQL ends the session. It is shown, never run.
	EndSQL string
}

// Words says who holds the transaction, since when, and how it is ended.
func (o OpenTransaction) Words() string {
	text := fmt.Sprintf("pid %d", o.PID)
	if o.Application != "" {
		text += " (" + o.Application + ")"
	}
	text += " has written to the table and not committed"
	if o.Age.OK {
		text += ", open for " + FormatSpan(o.Age.V)
	} else {
		text += ", since when is hidden (needs pg_read_all_stats)"
	}
	if o.State != "" {
		text += ", " + o.State
		if o.InState.OK {
			text += " for " + FormatSpan(o.InState.V)
		}
	}
	for _, pid := range o.WaitsFor {
		text += fmt.Sprintf(", waits for pid %d", pid)
	}
	return text + "; to end it: " + o.EndSQL
}
