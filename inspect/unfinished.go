package inspect

import (
	"context"
	"fmt"
)

// OutcomeMovedOn is the end of a batch of which nobody noted the end, and whose
// rows have all been written since: there is nothing to put back.
const OutcomeMovedOn OutcomeStatus = "moved-on"

// Rereader is a Store that can read rows as an audit record has them.
type Rereader interface {
	// Reread reads the recorded columns of rows as they are now; a row that is
	// not there is missing in the result. All rows have the same columns.
	Reread(ctx context.Context, table Table, rows []AuditRow) (map[Key][]ColumnValue, error)
}

// EndOf finds out how a batch ended of which nobody noted the end, from its rows
// as they are now. A batch is one transaction: one row that is still as the
// write left it, or as it was before, tells of all.
func EndOf(batch Intent, now map[Key][]ColumnValue) Outcome {
	end := Outcome{Batch: batch.Batch, Status: OutcomeMovedOn}
	written, before, absent := 0, 0, 0
	for _, row := range batch.Rows {
		image, there := now[row.Key]
		switch {
		case !there && row.After == nil:
			absent++
		case there && row.After != nil && sameImage(image, row.After):
			written++
		case there && row.Before != nil && sameImage(image, row.Before), !there && row.Before == nil:
			before++
		}
	}
	switch {
	case before > 0:
		end.Status, end.Error = OutcomeRolledBack, "interrupted before the commit: nothing was changed"
	case written > 0:
		end.Status, end.Error = OutcomeCommitted, "interrupted after the commit"
	case absent > 0:
		// A worker may have removed a row that the batch did not.
		end.Status, end.Error = OutcomeCommitted, "interrupted; its rows are gone, as the batch would have left them"
	default:
		end.Error = "interrupted; its rows have been written since, so that it no longer shows"
	}
	if end.Status == OutcomeCommitted {
		for _, row := range batch.Rows {
			end.Released = append(end.Released, row.Key)
		}
	}
	return end
}

func sameImage(a, b []ColumnValue) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Column != b[i].Column || (a[i].Value == nil) != (b[i].Value == nil) || (a[i].Value != nil && *a[i].Value != *b[i].Value) {
			return false
		}
	}
	return true
}

// EndText says how an interrupted operation ended, from the ends of its batches.
func EndText(ends []Outcome) string {
	written, moved := 0, 0
	for _, end := range ends {
		switch end.Status {
		case OutcomeCommitted:
			written += len(end.Released)
		case OutcomeMovedOn:
			moved++
		}
	}
	switch {
	case written > 0 && moved > 0:
		return fmt.Sprintf("%s written, and others have changed since", plural(int64(written), "row"))
	case written > 0:
		return fmt.Sprintf("it was committed: %s written", plural(int64(written), "row"))
	case moved > 0:
		return "its rows have been written since, so there is nothing to put back"
	default:
		return "it was not committed: nothing was changed"
	}
}
