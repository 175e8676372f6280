package inspect

import (
	"slices"
	"strings"
	"time"
)

// Database is the identity and the standing of one database at one look.
type Database struct {
	ID         string // name@host:port, without user and password
	Engine     string // "postgres"
	Version    string // "15.18"
	Name       string
	Host       string
	User       string // the role we are connected as
	System     string // system identifier, "" where it is hidden
	ServerTime time.Time
	Standby    bool
	// ReplayLag is the age of the data on a standby.
	ReplayLag Null[time.Duration]
	// Pooler: a connection pooler stands between us and the server.
	Pooler bool
	// ReadOnly: the server refuses writes although it is no standby.
	ReadOnly bool
	// Primary is where a standby streams from, as host:port; "" where that is
	// hidden (needs pg_read_all_stats).
	Primary string
	// Error is why this database could not be read: one line, no password.
	Error string
}

// Count is a number of rows; not exact means an estimate, shown with "~".
type Count struct {
	Rows  int64
	Exact bool
}

// Column is one column of a table as the catalog has it.
type Column struct {
	Name      string
	Type      string // as format_type prints it
	Nullable  bool
	Readable  bool
	Writable  bool
	Generated bool
	Labels    []string // of an enum
	// Cast is the column's base type, schema-qualified and quoted, without a
	// length: a cast to it never cuts a value.
	Cast string
	// Base is the name of the base type: timestamptz, int8, text, ...
	Base string
	// Equal is the type's own equality where that is not found by its name alone,
	// as for an extension's type: OPERATOR("public".=); "" means =.
	Equal string
	// Identity marks a column that the database numbers.
	Identity bool
}

// Table is one claim table, resolved: its place, its columns and its mapping.
type Table struct {
	Database string // Database.ID
	Schema   string
	Name     string
	OID      uint32
	Columns  []Column
	Mapping  Mapping
	// Joined is the table with the owners' heartbeats, where that is another.
	Joined *Table
	// Others are the tables that the mapping's releases write besides.
	Others []Table

	EstimatedRows Null[int64] // none: never analyzed
	Pages         int64
	Partitioned   bool
	UniqueKey     bool // a unique constraint lies within the key columns
	HasTriggers   bool
	RowSecurity   bool // row-level security applies to our role
	CanUpdate     bool
	CanDelete     bool
	RowVersions   bool // (xmin, xmax) may be read
	RowPlaces     bool // ctid may be read, and tells the rows of the table apart
	// Plain: no trigger, rule, child table or computed column, so that an UPDATE
	// changes what it sets and nothing else.
	Plain bool
	// TokenSequence is the sequence the fencing token is drawn from, quoted
	// for SQL; "" means that a bump adds one.
	TokenSequence string
	// CanDraw: the role may draw from it.
	CanDraw bool
	// Score ranks candidates, 0 to 100; a table named by hand has none.
	Score int
	// Incomplete: something is missing in a guessed mapping, see Reasons; such a
	// table cannot be looked at without a mapping by hand.
	Incomplete bool
	// Reasons say why the table and its mapping were chosen.
	Reasons []string
	// Warnings are things the person must know before trusting the list.
	Warnings []string
}

// FullName is SCHEMA.NAME as --table reads it: quoted only where it must be.
func (t Table) FullName() string { return quoted(t.Schema) + "." + quoted(t.Name) }

// quoted writes a name with quotes where --table could not read it without.
func quoted(name string) string {
	if !strings.ContainsAny(name, `."`) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// Column finds a column by its exact name.
func (t Table) Column(name string) (Column, bool) {
	for _, c := range t.Columns {
		if c.Name == name {
			return c, true
		}
	}
	return Column{}, false
}

// Snapshot is what one look at one table saw, at one instant of the
// database's clock. It is immutable.
type Snapshot struct {
	Database Database
	Table    Table
	// At is the database's clock at the look.
	At      time.Time
	Took    time.Duration
	Query   Query
	Summary Summary
	// Claims are the rows that were asked for, in the order of the list; none where
	// Query.Sink took them.
	Claims []Claim
	// Listed is how many claims are in the list, taken by a sink or not.
	Listed int64
	// Matching is how many rows the filters match; more than len(Claims)
	// means that the limit cut the list.
	Matching Count
	// StuckMatching is how many of the rows that the filters match are stuck.
	StuckMatching int64
	// Unsettled: the verdict of a listed claim may become firmer by a second look.
	Unsettled bool
	// Notes say what could not be seen, and why the list may be empty.
	Notes []string
	// Seen is the memory for the next look, see Query.Before.
	Seen *Look
	// ScannedAt is when the claimed rows were searched for: At, or an earlier
	// look where a large table was not scanned again.
	ScannedAt time.Time
	// Open are the transactions that have written to the table and not ended, of
	// tables whose rows appear only when the work commits.
	Open []OpenTransaction
	// Incident is how the stuck claims among those asked for lie in time.
	Incident Incident
	// Touched are the claims that one event stopped.
	Touched Null[Touched]
	// Groups are all claimed rows that were read, grouped.
	Groups map[Grouping][]Group
	// Pulse is what the table moved since the look before, if there was one.
	Pulse Null[Pulse]
	// LastClaimed is the latest claim time of any row, looked for where nothing
	// is claimed. From the statistics where LastClaimedAbout.
	LastClaimed      Stamp
	LastClaimedAbout bool
	// IndexHint is the statement for the index that would make the search cheap;
	// "" where it is. It is never run by us.
	IndexHint string
}

// Look is what a snapshot remembers for the next one: the claimed rows by
// key, so that a moved lease, token or heartbeat can be seen, and since when
// each owner's session has been gone.
type Look struct {
	At     time.Time
	Claims map[Key]Claim
	// ScannedAt is the look at which the claimed rows were last searched for;
	// later ones may only have read the known rows again.
	ScannedAt time.Time
	// Cut: more rows were claimed than that look read.
	Cut bool
	// Counters are the server's at that look.
	Counters Null[Counters]
	// Finished is how long finished work took, as that look read it.
	Finished Null[Finished]
	// SessionNames and Pooled are those of its Sessions.
	SessionNames map[string]string
	Pooled       bool
	// Partial: the claims were counted on the server and are not all in here, see
	// Query.Single. A later look needs another memory.
	Partial bool
}

// WithSessions keeps what a later look compares its sessions with.
func (l *Look) WithSessions(s *Sessions) *Look {
	if s != nil {
		l.SessionNames, l.Pooled = s.Names, s.Pooled
	}
	return l
}

// Remember makes the memory of a look from its judged claims, without what
// only a release needs.
func Remember(at time.Time, claims []Claim) *Look {
	l := &Look{At: at, Claims: make(map[Key]Claim, len(claims))}
	for _, c := range claims {
		if c.State == StateProcessing {
			l.Claims[c.Key] = Claim{State: c.State, Owner: c.Owner, Token: c.Token, ClaimedAt: c.ClaimedAt, LeaseUntil: c.LeaseUntil, HeartbeatAt: c.HeartbeatAt, GoneSince: c.GoneSince, UnlockedSince: c.UnlockedSince}
		}
	}
	return l
}

// SecondLookAfter is how far apart two looks must lie for what was gone at both
// to count as gone.
const SecondLookAfter = 5 * time.Second

// NeedsSecondLook reports whether the verdict of a listed claim may become
// firmer by a second look, SecondLookAfter later, with Query.Before set to Seen.
func (s Snapshot) NeedsSecondLook() bool {
	return s.Unsettled || slices.ContainsFunc(s.Claims, Claim.Unsettled)
}

// Unsettled reports whether a second look may make the verdict firmer.
func (c Claim) Unsettled() bool {
	return c.Verdict == VerdictCannotTell && (c.GoneSince.Valid() || c.UnlockedSince.Valid())
}

// Sink takes the claims of a list one by one, in the order of the list: there may
// be more of them than memory should hold.
type Sink interface {
	// Reset forgets what was taken: the look begins anew, at this instant of the
	// database's clock.
	Reset(at time.Time) error
	// Take takes the next claim. Its error ends the look.
	Take(Claim) error
}

// Query says which rows a snapshot lists.
type Query struct {
	// All lists every PROCESSING claim; otherwise the held ones are left out.
	All bool
	// State lists the rows of one other state ("" = PROCESSING).
	State State
	// Since and Until bound claimed_at (Until exclusive); zero = unbounded.
	Since, Until time.Time
	// Limit is the number of rows listed; 0 means DefaultLimit.
	Limit int
	Owner Null[string]
	Key   Null[Key]
	// LeftoversLast keeps the claims of an incident where Limit leaves some out: the
	// leftovers from long before, which fold away, go first. See Incident.Folded.
	LeftoversLast bool
	// Before is the look before this one, if there was one.
	Before *Look
	// Rescan searches a large table without a fitting index anew. Without it a
	// look after another reads only the known rows again: such a table is never
	// scanned twice unasked.
	Rescan bool
	// Brief leaves out the words: evidence and notes.
	Brief bool
	// Known are the claimed rows that a search elsewhere found, on a replica: they
	// are read by their keys, and nothing is searched here.
	Known *Look
	// Single: no later look will be compared with this one, so that its memory
	// need not hold every claimed row. Where a list is shorter than that, the rest
	// is counted on the server, whatever their number.
	Single bool
	// NoKinds leaves out the groups by kind where claims are counted on the
	// server, for which every key must be read.
	NoKinds bool
	// Sink takes the listed claims instead of Snapshot.Claims.
	Sink Sink
	// NeverScan refuses a look that would scan a large table, which is a *Fault
	// of FaultScan.
	NeverScan bool
}

// DefaultLimit is how many claims a list shows unless told otherwise.
const DefaultLimit = 200

// Detail is one claim with everything known about it.
type Detail struct {
	Database Database
	Table    Table
	At       time.Time
	Claim    Claim
	// Columns are all readable columns as text, in table order (only the
	// mapped ones unless all were asked for).
	Columns []ColumnValue
	// SQL are the queries behind the evidence, ready to be pasted.
	SQL []string
	// IfReleased says what a release would do and what could go wrong.
	IfReleased []string
	// Seen is the memory of this look, for a second one.
	Seen *Look
}
