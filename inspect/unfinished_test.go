package inspect

import "testing"

func TestEndOf(t *testing.T) {
	a, b := TextKey("k", "a"), TextKey("k", "b")
	was, left, other := image("st", "P", "own", "w1"), image("st", "F", "own", "NULL"), image("st", "P", "own", "w2")
	update := []AuditRow{{Key: a, Before: was, After: left}, {Key: b, Before: was, After: left}}
	deletion := []AuditRow{{Key: a, Before: was}, {Key: b, Before: was}}
	insertion := []AuditRow{{Key: a, After: was}}
	for name, c := range map[string]struct {
		rows     []AuditRow
		now      map[Key][]ColumnValue
		want     OutcomeStatus
		released int
	}{
		"as the write left them":      {update, map[Key][]ColumnValue{a: left, b: left}, OutcomeCommitted, 2},
		"one still shows the commit":  {update, map[Key][]ColumnValue{a: other, b: left}, OutcomeCommitted, 2},
		"as they were":                {update, map[Key][]ColumnValue{a: was, b: was}, OutcomeRolledBack, 0},
		"one still as it was":         {update, map[Key][]ColumnValue{a: other, b: was}, OutcomeRolledBack, 0},
		"all written since":           {update, map[Key][]ColumnValue{a: other, b: other}, OutcomeMovedOn, 0},
		"one gone, one written since": {update, map[Key][]ColumnValue{a: other}, OutcomeMovedOn, 0},
		"deleted":                     {deletion, nil, OutcomeCommitted, 2},
		"not deleted":                 {deletion, map[Key][]ColumnValue{a: was}, OutcomeRolledBack, 0},
		"deleted, one is back":        {deletion, map[Key][]ColumnValue{a: other}, OutcomeCommitted, 2},
		"put back":                    {insertion, map[Key][]ColumnValue{a: was}, OutcomeCommitted, 1},
		"not put back":                {insertion, nil, OutcomeRolledBack, 0},
	} {
		got := EndOf(Intent{Batch: 7, Rows: c.rows}, TransactionUnknown, c.now)
		if got.Status != c.want || len(got.Released) != c.released || got.Batch != 7 {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}

// A worker may leave a row exactly as a release would have: what the server
// says of the transaction counts for more than the rows.
func TestEndOfBelievesTheServer(t *testing.T) {
	a := TextKey("k", "a")
	was, left := image("st", "P"), image("st", "F")
	rows := []AuditRow{{Key: a, Before: was, After: left}}
	for status, want := range map[TransactionStatus]OutcomeStatus{
		TransactionCommitted: OutcomeCommitted, TransactionAborted: OutcomeRolledBack, TransactionInProgress: OutcomeUnknown,
	} {
		for _, now := range []map[Key][]ColumnValue{{a: was}, {a: left}, {a: image("st", "D")}, nil} {
			if got := EndOf(Intent{Rows: rows}, status, now); got.Status != want || (len(got.Released) == 1) != (want == OutcomeCommitted) {
				t.Errorf("%s: %+v, want %s", status, got, want)
			}
		}
	}
}

func TestEndText(t *testing.T) {
	committed := Outcome{Status: OutcomeCommitted, Released: []Key{TextKey("k", "a"), TextKey("k", "b")}}
	for want, ends := range map[string][]Outcome{
		"it was committed: 2 rows written":                                  {committed, {Status: OutcomeRolledBack}},
		"it was not committed: nothing was changed":                         {{Status: OutcomeRolledBack}},
		"2 rows written, and others have changed since":                     {committed, {Status: OutcomeMovedOn}},
		"its rows have been written since, so there is nothing to put back": {{Status: OutcomeMovedOn}},
		"the server is still at work on it; look again":                     {committed, {Status: OutcomeUnknown}},
	} {
		if got := EndText(ends); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
