package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"idemtui/inspect"
)

// ErrNotFound says that no record has the audit id asked for.
var ErrNotFound = errors.New("no audit record has this id")

// Past is one operation as its lines tell it.
type Past struct {
	ID   string
	Time time.Time // idemtui's clock at the first batch
	Person
	Action   inspect.Action
	Database string
	DBUser   string
	Table    string
	PlanID   string
	UndoOf   string
	Mode     inspect.ReleaseMode
	Reason   string
	SQL      string
	Batches  []Batch

	presence presence
}

// Batch is one transaction of an operation. Outcome is nil where none was
// written.
type Batch struct {
	Intent  inspect.Intent
	Time    time.Time // idemtui's clock at the intent
	Outcome *inspect.Outcome
}

// Rows are the rows that the operation changed, or may have changed: of a batch
// that committed those it released, of one without a known end all, of one
// rolled back none.
func (p Past) Rows() []inspect.AuditRow {
	var rows []inspect.AuditRow
	for _, batch := range p.Batches {
		switch {
		case !batch.Known():
			rows = append(rows, batch.Intent.ToUndo()...)
		case batch.Outcome.Status == inspect.OutcomeCommitted:
			released := make(map[inspect.Key]bool, len(batch.Outcome.Released))
			for _, key := range batch.Outcome.Released {
				released[key] = true
			}
			for _, row := range batch.Intent.ToUndo() {
				if released[row.Key] {
					rows = append(rows, row)
				}
			}
		}
	}
	return rows
}

// Known tells whether it is recorded how the batch ended.
func (b Batch) Known() bool {
	return b.Outcome != nil && b.Outcome.Status != inspect.OutcomeUnknown
}

// History is what a folder's files tell, oldest operation first.
type History struct {
	Operations []Past
	// Damaged are the lines that cannot be read, as FILE:LINE. A line cut off at
	// the end of a file is one of a batch that was never committed.
	Damaged []string
}

// commitTime is how long a batch may stand between intent and outcome without
// being reported where it cannot be told whether it is at work: most likely it
// is.
const commitTime = time.Minute

// Unfinished are the operations with a batch of which it is not known how it
// ended, although nobody is at work on it. An undo that committed settles them.
func (h History) Unfinished(now time.Time) []Past {
	undone := map[string]bool{}
	for _, past := range h.Operations {
		if slices.ContainsFunc(past.Batches, func(b Batch) bool { return b.Known() && b.Outcome.Status == inspect.OutcomeCommitted }) {
			undone[past.UndoOf] = true
		}
	}
	var found []Past
	for _, past := range h.Operations {
		if !undone[past.ID] && slices.ContainsFunc(past.Batches, func(b Batch) bool { return past.over(b, now) && !b.Known() }) {
			found = append(found, past)
		}
	}
	return found
}

// over: nobody is at work on the batch any more.
func (p Past) over(b Batch, now time.Time) bool {
	switch {
	case b.Outcome != nil, p.presence == presenceDead:
		return true
	case p.presence == presenceAlive:
		return false
	default:
		return now.Sub(b.Time) > commitTime
	}
}

// AtWork reports whether somebody may be at work on the operation.
func (p Past) AtWork(now time.Time) bool {
	return slices.ContainsFunc(p.Batches, func(b Batch) bool { return !p.over(b, now) })
}

// Find returns the operation with an audit id, or ErrNotFound.
func (h History) Find(id string) (Past, error) {
	for _, past := range h.Operations {
		if past.ID == id {
			return past, nil
		}
	}
	return Past{}, fmt.Errorf("%w: %s", ErrNotFound, id)
}

// Read reads the files of a folder from a day on; the zero time reads all. A
// folder that does not exist has no history.
func Read(path string, since time.Time) (History, error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return History{}, nil
	}
	if err != nil {
		return History{}, fault(fmt.Sprintf("the audit folder %s cannot be read (%s)", path, cause(err)), "name it with --audit-dir", err)
	}
	r := reader{byID: map[string]*Past{}}
	for _, entry := range entries { // sorted by name, which is by day
		name := entry.Name()
		if !strings.HasPrefix(name, "audit-") || !strings.HasSuffix(name, ".jsonl") || (!since.IsZero() && name < fileName(since)) {
			continue
		}
		if err := r.file(filepath.Join(path, name)); err != nil {
			return History{}, fault(fmt.Sprintf("the audit file %s cannot be read (%s)", filepath.Join(path, name), cause(err)), "see its owner and permissions", err)
		}
	}
	history := History{Damaged: r.damaged}
	for _, id := range r.order {
		past := *r.byID[id]
		if slices.ContainsFunc(past.Batches, func(b Batch) bool { return b.Outcome == nil }) {
			past.presence = presenceOf(path, id)
		}
		history.Operations = append(history.Operations, past)
	}
	return history, nil
}

// reader joins lines to operations.
type reader struct {
	byID    map[string]*Past
	order   []string
	damaged []string
}

// file reads one day's file. Lines may be long: a batch holds up to a thousand
// whole rows.
func (r *reader) file(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	for number := 1; ; number++ {
		content, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(content) > 0 && !r.line(content) {
			r.damaged = append(r.damaged, fmt.Sprintf("%s:%d", filepath.Base(path), number))
		}
		if err != nil {
			return nil
		}
	}
}

// line takes in one line and tells whether it could be read.
func (r *reader) line(content []byte) bool {
	var head line
	if json.Unmarshal(content, &head) != nil || head.Schema != Schema || head.ID == "" {
		return false
	}
	switch head.Kind {
	case kindIntent:
		var record intentLine
		at, err := time.Parse(time.RFC3339Nano, head.Time)
		if err != nil || json.Unmarshal(content, &record) != nil {
			return false
		}
		r.intent(record, at)
	case kindOutcome:
		var record outcomeLine
		if json.Unmarshal(content, &record) != nil {
			return false
		}
		return r.outcome(record)
	}
	return true
}

func (r *reader) intent(record intentLine, at time.Time) {
	past, known := r.byID[record.ID]
	if !known {
		i := record.Intent
		past = &Past{
			ID: record.ID, Time: at, Person: record.Person, Action: i.Action, Database: i.Database, DBUser: i.DBUser, Table: i.Table,
			PlanID: i.PlanID, UndoOf: i.UndoOf, Mode: i.Mode, Reason: i.Reason, SQL: i.SQL,
		}
		r.byID[record.ID] = past
		r.order = append(r.order, record.ID)
	}
	past.Batches = append(past.Batches, Batch{Intent: record.Intent, Time: at})
}

// outcome joins an outcome to its batch. One whose intent lies in a file that
// was not read, or was removed, is of no use but no damage either.
func (r *reader) outcome(record outcomeLine) bool {
	past, known := r.byID[record.ID]
	if !known {
		return true
	}
	for i := range past.Batches {
		if past.Batches[i].Intent.Batch == record.Batch {
			outcome := record.Outcome
			past.Batches[i].Outcome = &outcome
		}
	}
	return true
}
