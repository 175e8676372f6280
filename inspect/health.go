package inspect

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Severity says how soon a finding should be dealt with.
type Severity string

// The severities, worst first.
const (
	SeverityCritical Severity = "critical" // messages may be handled twice or never
	SeverityWarning  Severity = "warning"  // it will hurt, or hides what happens
	SeverityInfo     Severity = "info"
)

// Finding is one thing that is wrong with a table's design or upkeep: what it
// causes, and the SQL that mends it, which idemtui never runs.
type Finding struct {
	Code     string
	Severity Severity
	Text     string
	FixSQL   string
}

// Index is an index as the catalog has it. Columns holds "" for an expression.
type Index struct {
	Name    string // quoted for SQL
	Columns []string
	Unique  bool
	Valid   bool
	Partial bool
}

// HealthFacts are what a diagnosis rests on.
type HealthFacts struct {
	Snapshot Snapshot
	TableSQL string // the table's name, quoted for SQL
	Indexes  []Index
	LiveRows int64 // as the statistics have them
	DeadRows int64
	Vacuumed Stamp // the last vacuum, by hand or by itself
	Analyzed Stamp
	// StuckServed: a partial index finds the claimed rows; PurgeServed: those to be
	// purged. Absent where that was not asked: then an index's columns decide.
	StuckServed Null[bool]
	PurgeServed Null[bool]
	ClaimedSQL  string // the condition of a claimed row
	StuckSQL    string // the index for the stuck query
	PurgeSQL    string // the index for the purge
	Finished    TableFacts
	Retention   Null[time.Duration] // the policy, if one was given

	Purge         Null[PurgeRate] // how the purge runs, if that was told
	Written       Counters        // since the server's statistics began
	PurgeBatchSQL string          // one batch of the purge
	PastPolicy    int64           // finished rows older than the policy, counted up to a bound
	PastPolicyCut bool            // there are more
	Expired       int64           // finished rows that expired over a day ago
	ExpiredCut    bool
	Hash          HashFacts
}

// TableFacts are what retention asks of a table.
type TableFacts struct {
	OldestFinished Stamp
	// RowsPerDay are the rows finished in the last 24 hours.
	RowsPerDay Null[int64]
	// RowBytes is the size of the table with its indexes for each row.
	RowBytes Null[int64]
	// Sampled: the oldest finished row is that of the statistics.
	Sampled bool
	// Work is how long finished work took, Lease how long a claim's lease lasts.
	Work  Null[WorkTimes]
	Lease Null[time.Duration]
}

// Health is the diagnosis of one table.
type Health struct {
	Database Database
	Table    Table
	At       time.Time
	Facts    TableFacts
	Findings []Finding
}

// HealthPolicy is what the person says of the table's upkeep, if anything.
type HealthPolicy struct {
	Retention Null[time.Duration] // how long finished rows are to be kept
	Purge     Null[PurgeRate]     // how the purge runs
}

// HealthChecker is a Store that can diagnose a table.
type HealthChecker interface {
	Health(ctx context.Context, table Table, policy HealthPolicy) (Health, error)
}

// deadShare is the share of dead rows from which vacuum is behind, deadRows the
// least number that matters.
const (
	deadShare = 0.2
	deadRows  = 10000
)

// Diagnose finds what is wrong, the worst first.
func Diagnose(f HealthFacts) []Finding {
	findings := slices.Concat(diagnoseKey(f), diagnoseTimes(f), diagnoseStates(f), diagnoseHash(f), diagnoseWork(f), diagnoseIndexes(f), diagnoseUpkeep(f), diagnosePurge(f))
	rank := map[Severity]int{SeverityCritical: 0, SeverityWarning: 1, SeverityInfo: 2}
	slices.SortStableFunc(findings, func(a, b Finding) int { return rank[a.Severity] - rank[b.Severity] })
	return findings
}

func diagnoseKey(f HealthFacts) []Finding {
	t := f.Snapshot.Table
	names := t.Mapping.KeyNames()
	key := strings.Join(names, ", ")
	var out []Finding
	if !t.UniqueKey {
		timed := ""
		for _, x := range f.Indexes {
			if x.Unique && len(names) > 0 && slices.Contains(x.Columns, names[len(names)-1]) {
				for _, c := range x.Columns {
					if column, ok := t.Column(c); ok && slices.Contains(timeBases, column.Base) {
						timed = c
					}
				}
			}
		}
		if timed != "" {
			out = append(out, Finding{"unique-key-holds-time", SeverityCritical, fmt.Sprintf("the unique key of %s contains the time %s: the same message claimed at another time is another row, so a duplicate is not refused", key, timed), f.withoutTime(names)})
		} else {
			out = append(out, Finding{"no-unique-key", SeverityCritical, "no unique constraint on " + key + ": two workers can both insert the same message and both charge", f.uniqueIndex(names)})
		}
	}
	for _, n := range names {
		if c, ok := t.Column(n); ok && c.Nullable {
			out = append(out, Finding{"nullable-key", SeverityWarning, fmt.Sprintf("%s may be NULL, and NULLs are never equal: such rows are not deduplicated", n), fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s SET NOT NULL", f.TableSQL, f.quoted([]string{n}))})
		}
	}
	if t.Mapping.Token == "" && !t.Mapping.framework() {
		out = append(out, Finding{"no-token", SeverityWarning, "no fencing token is mapped: a slow worker can still write after its claim was taken over or released", fmt.Sprintf("CREATE SEQUENCE %s; ALTER TABLE %s ADD COLUMN fencing_token bigint", f.tokenSequence(), f.TableSQL)})
	}
	return out
}

func diagnoseTimes(f HealthFacts) []Finding {
	t := f.Snapshot.Table
	m := t.Mapping
	var out []Finding
	for _, column := range []string{m.Lease.Column, m.ClaimedAt, m.Heartbeat.Column, m.CompletedAt} {
		c, ok := t.Column(column)
		if !ok || c.Base != "timestamp" || slices.ContainsFunc(out, func(x Finding) bool { return strings.HasPrefix(x.Text, column+" ") }) {
			continue
		}
		zone := m.Times[column].Zone
		out = append(out, Finding{
			"time-without-zone", SeverityWarning, fmt.Sprintf("%s has no zone: workers in two zones, or a changed session zone, make live claims look lapsed and dead ones alive (read here as %s)", column, zone),
			fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE timestamptz USING %s AT TIME ZONE '%s'", f.TableSQL, f.quoted([]string{column}), f.quoted([]string{column}), strings.ReplaceAll(zone, "'", "''")),
		})
	}
	if n := f.Snapshot.Summary.Future; n > 0 {
		out = append(out, Finding{"clock-skew", SeverityWarning, fmt.Sprintf("%s claimed or beaten in the future: a worker's clock or time zone is wrong, and its leases end at the wrong time; let the claim take the database's clock", plural(n, "row")), f.defaultNow()})
	}
	if n := f.Snapshot.Summary.InvalidTime; n > 0 {
		out = append(out, Finding{"invalid-time", SeverityWarning, fmt.Sprintf("%s with a time that is none (infinity, a zero date): they never lapse", plural(n, "claimed row")), f.finite()})
	}
	return out
}

func diagnoseStates(f HealthFacts) []Finding {
	m := f.Snapshot.Table.Mapping
	s := f.Snapshot.Summary
	var out []Finding
	for _, raw := range sortedKeys(s.Unmapped) {
		out = append(out, Finding{"unmapped-state", SeverityWarning, fmt.Sprintf("%s in state %q, which is mapped to nothing: neither stuck nor done is known of them", countWords(s.Unmapped[raw]), raw), ""})
	}
	switch {
	case m.looksAlike():
		out = append(out, Finding{"no-mark-of-the-end", SeverityCritical, alikeText + ": a crash between the insert and the end of the work loses the message, and nobody can tell", ""})
	case m.framework():
		// Its columns are the framework's affair.
	case !m.Lease.Mapped() && !m.Heartbeat.Mapped() && m.ClaimedAt == "":
		out = append(out, Finding{"no-time-of-claim", SeverityCritical, "claimed rows have neither lease nor heartbeat nor claim time: after a crash nothing ever frees them, and nobody can tell", fmt.Sprintf("ALTER TABLE %s ADD COLUMN claimed_at timestamptz DEFAULT now(), ADD COLUMN lease_expires_at timestamptz", f.TableSQL)})
	case !m.Lease.Mapped() && !m.Heartbeat.Mapped():
		out = append(out, Finding{"no-lease", SeverityWarning, "claimed rows have no lease: after a crash nothing frees them by itself, and their age is the only sign", fmt.Sprintf("ALTER TABLE %s ADD COLUMN lease_expires_at timestamptz", f.TableSQL)})
	case m.Lease.Mapped() && !m.Heartbeat.Mapped() && leaselessRows(f.Snapshot.Seen) > 0:
		out = append(out, Finding{"claims-without-lease", SeverityWarning, fmt.Sprintf("%s without a lease: queries that ask for a lapsed lease never see them", plural(leaselessRows(f.Snapshot.Seen), "claimed row")), f.leaseCheck()})
	}
	return out
}

func leaselessRows(l *Look) int64 {
	var n int64
	if l != nil {
		for _, c := range l.Claims {
			if c.LeaseUntil.None() {
				n++
			}
		}
	}
	return n
}

func diagnoseIndexes(f HealthFacts) []Finding {
	m := f.Snapshot.Table.Mapping
	leads := func(asked Null[bool], columns ...string) bool {
		return asked.V || slices.ContainsFunc(f.Indexes, func(x Index) bool {
			return x.Valid && !(x.Partial && asked.OK) && len(x.Columns) > 0 && x.Columns[0] != "" && slices.Contains(columns, x.Columns[0])
		})
	}
	var out []Finding
	for _, x := range f.Indexes {
		if !x.Valid {
			out = append(out, Finding{"invalid-index", SeverityWarning, "index " + x.Name + " is not valid (a CREATE INDEX CONCURRENTLY that failed): it is written and never read", "DROP INDEX CONCURRENTLY " + x.Name})
		}
	}
	if !leads(f.StuckServed, m.State.Column, m.Lease.Column, m.Heartbeat.Column, m.ClaimedAt) && f.StuckSQL != "" {
		out = append(out, Finding{"no-stuck-index", SeverityWarning, "no index finds the claimed rows: every look for stuck ones, by workers too, reads the whole table", f.StuckSQL})
	}
	if m.CompletedAt != "" && !leads(f.PurgeServed, m.CompletedAt, m.ExpiresAt) && f.PurgeSQL != "" {
		out = append(out, Finding{"no-purge-index", SeverityWarning, "no index on " + m.CompletedAt + ": a purge by age reads the whole table", f.PurgeSQL})
	}
	return out
}

func diagnoseUpkeep(f HealthFacts) []Finding {
	var out []Finding
	if f.DeadRows >= deadRows && float64(f.DeadRows) > deadShare*float64(f.LiveRows) {
		out = append(out, Finding{"dead-rows", SeverityWarning, fmt.Sprintf("~%s dead rows beside ~%s live ones, last vacuum %s: vacuum does not keep up with claims and purges", groupDigits(f.DeadRows), groupDigits(f.LiveRows), stampAgo(f.Vacuumed, f.Snapshot.At)), "VACUUM (ANALYZE) " + f.TableSQL})
	}
	if f.Analyzed.None() && !f.Snapshot.Table.EstimatedRows.OK {
		out = append(out, Finding{"never-analyzed", SeverityInfo, "the table was never analyzed: estimates are missing, and plans may be poor", "ANALYZE " + f.TableSQL})
	}
	return out
}

func stampAgo(s Stamp, now time.Time) string {
	if !s.Valid() {
		return "never"
	}
	return FormatSpan(now.Sub(s.Time)) + " ago"
}

func (f HealthFacts) quoted(columns []string) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
	}
	return strings.Join(out, ", ")
}

func countWords(c Count) string {
	if c.Exact {
		return plural(c.Rows, "row")
	}
	return "~" + plural(c.Rows, "row")
}

func sortedKeys(m map[string]Count) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// SchemaHealth is the schema of the health document.
const SchemaHealth = "idemtui.health/v1"

type healthJSON struct {
	Schema   string        `json:"schema"`
	Database databaseJSON  `json:"database"`
	Table    tableJSON     `json:"table"`
	Findings []findingJSON `json:"findings"`
	Facts    factsJSON     `json:"facts"`
}

type factsJSON struct {
	OldestFinished *string `json:"oldest_finished_at"`
	Sampled        bool    `json:"sampled"`
	RowsPerDay     *int64  `json:"rows_per_day"`
	RowBytes       *int64  `json:"row_bytes"`

	Work  *workJSON `json:"work"`
	Lease *float64  `json:"lease_seconds"`
}

type workJSON struct {
	Rows    int64   `json:"rows"`
	P50     float64 `json:"p50_seconds"`
	P99     float64 `json:"p99_seconds"`
	Longest float64 `json:"longest_seconds"`
}

func newWorkJSON(n Null[WorkTimes]) *workJSON {
	if !n.OK {
		return nil
	}
	return &workJSON{n.V.Rows, n.V.P50.Seconds(), n.V.P99.Seconds(), n.V.Longest.Seconds()}
}

type findingJSON struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
	FixSQL   *string  `json:"fix_sql"`
}

// EncodeHealth writes idemtui.health/v1.
func EncodeHealth(w io.Writer, h Health) error {
	doc := healthJSON{Schema: SchemaHealth, Database: newDatabaseJSON(h.Database), Table: newTableJSON(h.Table), Findings: []findingJSON{}}
	doc.Facts = factsJSON{stampJSON(h.Facts.OldestFinished), h.Facts.Sampled, pointer(h.Facts.RowsPerDay), pointer(h.Facts.RowBytes), newWorkJSON(h.Facts.Work), seconds(h.Facts.Lease)}
	for _, f := range h.Findings {
		doc.Findings = append(doc.Findings, findingJSON{f.Code, f.Severity, f.Text, optional(f.FixSQL)})
	}
	return WriteJSON(w, doc)
}
