package inspect

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"
)

// ColumnValue is one column of a row as text, exactly as the database writes
// it under UTC and ISO settings.
type ColumnValue struct {
	Column string
	Value  *string
}

// columnValueJSON keeps bytes that are no UTF-8 as hex: a plan is compared
// with them, and an undo writes them back.
type columnValueJSON struct {
	Column string  `json:"column"`
	Value  *string `json:"value"`
	Hex    string  `json:"hex,omitempty"`
}

// MarshalJSON writes the exact value, for plan and audit files.
func (c ColumnValue) MarshalJSON() ([]byte, error) {
	out := columnValueJSON{Column: c.Column, Value: c.Value}
	if c.Value != nil && !utf8.ValidString(*c.Value) {
		out.Value, out.Hex = nil, hex.EncodeToString([]byte(*c.Value))
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *ColumnValue) UnmarshalJSON(data []byte) error {
	var in columnValueJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("read column: %w", err)
	}
	*c = ColumnValue{Column: in.Column, Value: in.Value}
	if in.Hex != "" {
		b, err := hex.DecodeString(in.Hex)
		if err != nil {
			return fmt.Errorf("read column: %w", err)
		}
		value := string(b)
		c.Value = &value
	}
	return nil
}

// Claim is one row of a claim table, and, after Judge, what we think of it.
// It is a value: nothing in it changes after it was made.
type Claim struct {
	Database string // id of the database, see Database.ID
	Key      Key
	State    State
	RawState string // the state as stored, or the words of the null-ness rule

	Owner    Null[string]
	Token    Null[string] // as text: tokens may pass 2^53
	Attempts Null[int64]

	// ProviderKey is the idempotency key that the charge was sent under.
	ProviderKey Null[string]

	ClaimedAt   Stamp
	LeaseUntil  Stamp
	HeartbeatAt Stamp
	CompletedAt Stamp
	FailedAt    Stamp
	ExpiresAt   Stamp
	// UpdatedAt is the row's last write, where a column says so. It takes no part in
	// the verdict: a write may be anybody's.
	UpdatedAt Stamp

	// Age is the time since ClaimedAt, Lapsed the time since LeaseUntil; both
	// only where that instant lies in the past by the database's clock.
	Age    Null[time.Duration]
	Lapsed Null[time.Duration]

	Condition     Condition
	Verdict       Verdict
	Evidence      []Evidence
	FreesItselfAt Stamp
	Notes         []string
	// GoneSince is the first look at which the owner's session was gone, if it
	// has been gone at every look since.
	GoneSince Stamp

	// OwnerAbsent: the owner has no row in the table of the owners' heartbeats.
	OwnerAbsent bool
	// UnlockedSince is the first look at which nobody held the row's lock, if
	// nobody has at every look since; only of tables whose workers hold it.
	UnlockedSince Stamp

	// Repeated marks a key that stands on more than one row, which a table
	// without a unique constraint allows.
	Repeated bool
	// AsRead holds every mapped column, in table order, as it was read; it is
	// what the guard of a release compares. The claims of a Snapshot have none. The engine's row version (xmin)
	// is in RowVersion, or absent where the role may not read it.
	AsRead     []ColumnValue
	RowVersion Null[string]
}

// Stamps returns the claim's times by their names in JSON, in their order.
func (c Claim) Stamps() []NamedStamp {
	return []NamedStamp{
		{"claimed_at", c.ClaimedAt},
		{"lease_until", c.LeaseUntil},
		{"heartbeat_at", c.HeartbeatAt},
		{"completed_at", c.CompletedAt},
		{"failed_at", c.FailedAt},
		{"expires_at", c.ExpiresAt},
	}
}

// NamedStamp is a time with its name in JSON.
type NamedStamp struct {
	Name  string
	Stamp Stamp
}

// AloneBecause says why this claim may only be released on its own, never in
// bulk: an invalid or future time, a NULL or a repeated key. "" means it may.
func (c Claim) AloneBecause() string {
	switch {
	case c.Key.HasNull():
		return "its key holds a NULL"
	case c.Repeated:
		return "its key stands on more than one row"
	case c.Condition == ConditionInvalidTime:
		return "one of its times is no time"
	case c.Condition == ConditionFuture:
		return "it was claimed or beaten in the future"
	default:
		return ""
	}
}
