package inspect

import (
	"context"
	"fmt"
)

// OutcomeMovedOn is the end of a batch of which nobody noted the end, and whose
// rows have all been written since: there is nothing to put back.
const OutcomeMovedOn OutcomeStatus = "moved-on"

// TransactionStatus is what the server knows of a transaction.
type TransactionStatus string

// What a server may say. TransactionUnknown: it keeps no such record, or not
// for so long.
const (
	TransactionUnknown    TransactionStatus = ""
	TransactionCommitted  TransactionStatus = "committed"
	TransactionAborted    TransactionStatus = "aborted"
	TransactionInProgress TransactionStatus = "in progress"
)

// Rereader is a Store that can find out how a batch ended.
type Rereader interface {
	// Reread asks what became of the transaction of a batch, and reads the
	// recorded columns of its rows as they are now; a row that is not there is
	// missing in the result.
	Reread(ctx context.Context, table Table, batch Intent) (TransactionStatus, map[Key][]ColumnValue, error)
}

// EndOf finds out how a batch ended of which nobody noted the end. What the
// server says of its transaction decides. Where it says nothing, the rows as
// they are now tell: a batch is one transaction, so that one row that is still
// as the write left it, or as it was before, tells of all.
func EndOf(batch Intent, status TransactionStatus, now map[Key][]ColumnValue) Outcome {
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
	case status == TransactionInProgress:
		end.Status, end.Error = OutcomeUnknown, "the server is still at work on it"
	case status == TransactionAborted:
		end.Status, end.Error = OutcomeRolledBack, "interrupted; the server rolled it back: nothing was changed"
	case status == TransactionCommitted:
		end.Status, end.Error = OutcomeCommitted, "interrupted after the commit"
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
	written, moved, open := 0, 0, 0
	for _, end := range ends {
		switch end.Status {
		case OutcomeUnknown:
			open++
		case OutcomeCommitted:
			written += len(end.Released)
		case OutcomeMovedOn:
			moved++
		}
	}
	switch {
	case open > 0:
		return "the server is still at work on it; look again"
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
