package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"idemtui/inspect"
	"idemtui/inspect/audit"
)

// auditLog is the audit folder as commands and the screen use it: open while
// something may be written.
type auditLog struct {
	path    string
	folder  *audit.Folder
	columns []string // what is kept of each row; none means all
}

// stateFolder is where audit files and plans are kept.
func (a *app) stateFolder(shared *inspectFlags) (string, error) {
	if shared.auditDir != "" {
		return shared.auditDir, nil
	}
	return audit.DefaultFolder(a.getenv)
}

// openAudit opens the folder for writing. Where that fails nothing may be
// released.
func (a *app) openAudit(shared *inspectFlags, table inspect.Table) (*auditLog, error) {
	path, err := a.stateFolder(shared)
	if err != nil {
		return nil, err
	}
	folder, err := audit.Open(path, a.now, audit.Me(a.getenv))
	if err != nil {
		return nil, err
	}
	log := &auditLog{path: path, folder: folder}
	if shared.auditRow == auditRowMapped {
		log.columns = table.Mapping.Columns()
		if result := table.Mapping.Result; result != "" {
			log.columns = append(log.columns, result) // a settle writes it, and undo needs it
		}
	}
	return log, nil
}

// Begin opens the record of one release or undo.
func (l *auditLog) Begin() (inspect.Auditor, error) { return l.folder.Begin(l.columns...), nil }

// Rows are the rows that an operation changed, for its undo.
func (l *auditLog) Rows(id string) ([]inspect.AuditRow, error) {
	past, err := findAudit(l.path, id)
	if err != nil {
		return nil, err
	}
	return past.Rows(), nil
}

// findAudit finds one operation in the audit files.
func findAudit(path, id string) (audit.Past, error) {
	history, err := audit.Read(path, time.Time{})
	if err != nil {
		return audit.Past{}, err
	}
	past, err := history.Find(id)
	if errors.Is(err, audit.ErrNotFound) {
		return past, failure(fmt.Errorf("no audit record in %s has the id %q", path, id), "give its folder with --audit-dir")
	}
	return past, err
}

// reportedDays is how far back an operation without a known end is reported:
// long enough for a weekend, and few files to read.
const reportedDays = 7

// firstFew names at most three of many.
func firstFew(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}
