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
	// Place is which of several databases this is, such as "1 of 2"; "" where
	// there is one.
	Place string
	// Export writes a list of claims to a new file and returns its path; without
	// it nothing can be exported.
	Export func(kind ExportKind, list inspect.Snapshot) (path string, err error)
	// Unseen is told, when the screen closes, what should outlive it: how a
	// write ended whose outcome could not be shown any more, and what became of
	// a release that was followed, and where exports are.
	Unseen func(text string)
}

// ExportKind is a form in which a list is exported.
type ExportKind int

// The exports: the list as the headless command prints it, or a CSV in which
// what the provider answered is to be filled in.
const (
	ExportCSV ExportKind = iota
	ExportJSON
	ExportAnswers
)

// Audit opens the record of an operation and reads one back.
type Audit interface {
	// Begin opens the record of one release or undo.
	Begin() (inspect.Auditor, error)
	// Rows are the rows that an operation changed, for its undo.
	Rows(id string) ([]inspect.AuditRow, error)
}
