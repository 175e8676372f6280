package inspect

import (
	"fmt"
	"time"
)

// Counters are the server's counts of rows written since its statistics began.
// They cost nothing to read and tell whether anything moves at all.
type Counters struct {
	Inserted, Updated, Deleted int64
}

// Pulse is what the counters grew by between two looks.
type Pulse struct {
	Over     time.Duration
	Inserted int64
	Updated  int64
	Deleted  int64
}

// PulseBetween compares the counters of two looks; none where one look has
// none, or where the statistics were reset in between.
func PulseBetween(before *Look, now time.Time, counters Null[Counters]) Null[Pulse] {
	if before == nil || !before.Counters.OK || !counters.OK {
		return Null[Pulse]{}
	}
	old, grown := before.Counters.V, counters.V
	p := Pulse{now.Sub(before.At), grown.Inserted - old.Inserted, grown.Updated - old.Updated, grown.Deleted - old.Deleted}
	if p.Inserted < 0 || p.Updated < 0 || p.Deleted < 0 || p.Over <= 0 {
		return Null[Pulse]{}
	}
	return Some(p)
}

// Text reads the pulse as people do: "+0 claimed, +0 finished in 30s". The
// server counts rows, not meanings: an update may be a renewal, so what is
// finished is at most that many; and where rows wait before they are claimed,
// an insert is an arrival.
func (p Pulse) Text(m Mapping) string {
	atMost := func(n int64) string {
		if n == 0 {
			return "+0"
		}
		return "at most +" + groupDigits(n)
	}
	finished := p.Updated + p.Deleted
	if m.State.Column == "" || len(m.State.Values[StateFree]) > 0 {
		return fmt.Sprintf("+%s arrived, %s claimed or finished in %s", groupDigits(p.Inserted), atMost(finished), FormatSpan(p.Over))
	}
	return fmt.Sprintf("+%s claimed, %s finished in %s", groupDigits(p.Inserted), atMost(finished), FormatSpan(p.Over))
}
