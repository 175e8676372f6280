package audit

import (
	"context"
	"fmt"

	"idemtui/inspect"
)

// Operation records one release, settle or undo. It is an inspect.Auditor.
type Operation struct {
	folder *Folder
	id     string
	kept   map[string]bool
}

var _ inspect.Auditor = (*Operation)(nil)

// Begin starts the record of an operation under a new id; nothing is written
// yet. If columns are given, only those are kept of each row, which undo then
// cannot restore whole.
func (f *Folder) Begin(columns ...string) *Operation {
	o := &Operation{folder: f, id: newID(f.now())}
	if len(columns) > 0 {
		o.kept = map[string]bool{}
		for _, column := range columns {
			o.kept[column] = true
		}
	}
	return o
}

// Resume goes on with the record of an operation that was interrupted: its
// outcomes can be noted once they are known.
func (f *Folder) Resume(id string) *Operation { return &Operation{folder: f, id: id} }

// ID is the operation's audit id, such as 20261129-2017-abc234.
func (o *Operation) ID() string { return o.id }

// Intent writes what one batch is about to commit. When it returns nil the
// record is on disk; otherwise the batch must be rolled back.
func (o *Operation) Intent(ctx context.Context, intent inspect.Intent) error {
	intent.Rows = o.keep(intent.Rows)
	o.folder.mark(o.id)
	record := intentLine{line: o.line(kindIntent), Person: o.folder.person, Intent: intent}
	err := encodeIntent(record, func(content []byte) error { return o.write(ctx, content, true) })
	if err != nil {
		return fault(fmt.Sprintf("the audit record could not be written to %s (%s)", o.folder.path, cause(err)), "so the change was not made; make room there or give another folder with --audit-dir", err)
	}
	return nil
}

// Outcome writes what became of a batch.
func (o *Operation) Outcome(ctx context.Context, outcome inspect.Outcome) error {
	// A cancelled operation has an outcome too, and it must not be lost.
	// It is not waited for until it is on disk: should the machine crash before,
	// the rows tell how the batch ended.
	content, err := encodeOutcome(outcomeLine{line: o.line(kindOutcome), Outcome: outcome})
	if err == nil {
		err = o.write(context.WithoutCancel(ctx), content, false)
	}
	if err != nil {
		return fault(fmt.Sprintf("batch %d ended as %s, but the audit folder %s did not take its outcome (%s)", outcome.Batch, outcome.Status, o.folder.path, cause(err)), "keep this line with audit id "+o.id, err)
	}
	return nil
}

func (o *Operation) line(kind string) line {
	return line{Schema: Schema, Kind: kind, ID: o.id, Time: inspect.FormatTime(o.folder.now())}
}

// keep drops the columns that are not to be kept.
func (o *Operation) keep(rows []inspect.AuditRow) []inspect.AuditRow {
	if o.kept == nil {
		return rows
	}
	only := func(values []inspect.ColumnValue) []inspect.ColumnValue {
		var kept []inspect.ColumnValue
		for _, value := range values {
			if o.kept[value.Column] {
				kept = append(kept, value)
			}
		}
		return kept
	}
	kept := make([]inspect.AuditRow, len(rows))
	for i, row := range rows {
		kept[i] = inspect.AuditRow{Key: row.Key, Before: only(row.Before), After: only(row.After), Settlement: row.Settlement, With: row.With}
	}
	return kept
}

func (o *Operation) write(ctx context.Context, content []byte, durable bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return o.folder.append(content, durable)
}
