package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"idemtui/inspect"
	"idemtui/ui/text"
	"idemtui/ui/triage"
)

// listing is what a list prints, in every format from the same value.
type listing struct {
	all    []inspect.Snapshot // those that failed have only Database.Error
	living []inspect.Snapshot
	mode   inspect.Mode
	flags  *listFlags
}

// stuck counts the stuck claims of all databases among those asked for.
func (l *listing) stuck() (stuck int64) {
	for _, s := range l.living {
		stuck += s.StuckMatching
	}
	return stuck
}

func (l *listing) print(a *app, format string) error {
	switch format {
	case formatJSON:
		return l.printJSON(&a.out)
	case formatCSV:
		return l.printCSV(&a.out)
	case formatMarkdown:
		return l.printMarkdown(a)
	default:
		return l.printTable(a)
	}
}

// printJSON puts the claims that sinks took between what stands around them.
func (l *listing) printJSON(out *output) error {
	var lists []*spool
	for _, s := range l.all {
		if sink := sinkOf(s); sink != nil && sink.taken > 0 && s.Database.Error == "" {
			lists = append(lists, sink.kept)
		}
	}
	if len(lists) == 0 {
		return inspect.EncodeClaims(out, l.mode, l.all)
	}
	return inspect.EncodeClaimsAround(out, l.mode, l.all, func() error {
		for i, list := range lists {
			if i > 0 {
				if _, err := io.WriteString(out, ",\n"); err != nil {
					return err
				}
			}
			out.attach(list)
		}
		return nil
	})
}

// printTable prints each database with its head, its summary and its claims.
func (l *listing) printTable(a *app) error {
	for i, s := range l.living {
		if i > 0 {
			a.printf("\n")
		}
		a.printf("%s\n", headLine(s, l.mode))
		a.printf("%s\n", summaryLine(s.Summary))
		if states := statesLine(s.Summary); states != "" {
			a.printf("%s\n", states)
		}
		for _, note := range append(s.Table.Warnings, s.Notes...) {
			a.printf("%s\n", text.Sanitise(note))
		}
		for _, line := range incidentLines(s) {
			a.printf("%s\n", line)
		}
		if l.flags.groupBy != "" {
			a.printf("\n%s", groupTable(s, inspect.Grouping(l.flags.groupBy)))
			continue
		}
		if listedRows(s) == 0 {
			a.printf("%s\n", l.emptyLine(s))
			continue
		}
		a.printf("\n")
		t := l.table()
		if err := t.writeTo(&a.out, func(f func([]string) bool) error { return l.eachRow(s, t, f) }); err != nil {
			return err
		}
		if folded := foldingOf(s).OlderStory(s.At); folded != "" {
			a.printf("%s\n", folded)
		}
		switch {
		case s.Summary.LookCut && listedRows(s) >= s.Matching.Rows:
			a.printf("%s shown, all that one look reads here; --owner, --key or --since reach the others\n", text.Count(listedRows(s), true))
		case s.Matching.Rows > listedRows(s):
			a.printf("%s of %s shown; --limit shows more\n", text.Count(listedRows(s), true), triage.MatchingText(s))
		}
	}
	return nil
}

// listedRows is how many claims are in a list, whoever has them.
func listedRows(s inspect.Snapshot) int64 { return max(s.Listed, int64(len(s.Claims))) }

// headLine says where, what, how and as of when.
func headLine(s inspect.Snapshot, mode inspect.Mode) string {
	profile := s.Table.Mapping.Profile
	if profile == "" {
		profile = "mapped by hand"
	} else {
		profile += " profile"
	}
	parts := []string{s.Database.ID, s.Table.FullName(), profile, strings.ToUpper(string(mode)), "as of " + s.At.UTC().Format("2006-01-02 15:04:05Z")}
	if s.Database.Standby {
		parts = append(parts, "standby")
	}
	return text.Sanitise(strings.Join(parts, "   "))
}

// summaryLine is the line that people would write by hand first. What was
// counted among only some of the claimed rows carries a ~, as on the screen.
func summaryLine(s inspect.Summary) string {
	parts := []string{fmt.Sprintf("%s stuck of %s claimed", text.Count(s.Stuck, !s.LookCut), text.Count(s.Claimed.Rows, s.Claimed.Exact))}
	if s.Oldest.OK {
		parts = append(parts, "oldest "+text.Duration(s.Oldest.V))
	}
	if s.Median.OK {
		parts = append(parts, "median "+text.Duration(s.Median.V))
	}
	for _, counted := range []struct {
		name  string
		count int64
		quiet bool
	}{
		{"over 1 h:", s.Over1h, s.Claimed.Rows == 0},
		{"over 6 h:", s.Over6h, s.Claimed.Rows == 0},
		{"likely dead", s.LikelyDead, s.Claimed.Rows == 0},
		{"alive", s.Alive, s.Claimed.Rows == 0},
		{"cannot tell", s.CannotTell, s.Claimed.Rows == 0},
		{"held", s.Held, s.Held == 0},
		{"no lease", s.NoLease, s.NoLease == 0},
		{"invalid time", s.InvalidTime, s.InvalidTime == 0},
		{"in the future", s.Future, s.Future == 0},
	} {
		if !counted.quiet {
			parts = append(parts, counted.name+" "+text.Count(counted.count, !s.LookCut))
		}
	}
	if s.LookCut {
		parts = append(parts, "more are claimed than one look reads")
	}
	return strings.Join(parts, " · ")
}

// emptyLine says why nothing is listed.
func (l *listing) emptyLine(s inspect.Snapshot) string {
	switch {
	case l.flags.filtered():
		return "no claim matches the filters"
	case s.Table.RowSecurity:
		return "no claim is listed, but row-level security may hide some from this role"
	case s.Summary.Claimed.Rows == 0:
		return "no claim is stuck: no row is PROCESSING"
	default:
		return fmt.Sprintf("no claim is stuck: of %s claimed, %s held; --all lists them",
			text.Count(s.Summary.Claimed.Rows, s.Summary.Claimed.Exact), text.Count(s.Summary.Held, true))
	}
}

func (f *listFlags) filtered() bool {
	return f.state != "" || f.owner != "" || f.key != "" || f.since != "" || f.until != ""
}

// table is the list for people. The state has a column only where it differs.
func (l *listing) table() *textTable {
	titles := []string{"KEY", "OWNER", "CLAIMED", "LAPSED", "TRY", "VERDICT"}
	if l.flags.state != "" {
		titles = append([]string{"STATE"}, titles...)
	}
	return newTextTable(titles...).alignRight("CLAIMED", "LAPSED", "TRY")
}

// cells are a claim's line in the table.
func (l *listing) cells(c inspect.Claim, at time.Time) []string {
	cells := []string{
		c.Key.Visible(), c.Owner.Or("-"), ageCell(c.Age), lapsedCell(c, at), attemptsCell(c.Attempts), verdictCell(c),
	}
	if l.flags.state != "" {
		cells = append([]string{strings.ToUpper(string(c.State))}, cells...)
	}
	return cells
}

// foldingOf is the incident by which the claims of a list fold. Nothing folds where
// the limit left only leftovers, for the list would be empty.
func foldingOf(s inspect.Snapshot) inspect.Incident {
	folding := s.Incident
	var others bool
	if sink := sinkOf(s); sink != nil {
		others = !folds(folding, sink.newest)
	} else {
		others = slices.ContainsFunc(s.Claims, func(c inspect.Claim) bool { return !folding.Folded(c) })
	}
	if !others {
		folding.Older = inspect.OlderClaims{}
	}
	return folding
}

// eachRow gives the cells of each claim that is not folded away, printable, until
// f returns false.
func (l *listing) eachRow(s inspect.Snapshot, t *textTable, f func([]string) bool) error {
	if sink := sinkOf(s); sink != nil {
		return sink.eachRow(foldingOf(s), len(t.titles), f)
	}
	folding := foldingOf(s)
	for _, c := range s.Claims {
		if folding.Folded(c) {
			continue
		}
		cells := l.cells(c, s.At)
		for i := range cells {
			cells[i] = text.Sanitise(cells[i])
		}
		if !f(cells) {
			break
		}
	}
	return nil
}

func ageCell(age inspect.Null[time.Duration]) string {
	if !age.OK {
		return "-"
	}
	return text.Duration(age.V)
}

// lapsedCell is how long ago the lease lapsed, or in how long it will.
func lapsedCell(c inspect.Claim, at time.Time) string {
	switch {
	case c.Lapsed.OK:
		return text.Duration(c.Lapsed.V)
	case c.LeaseUntil.After(at):
		return "in " + text.Duration(c.LeaseUntil.Time.Sub(at))
	case c.LeaseUntil.Invalid():
		return "no time"
	default:
		return "no lease"
	}
}

func attemptsCell(attempts inspect.Null[int64]) string {
	if !attempts.OK {
		return "-"
	}
	return strconv.FormatInt(attempts.V, 10)
}

// verdictCell is glyph, word, the evidence that decided and the notes: never a
// word alone. 'show' has all the evidence.
func verdictCell(c inspect.Claim) string {
	reasons := c.Notes
	if deciding := triage.DecidingText(c); deciding != "" {
		reasons = append([]string{deciding}, reasons...)
	}
	return strings.TrimSpace(text.Left(triage.VerdictText(c), verdictWidth) + "  " + strings.Join(reasons, "; "))
}

// verdictWidth is that of the longest verdict: ✗ LIKELY DEAD.
const verdictWidth = 13

// claimColumns are the scalar fields of a claim in the order of the JSON.
var claimColumns = []string{
	"database", "key", "state", "raw_state", "owner", "token", "attempts", "claimed_at", "lease_until", "heartbeat_at",
	"completed_at", "failed_at", "expires_at", "age_seconds", "lapsed_seconds", "condition", "verdict", "frees_itself_at",
}

func (l *listing) printCSV(w io.Writer) error {
	writer := csv.NewWriter(w)
	if err := writer.Write(claimColumns); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	for _, s := range l.living {
		if sink := sinkOf(s); sink != nil {
			writer.Flush()
			if _, err := io.Copy(w, sink.kept.reader()); err != nil {
				return fmt.Errorf("write CSV: %w", err)
			}
		}
		for _, c := range s.Claims {
			if err := writer.Write(claimRecord(c)); err != nil {
				return fmt.Errorf("write CSV: %w", err)
			}
		}
	}
	writer.Flush()
	return writer.Error()
}

// claimRecord is one line of CSV, absent values empty. Cells are made printable,
// because CSV is looked at in terminals; the exact values are in the JSON.
func claimRecord(c inspect.Claim) []string {
	record := []string{c.Database, c.Key.String(), string(c.State), c.RawState, c.Owner.V, c.Token.V, ""}
	if c.Attempts.OK {
		record[6] = strconv.FormatInt(c.Attempts.V, 10)
	}
	for _, named := range c.Stamps() {
		record = append(record, stampCell(named.Stamp))
	}
	record = append(record, secondsCell(c.Age), secondsCell(c.Lapsed), string(c.Condition), string(c.Verdict), stampCell(c.FreesItselfAt))
	for i := range record {
		record[i] = text.Sanitise(record[i])
	}
	return record
}

func stampCell(s inspect.Stamp) string {
	if !s.Valid() {
		return ""
	}
	return inspect.FormatTime(s.Time)
}

func secondsCell(d inspect.Null[time.Duration]) string {
	if !d.OK {
		return ""
	}
	return strconv.FormatFloat(d.V.Seconds(), 'f', -1, 64)
}

// markdownLines is the most that a Markdown list may have: it is pasted into
// chats and tickets.
const markdownLines = 25

// printMarkdown puts the verdict first and names what was assumed.
func (l *listing) printMarkdown(a *app) error {
	budget := markdownLines / len(l.living)
	for _, s := range l.living {
		var head strings.Builder
		fmt.Fprintf(&head, "**%s**\n\n", markdownEscape(summaryLine(s.Summary)))
		fmt.Fprintf(&head, "%s\n", markdownEscape(headLine(s, l.mode)))
		for _, line := range incidentLines(s) {
			fmt.Fprintf(&head, "%s\n", markdownEscape(line))
		}
		if folded := foldingOf(s).OlderStory(s.At); folded != "" {
			fmt.Fprintf(&head, "%s\n", markdownEscape(folded))
		}
		if assumed := assumptions(s); assumed != "" {
			fmt.Fprintf(&head, "Assumed: %s\n", markdownEscape(assumed))
		}
		a.printf("%s", head.String())
		if listedRows(s) == 0 {
			a.printf("%s\n", l.emptyLine(s))
			continue
		}
		rows := budget - strings.Count(head.String(), "\n") - 4 // blank line, titles, rule, "and more"
		t := l.table()
		if err := l.eachRow(s, t, func(cells []string) bool {
			t.add(cells...)
			return len(t.rows) < rows
		}); err != nil {
			return err
		}
		a.printf("\n%s", t.markdownTable(max(rows, 1)))
		if more := max(s.Matching.Rows, listedRows(s)) - int64(rows); more > 0 {
			a.printf("and %s more\n", text.AtLeast(more, s.Matching.Exact))
		}
	}
	return nil
}

// assumptions are the values that nobody stated.
func assumptions(s inspect.Snapshot) string {
	var assumed []string
	if m := s.Table.Mapping; !m.Lease.Mapped() && !m.Heartbeat.Mapped() && m.StaleAfter == 0 {
		assumed = append(assumed, "stuck from an age of "+text.Duration(inspect.DefaultStaleAfter))
	}
	return strings.Join(append(assumed, s.Table.Warnings...), "; ")
}
