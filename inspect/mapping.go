package inspect

import (
	"slices"
	"time"

	"idemtui/retention"
)

// DefaultStaleAfter is the age from which a claim without lease and heartbeat
// counts as stuck, when neither --stale-after nor the profile says otherwise.
const DefaultStaleAfter = 15 * time.Minute

// HeartbeatMisses is how many heartbeats a worker may miss before its
// heartbeat is stale, when the mapping names only the interval.
const HeartbeatMisses = 3

// Mapping binds the columns of one table to the model. An empty column name
// means that the table has no such column.
type Mapping struct {
	Profile  string // name of the profile, "" for a mapping by hand
	Verified bool   // tested on tables that the framework made; by hand: true
	Kind     Kind

	Key       []KeyColumn
	State     StateBinding
	ClaimedAt string
	Lease     LeaseBinding
	Heartbeat HeartbeatBinding
	Advisory  AdvisoryBinding
	Owner     string
	// OwnerElement says which element of an array column is the owner: first or
	// last; "" where the column holds the owner itself.
	OwnerElement string
	Token        string
	Attempts     string
	CompletedAt  string
	FailedAt     string
	ExpiresAt    string
	// UpdatedAt is set to now() by a release; it takes no part in judging a claim.
	UpdatedAt string
	// Result is where a completion keeps what a later duplicate gets back. It is
	// written by a settle, and never read or compared.
	Result string

	// ProviderKey is the column with the idempotency key that the charge was
	// sent under, ProviderMemory how long the provider remembers such keys.
	ProviderKey    string
	ProviderMemory time.Duration

	// AttemptsMean says what Attempts counts: starts, failures, loops or
	// resubmissions; "" where nobody told us.
	AttemptsMean string

	// StaleAfter is the profile's threshold; 0 means DefaultStaleAfter.
	StaleAfter time.Duration
	RunsNext   RunsNext
	Times      map[string]TimeBinding // by column
	// Releases are the writes that a profile allows, and the only ones where
	// there are any; without them the modes follow from the columns.
	Releases []ReleaseRule
	Purge    PurgeRule
	Caveats  []string
}

// TimeBinding says how a column that is no timestamptz is read.
type TimeBinding struct {
	Unit EpochUnit // for numbers
	Zone string    // for times without a zone; "" means UTC
	// Sentinel is a stored value that stands for "no time", as the epoch does
	// for "never locked"; it is read as NULL.
	Sentinel string
}

// EpochUnit is the unit of a time stored as a number since 1970.
type EpochUnit string

// The units of epoch columns.
const (
	UnitSeconds EpochUnit = "s"
	UnitMillis  EpochUnit = "ms"
	UnitMicros  EpochUnit = "us"
	UnitNanos   EpochUnit = "ns"
)

// StateOrder is the order in which a row's state is decided.
var StateOrder = []State{StateDone, StateFailed, StateProcessing, StateFree}

// LeaseBinding says where a lease's end comes from: a column, a column plus a
// constant, or a column plus another column (an interval or seconds).
type LeaseBinding struct {
	Column     string
	Plus       time.Duration
	PlusColumn string
}

// Mapped reports whether the table has a lease.
func (l LeaseBinding) Mapped() bool { return l.Column != "" }

// Plain reports whether the lease's end is itself a column.
func (l LeaseBinding) Plain() bool { return l.Mapped() && l.Plus == 0 && l.PlusColumn == "" }

// String writes the binding as ParseMap reads it.
func (l LeaseBinding) String() string {
	switch {
	case l.PlusColumn != "":
		return l.Column + "+" + l.PlusColumn
	case l.Plus > 0:
		return l.Column + "+" + retention.FormatDuration(l.Plus)
	default:
		return l.Column
	}
}

// HeartbeatBinding is the column of the worker's last sign of life, how often
// it is written, and from when on its silence counts.
type HeartbeatBinding struct {
	Column string
	Every  time.Duration
	Limit  time.Duration
	// Join is set where the heartbeat is that of the owner, in another table;
	// Column is then empty.
	Join *HeartbeatJoin
}

// HeartbeatJoin finds an owner's heartbeat in another table: the row whose Key
// is the claim's owner. An owner without a row there is gone.
type HeartbeatJoin struct {
	Schema string // "" means the schema of the claim table
	Table  string
	Key    string
	Column string
	// UnownedGone: a claim without an owner is one whose owner's row was deleted.
	UnownedGone bool
}

// Mapped reports whether the table has heartbeats.
func (h HeartbeatBinding) Mapped() bool { return h.Column != "" || h.Join != nil }

// String names the column, or the table and column of a join.
func (h HeartbeatBinding) String() string {
	if h.Join != nil {
		return h.Join.Table + "." + h.Join.Column
	}
	return h.Column
}

// RunsNext says who runs the message again after a release.
type RunsNext string

// Who runs a released message. RunsNextUnknown: nobody told us.
const (
	RunsNextUnknown RunsNext = ""
	RunsNextPoller  RunsNext = "poller"
	RunsNextBroker  RunsNext = "broker"
	RunsNextClient  RunsNext = "client"
	RunsNextNobody  RunsNext = "nobody"
)

// OwnerText is the owner's column, with its element where it is an array.
func (m Mapping) OwnerText() string {
	if m.OwnerElement == "" {
		return m.Owner
	}
	return m.Owner + "[" + m.OwnerElement + "]"
}

// Threshold is the age from which a claim without lease and heartbeat is stuck.
func (m Mapping) Threshold() time.Duration {
	if m.StaleAfter > 0 {
		return m.StaleAfter
	}
	return DefaultStaleAfter
}

// HeartbeatLimit is the silence from which a heartbeat is stale: the limit,
// else HeartbeatMisses intervals, else the threshold.
func (m Mapping) HeartbeatLimit() time.Duration {
	switch {
	case m.Heartbeat.Limit > 0:
		return m.Heartbeat.Limit
	case m.Heartbeat.Every > 0:
		return HeartbeatMisses * m.Heartbeat.Every
	default:
		return m.Threshold()
	}
}

// Ends reports whether a column holds the end of something, a lease or a
// record, and not the time at which something happened.
func (m Mapping) Ends(column string) bool {
	return column == m.ExpiresAt || column == m.Lease.Column && m.Lease.Plain()
}

// KeyNames returns the names of the key columns in key order.
func (m Mapping) KeyNames() []string {
	names := make([]string, len(m.Key))
	for i, k := range m.Key {
		names[i] = k.Column
	}
	return names
}

// Columns returns every mapped column once: key, state, times and the rest.
func (m Mapping) Columns() []string {
	var out []string
	add := func(names ...string) {
		for _, n := range names {
			if n != "" && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	add(m.KeyNames()...)
	add(m.State.Column)
	for _, s := range StateOrder {
		for _, rule := range m.State.Rules[s] {
			add(rule.Columns()...)
		}
	}
	add(m.Owner, m.Token, m.Attempts, m.ClaimedAt, m.Lease.Column, m.Lease.PlusColumn, m.Heartbeat.Column)
	add(m.Advisory.Columns()...)
	add(m.CompletedAt, m.FailedAt, m.ExpiresAt, m.UpdatedAt, m.ProviderKey)
	for _, r := range m.Releases {
		add(r.columns()...)
	}
	return out
}

// The elements of an array that can be the owner.
const (
	FirstElement = "first"
	LastElement  = "last"
)
