package inspect

import "time"

// ReleaseMode is the shape of the write that makes a claim processable again.
type ReleaseMode string

// The release modes. ReleaseAuto is resolved to another by the plan.
const (
	ReleaseAuto    ReleaseMode = "auto"
	ReleaseDelete  ReleaseMode = "delete"
	ReleaseClear   ReleaseMode = "clear"
	ReleaseRequeue ReleaseMode = "requeue"
	ReleaseFail    ReleaseMode = "fail"
	ReleaseExpire  ReleaseMode = "expire"
	ReleaseMove    ReleaseMode = "move"
	ReleaseCall    ReleaseMode = "call"
)

// MaxBatch is how many rows one transaction of a release may touch.
const MaxBatch = 1000

// Reason says why a claim of a plan was not released.
type Reason string

// The reasons, in the order in which they are tried.
const (
	ReasonGone         Reason = "gone"
	ReasonDone         Reason = "done"
	ReasonFailed       Reason = "failed"
	ReasonClaimedAgain Reason = "claimed-again"
	ReasonLocked       Reason = "locked"
	ReasonLeaseRunning Reason = "lease-running"
	ReasonRenewed      Reason = "renewed"
	ReasonAlive        Reason = "alive"
	ReasonChanged      Reason = "changed"
)

// PlanRequest says what a release is asked to cover: keys, or all claims of
// one owner, or all that are likely dead. Exactly one of the three is given.
type PlanRequest struct {
	Keys          []Key
	Owner         Null[string]
	AllLikelyDead bool
	Mode          ReleaseMode
	// Bulk: the keys were not chosen one by one (they come from a file), so that
	// what may only be released on its own is left out.
	Bulk bool
	// OverrideLease lifts the running lease, and nothing else, of one key.
	OverrideLease bool
	// Before is an earlier look, for verdicts that need two.
	Before *Look
	// Known is as in Query; the store sets it.
	Known *Look
}

// Plan is what a release would do, with the rows as they were read. It
// changes nothing by itself and can be kept in a file: all fields survive JSON.
type Plan struct {
	ID            string       `json:"id"`
	Database      string       `json:"database"`
	Table         string       `json:"table"` // SCHEMA.NAME
	Mode          ReleaseMode  `json:"mode"`
	OverrideLease bool         `json:"override_lease,omitempty"`
	SQL           string       `json:"sql"`
	Consequence   []string     `json:"consequence"`
	RunsNext      RunsNext     `json:"runs_next"`
	ReadAt        time.Time    `json:"read_at"` // the database's clock
	Rows          []PlannedRow `json:"rows"`
	// Refused are claims that were asked for and are not in Rows.
	Refused []Skip `json:"refused,omitempty"`
	// Answers are those of a settle, one for each key asked for, also of the
	// refused ones; none in a release.
	Answers []KeyAnswer `json:"answers,omitempty"`
}

// Count is how many rows the plan would release.
func (p Plan) Count() int { return len(p.Rows) }

// Preview is the result of a plan that was only printed.
func (p Plan) Preview() Result { return Result{Plan: p, Skipped: p.Refused} }

// PlannedRow is one claim as the plan read it.
type PlannedRow struct {
	Key        Key           `json:"key"`
	AsRead     []ColumnValue `json:"as_read"`
	RowVersion *string       `json:"row_version,omitempty"`
	Owner      *string       `json:"owner,omitempty"`
	Verdict    Verdict       `json:"verdict"`
	Condition  Condition     `json:"condition"`
	// Unknown is what is known about the charge: never that it happened.
	Unknown string `json:"unknown,omitempty"`
	// With are rows of other tables that are released with the claim, as read.
	With []OtherRow `json:"with,omitempty"`
	// Settlement is the provider's answer, in the plan of a settle.
	Settlement *Settlement `json:"settlement,omitempty"`
}

// Skip is a claim that was not released, and why.
type Skip struct {
	Key    Key    `json:"key"`
	Reason Reason `json:"reason"`
	Text   string `json:"text"`
}

// Failure is a claim whose write the database refused, in its own words.
type Failure struct {
	Key   Key    `json:"key"`
	Error string `json:"error"`
}

// Result is the outcome of a release, per claim.
type Result struct {
	Plan     Plan
	Executed bool
	Released []Key
	Skipped  []Skip
	Failed   []Failure
	AuditID  string
	// Follow is what became of the released keys, where that was asked for.
	Follow *Follow
}

// Clean reports whether every claim of the plan was released.
func (r Result) Clean() bool { return len(r.Skipped) == 0 && len(r.Failed) == 0 }

// ReleaseOptions are how a plan is carried out.
type ReleaseOptions struct {
	Auditor Auditor
	Reason  string
	// AllowUnverified: the person accepted that the mapping was guessed, or
	// never tested on tables that the framework made.
	AllowUnverified bool
	// Rate bounds the released rows a second; 0 means no bound.
	Rate int
	// Progress, if set, is told after each batch how many rows are settled.
	Progress func(settled, total int)
}

// UndoRequest puts back what a release changed.
type UndoRequest struct {
	// AuditID is the record that is undone; Rows are its rows.
	AuditID string
	Rows    []AuditRow
	Auditor Auditor
	Reason  string
	// DryRun only says what would be restored.
	DryRun bool
}

// UndoResult is the outcome of an undo, per claim.
type UndoResult struct {
	Executed bool
	Restored []Key
	Skipped  []Skip
	Failed   []Failure
	AuditID  string
}

// Clean reports whether every row was restored.
func (r UndoResult) Clean() bool { return len(r.Skipped) == 0 && len(r.Failed) == 0 }
