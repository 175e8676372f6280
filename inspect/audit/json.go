package audit

import (
	"io"
	"time"

	"idemtui/inspect"
)

// ListSchema is the schema of what idemtui inspect audit prints.
const ListSchema = "idemtui.operations/v1"

// The ends of an operation as a whole. Partly: some batches were committed,
// some not. Interrupted: of some it is not known.
const (
	EndCommitted   = "committed"
	EndRolledBack  = "rolled-back"
	EndPartly      = "partly"
	EndMovedOn     = "moved-on"
	EndInterrupted = "interrupted"
	EndAtWork      = "at-work"
)

// End says how an operation ended as a whole.
func (p Past) End(now time.Time) string {
	seen := map[inspect.OutcomeStatus]int{}
	for _, b := range p.Batches {
		switch {
		case b.Known():
			seen[b.Outcome.Status]++
		case !p.over(b, now):
			return EndAtWork
		default:
			return EndInterrupted
		}
	}
	switch {
	case len(seen) > 1:
		return EndPartly
	case seen[inspect.OutcomeMovedOn] > 0:
		return EndMovedOn
	case seen[inspect.OutcomeCommitted] > 0:
		return EndCommitted
	default:
		return EndRolledBack
	}
}

// EncodeList writes idemtui.operations/v1; with rows, also each row with the
// values before and after. A key is written as on the command line.
func EncodeList(w io.Writer, operations []Past, now time.Time, rows bool) error {
	doc := listJSON{Schema: ListSchema, Operations: []pastJSON{}}
	for _, p := range operations {
		entry := pastJSON{
			ID: p.ID, Time: inspect.FormatTime(p.Time), Person: p.Person, Action: p.Action, Database: p.Database, DBUser: p.DBUser, Table: p.Table,
			PlanID: p.PlanID, UndoOf: p.UndoOf, Mode: p.Mode, Reason: p.Reason, End: p.End(now), Rows: len(p.Rows()), Batches: []batchJSON{},
		}
		for _, b := range p.Batches {
			entry.Batches = append(entry.Batches, newBatchJSON(b, rows))
		}
		doc.Operations = append(doc.Operations, entry)
	}
	return inspect.WriteJSON(w, doc)
}

type listJSON struct {
	Schema     string     `json:"schema"`
	Operations []pastJSON `json:"operations"`
}

type pastJSON struct {
	ID   string `json:"id"`
	Time string `json:"time"`
	Person
	Action   inspect.Action      `json:"action"`
	Database string              `json:"database"`
	DBUser   string              `json:"database_user"`
	Table    string              `json:"table"`
	PlanID   string              `json:"plan_id,omitempty"`
	UndoOf   string              `json:"undo_of,omitempty"`
	Mode     inspect.ReleaseMode `json:"mode,omitempty"`
	Reason   string              `json:"reason"`
	End      string              `json:"end"`
	Rows     int                 `json:"rows"`
	Batches  []batchJSON         `json:"batches"`
}

type batchJSON struct {
	Batch  int                    `json:"batch"`
	Mode   inspect.ReleaseMode    `json:"mode,omitempty"`
	Status *inspect.OutcomeStatus `json:"status"`
	Error  string                 `json:"error,omitempty"`
	SQL    string                 `json:"sql,omitempty"`
	Rows   []rowJSON              `json:"rows,omitempty"`
}

type rowJSON struct {
	Key        string              `json:"key"`
	Settlement *inspect.Settlement `json:"settlement,omitempty"`
	Before     map[string]*string  `json:"before"`
	After      map[string]*string  `json:"after"`
}

func newBatchJSON(b Batch, rows bool) batchJSON {
	out := batchJSON{Batch: b.Intent.Batch, Mode: b.Intent.Mode}
	if b.Outcome != nil {
		out.Status, out.Error = &b.Outcome.Status, b.Outcome.Error
	}
	if !rows {
		return out
	}
	out.SQL = b.Intent.SQL
	for _, row := range b.Intent.Rows {
		out.Rows = append(out.Rows, rowJSON{Key: row.Key.String(), Settlement: row.Settlement, Before: valuesOf(row.Before), After: valuesOf(row.After)})
	}
	return out
}

// valuesOf is nil for an image that does not exist.
func valuesOf(columns []inspect.ColumnValue) map[string]*string {
	if columns == nil {
		return nil
	}
	out := make(map[string]*string, len(columns))
	for _, c := range columns {
		out[c.Column] = c.Value
	}
	return out
}
