package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Target names the table to look at, as the person asked for it.
type Target struct {
	// Table is [SCHEMA.]NAME as typed; "" looks for a table of a known shape.
	Table   string
	Profile string
	// Map is the mapping by hand, as ParseMap made it; nil means recognise.
	Map        *Mapping
	StaleAfter time.Duration // 0: the profile's, else DefaultStaleAfter
	AssumeTZ   string        // zone of times without one; "" means UTC
	// ProviderKey and ProviderMemory are as in Mapping.
	ProviderKey    string
	ProviderMemory time.Duration
	// Hide names columns, in any case, that are never asked of the server: not on
	// request, and not for the audit record. The mapped ones must be read.
	Hide []string
}

// ShowOptions are how much of one claim is shown.
type ShowOptions struct {
	AllColumns bool
	Before     *Look
}

// Store is one database with claim tables. Its methods may be called from
// several goroutines; reads wait for each other, a release has its own
// connection. Errors that a person must act on are *Fault.
type Store interface {
	// Identity asks the server who and where it is.
	Identity(ctx context.Context) (Database, error)
	// Tables lists the tables that look like claim tables, best first.
	Tables(ctx context.Context) ([]Table, error)
	// Resolve finds the table and its mapping, and checks both.
	Resolve(ctx context.Context, target Target) (Table, error)
	// Snapshot looks once, in one read-only transaction.
	Snapshot(ctx context.Context, table Table, query Query) (Snapshot, error)
	// Show is everything about one claim; a missing key is a *Fault of
	// FaultNoRow.
	Show(ctx context.Context, table Table, key Key, options ShowOptions) (Detail, error)
	// Plan reads the claims asked for and says what a release would do.
	Plan(ctx context.Context, table Table, request PlanRequest) (Plan, error)
	// Release carries out a plan. The Result is meaningful even with an
	// error: batches before the error are done and audited.
	Release(ctx context.Context, table Table, plan Plan, options ReleaseOptions) (Result, error)
	// Undo puts back what a release changed and nobody touched since.
	Undo(ctx context.Context, table Table, request UndoRequest) (UndoResult, error)
	// Close cancels what runs and closes every connection.
	Close() error
}

// Auditor records one operation (a release or an undo), batch by batch.
type Auditor interface {
	// ID is the audit id of the operation; it is also in application_name.
	ID() string
	// Intent must have written and synced the record when it returns nil;
	// otherwise the batch is rolled back and nothing more is written.
	Intent(ctx context.Context, intent Intent) error
	// Outcome records what became of the batch.
	Outcome(ctx context.Context, outcome Outcome) error
}

// Action is what an audit record is about.
type Action string

// The audited actions.
const (
	ActionRelease Action = "release"
	ActionUndo    Action = "undo"
	ActionSettle  Action = "settle"
)

// Intent is what one batch is about to commit: the rows as locked.
type Intent struct {
	Action   Action      `json:"action"`
	Batch    int         `json:"batch"` // from 1
	At       time.Time   `json:"at"`    // the database's clock
	Database string      `json:"database"`
	DBUser   string      `json:"database_user"`
	Table    string      `json:"table"`
	PlanID   string      `json:"plan_id,omitempty"`
	UndoOf   string      `json:"undo_of,omitempty"`
	Mode     ReleaseMode `json:"mode,omitempty"`
	Reason   string      `json:"reason"`
	SQL      string      `json:"sql"`
	// Transaction is the server's id of it, by which it can be asked later what
	// became of it; "" where there is none.
	Transaction string     `json:"transaction,omitempty"`
	Rows        []AuditRow `json:"rows"`
}

// AuditRow is one row before and after the write, every readable column as
// text. After is nil for a deleted row, Before for an inserted one.
type AuditRow struct {
	Key    Key           `json:"key"`
	Before []ColumnValue `json:"before"`
	After  []ColumnValue `json:"after"`
	// Settlement is what the person said that the provider answered.
	Settlement *Settlement `json:"settlement,omitempty"`
	// With are the rows of other tables that were written with it.
	With []OtherRow `json:"with,omitempty"`
	// WrittenBy is the server's id of the transaction whose statement wrote the
	// row, where an undo may ask for it: see ToUndo.
	WrittenBy string `json:"-"`
}

// ToUndo are the rows of a batch with the transaction that wrote them. A
// framework's function may write in a subtransaction, which has another id.
func (i Intent) ToUndo() []AuditRow {
	rows := slices.Clone(i.Rows)
	for n := range rows {
		if i.Mode != ReleaseCall {
			rows[n].WrittenBy = i.Transaction
		}
	}
	return rows
}

// OutcomeStatus says how a batch ended.
type OutcomeStatus string

// The ends of a batch. Unknown: the connection was lost during the commit and
// the rows could not be read again.
const (
	OutcomeCommitted  OutcomeStatus = "committed"
	OutcomeRolledBack OutcomeStatus = "rolled-back"
	OutcomeUnknown    OutcomeStatus = "unknown"
)

// Outcome is what became of one batch.
type Outcome struct {
	Batch    int           `json:"batch"`
	Status   OutcomeStatus `json:"status"`
	Released []Key         `json:"released,omitempty"`
	Skipped  []Skip        `json:"skipped,omitempty"`
	Failed   []Failure     `json:"failed,omitempty"`
	Error    string        `json:"error,omitempty"`
}

// FaultKind sorts the errors that a person can act on.
type FaultKind string

// The kinds of faults.
const (
	FaultUnreachable     FaultKind = "unreachable"
	FaultLogin           FaultKind = "login"
	FaultUnknownDatabase FaultKind = "unknown-database"
	FaultUnknownTable    FaultKind = "unknown-table"
	FaultUnknownColumn   FaultKind = "unknown-column"
	FaultNotATable       FaultKind = "not-a-table"
	FaultNoKey           FaultKind = "no-key"
	FaultNotATime        FaultKind = "not-a-time"
	FaultMapping         FaultKind = "mapping"
	FaultAmbiguous       FaultKind = "ambiguous"
	FaultNoTable         FaultKind = "no-table"
	FaultPermission      FaultKind = "permission"
	FaultTimeout         FaultKind = "timeout"
	FaultLocked          FaultKind = "locked"
	FaultGone            FaultKind = "gone"
	FaultReadOnly        FaultKind = "read-only"
	FaultNoRow           FaultKind = "no-row"
	FaultRefused         FaultKind = "refused"
	FaultAudit           FaultKind = "audit"
	FaultServer          FaultKind = "server"
	FaultScan            FaultKind = "scan"
)

// Fault is an error for a person: what failed and what to do next, on one
// line. It never holds a password. Text of the server inside it is not
// sanitised: that happens where it is shown.
type Fault struct {
	Kind FaultKind
	What string
	Next string
	// Candidates are the choices of FaultAmbiguous and the near names of the
	// unknown-… kinds.
	Candidates []string
	Err        error
}

// Error is the whole line.
func (f *Fault) Error() string {
	line := f.What
	if f.Next != "" {
		line = fmt.Sprintf("%s; %s", f.What, f.Next)
	}
	return strings.Join(strings.Fields(line), " ")
}

// Unwrap returns the cause, if any.
func (f *Fault) Unwrap() error { return f.Err }
