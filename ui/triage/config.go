// Package triage is the inspector's screen: the stuck claims of one table with
// the evidence about their workers, refreshed while one looks, and the dialogs
// that release a claim and take a release back. It knows no SQL and judges
// nothing: every word about a claim comes from package inspect.
package triage

import (
	"time"

	"idemtui/inspect"
)

// DefaultRefresh is how long the screen waits after an answer before it asks
// again.
const DefaultRefresh = 5 * time.Second

// Config is what the screen shows and what it may do.
type Config struct {
	// Store is the database; the caller closes it after the screen ended.
	Store inspect.Store
	// Database and Table are what the store resolved before the screen opened.
	Database inspect.Database
	Table    inspect.Table
	// Query says which rows are listed; All is set by the tabs.
	Query inspect.Query
	// Refresh is the pause between two looks; 0 means [DefaultRefresh].
	Refresh time.Duration
	// Mode is how the session starts.
	Mode inspect.Mode
	// ForbiddenBy says what forbids releasing where Mode is ModeForbidden,
	// such as "--read-only".
	ForbiddenBy string
	// AllowUnverified accepts a profile that was never tested on tables its
	// framework made; otherwise a person types it before the first release.
	AllowUnverified bool
	// Audit records what is written. Without it nothing can be released.
	Audit Audit
	// Unseen is told how a write ended whose outcome the screen could not show
	// any more, because it was closed in the middle.
	Unseen func(text string)
}

// Audit opens the record of an operation and reads one back.
type Audit interface {
	// Begin opens the record of one release or undo.
	Begin() (inspect.Auditor, error)
	// Rows are the rows that an operation changed, for its undo.
	Rows(id string) ([]inspect.AuditRow, error)
}
