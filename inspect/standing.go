package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// farLease is how far ahead a lease must end to be called endless.
const farLease = 10 * 365 * 24 * time.Hour

// freesItself is when the claim becomes takeable without anybody's help.
func freesItself(c Claim, f Facts) Stamp {
	switch {
	case leaseRuns(c, f):
		return c.LeaseUntil
	case c.LeaseUntil.None() && c.ExpiresAt.After(f.Now):
		return c.ExpiresAt
	default:
		return Stamp{}
	}
}

// oddities are the values of a row that cannot be right, in words.
func oddities(c Claim) []string {
	var notes []string
	for _, s := range c.Stamps() {
		if s.Stamp.Invalid() {
			notes = append(notes, fmt.Sprintf("%s is no time: %s", s.Name, s.Stamp.Raw))
		}
	}
	if c.Attempts.OK && c.Attempts.V < 0 {
		notes = append(notes, fmt.Sprintf("attempts is negative: %d", c.Attempts.V))
	}
	if c.Key.HasNull() {
		notes = append(notes, "the key holds a NULL: released only by its own key")
	}
	if c.Repeated {
		notes = append(notes, "the key stands on more than one row: no unique constraint keeps it single")
	}
	return notes
}

// standing says what the person must know about a claimed row besides its
// verdict: what frees it, and what is missing on it.
func standing(c Claim, f Facts) []string {
	var notes []string
	switch {
	case f.Mapping.looksAlike():
		if f.Mapping.ClaimedAt == "" { // otherwise its age says so
			notes = append(notes, alikeText)
		}
	case c.LeaseUntil.None() && !f.Mapping.framework():
		// What frees the claims of a framework is said by its profile.
		notes = append(notes, leaseless(c, f))
	}
	if c.LeaseUntil.After(f.Now.Add(farLease)) {
		notes = append(notes, fmt.Sprintf("the lease runs until the year %d: it will not free itself", c.LeaseUntil.Time.Year()))
	}
	if !c.Owner.OK && f.Mapping.Owner != "" {
		if c.LeaseUntil.None() {
			notes = append(notes, "no owner, no lease")
		} else {
			notes = append(notes, "no owner")
		}
	}
	return notes
}

func leaseless(c Claim, f Facts) string {
	switch {
	case c.ExpiresAt.After(f.Now):
		return fmt.Sprintf("no lease: nothing frees this before the record expires, in %s; until then duplicates are refused",
			FormatSpan(c.ExpiresAt.Time.Sub(f.Now)))
	case c.ExpiresAt.Valid():
		return fmt.Sprintf("no lease: the record expired %s ago and is still here", FormatSpan(f.Now.Sub(c.ExpiresAt.Time)))
	default:
		return "no lease: this never frees itself; until it is released duplicates are refused"
	}
}

// SilenceWindow is how close together owners must fall silent to make a fault
// of the network or the database likelier than many deaths.
const SilenceWindow = 5 * time.Second

// silence is a group of owners that fell silent together.
type silence struct {
	owners, of int
	from       time.Time
}

func (s silence) text() string {
	return fmt.Sprintf("%d of %d owners fell silent within %s at %s: a fault of network or database is likelier than many deaths",
		s.owners, s.of, FormatSpan(SilenceWindow), FormatTime(s.from))
}

// silentTogether finds the owners whose last sign of life (heartbeat, else
// lease) lies within one SilenceWindow, if they are more than half of three or
// more owners.
func silentTogether(claims []Claim, f Facts) map[string]silence {
	type sign struct {
		owner string
		at    time.Time
	}
	last := map[string]time.Time{}
	owners := map[string]bool{}
	for _, c := range claims {
		if c.State != StateProcessing || !c.Owner.OK {
			continue
		}
		owners[c.Owner.V] = true
		s := c.HeartbeatAt
		if !s.Valid() {
			s = c.LeaseUntil
		}
		if s.Valid() && s.Time.After(last[c.Owner.V]) {
			last[c.Owner.V] = s.Time
		}
	}
	if len(owners) < 3 {
		return nil
	}
	var quiet []sign
	for owner, at := range last {
		limit := f.Now
		if f.Mapping.Heartbeat.Mapped() {
			limit = f.Now.Add(-f.Mapping.HeartbeatLimit())
		}
		if at.Before(limit) {
			quiet = append(quiet, sign{owner, at})
		}
	}
	slices.SortFunc(quiet, func(a, b sign) int { return a.at.Compare(b.at) })
	bestFrom, bestTo := 0, 0
	for from, to := 0, 0; from < len(quiet); from++ {
		for to < len(quiet) && quiet[to].at.Sub(quiet[from].at) <= SilenceWindow {
			to++
		}
		if to-from > bestTo-bestFrom {
			bestFrom, bestTo = from, to
		}
	}
	if 2*(bestTo-bestFrom) <= len(owners) {
		return nil
	}
	group := silence{owners: bestTo - bestFrom, of: len(owners), from: quiet[bestFrom].at}
	out := map[string]silence{}
	for _, q := range quiet[bestFrom:bestTo] {
		out[q.owner] = group
	}
	return out
}

// SilenceNotes say, of claims judged together, that many owners fell silent at
// once: one incident rather than many.
func SilenceNotes(claims []Claim, f Facts) []string {
	return silenceNotes(claims, func(int) int64 { return 1 }, f)
}

// silenceNotes counts claims[i] as rows(i) claims.
func silenceNotes(claims []Claim, rows func(int) int64, f Facts) []string {
	groups := map[silence]int64{}
	together := silentTogether(claims, f)
	for i := range claims {
		c := &claims[i]
		if g, ok := together[c.Owner.V]; ok && c.Owner.OK && c.State == StateProcessing {
			groups[g] += rows(i)
		}
	}
	var notes []string
	for g, n := range groups {
		notes = append(notes, fmt.Sprintf("%s belong together: %s", plural(n, "claim"), g.text()))
	}
	return notes
}

// WhyEmpty says why a list without claims is empty; "" where filters or limits
// made it so.
func WhyEmpty(s Snapshot) string {
	q := s.Query
	if len(s.Claims) > 0 || s.Listed > 0 || q.Key.OK || q.Owner.OK || !q.Since.IsZero() || !q.Until.IsZero() || (q.State != "" && q.State != StateProcessing) {
		return ""
	}
	first := s.Summary.FirstLease
	why := "nothing is claimed" + lastClaimed(s)
	switch {
	case s.Table.Mapping.Kind == KindInsertOnly && s.Database.Standby:
		why = "rows appear here only when the work commits, so none is ever stuck; a standby does not show the open transactions that may hang"
	case s.Table.Mapping.Kind == KindInsertOnly && len(s.Open) == 0:
		why = "rows appear here only when the work commits, so none is ever stuck; no open transaction has written to the table"
	case s.Table.Mapping.Kind == KindInsertOnly:
		why = fmt.Sprintf("rows appear here only when the work commits, so none is ever stuck; what may hang is %s, see above", plural(int64(len(s.Open)), "open transaction"))
	case s.Table.RowSecurity && s.Summary.Held == 0:
		why = "no claimed row is visible to this role; row-level security may hide some"
	case s.Summary.Held > 0 && first.After(s.At):
		why = fmt.Sprintf("%s, all held; the first lease ends in %s", plural(s.Summary.Held, "claim"), FormatSpan(first.Time.Sub(s.At)))
	case s.Summary.Held > 0:
		why = fmt.Sprintf("%s, all held", plural(s.Summary.Held, "claim"))
	}
	if failed := s.Summary.ByState[StateFailed]; failed.Rows > 0 {
		about := ""
		if !failed.Exact {
			about = "~"
		}
		why += fmt.Sprintf("; %s%s FAILED that nobody has claimed again", about, plural(failed.Rows, "row"))
	}
	return why
}

// plural writes "1 row", "2 rows".
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return groupDigits(n) + " " + noun + "s"
}

// groupDigits writes 12,008 for 12008.
func groupDigits(n int64) string {
	s := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// lastClaimed continues "nothing is claimed".
func lastClaimed(s Snapshot) string {
	switch {
	case !s.LastClaimed.Valid():
		return ""
	case s.LastClaimedAbout:
		return fmt.Sprintf(" now, nor was anything since about %s (~%s ago, by the statistics)", FormatTime(s.LastClaimed.Time), FormatSpan(s.At.Sub(s.LastClaimed.Time)))
	default:
		return fmt.Sprintf(" now, nor was anything since %s, %s ago", s.LastClaimed, FormatSpan(s.At.Sub(s.LastClaimed.Time)))
	}
}
