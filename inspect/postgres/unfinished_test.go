package postgres

import (
	"testing"

	"idemtui/inspect"
)

func TestHowAnInterruptedBatchEndedIsReadFromItsRows(t *testing.T) {
	db, s, table := recommended(t, "('a', 'PROCESSING', 'w1', "+lapsed+"), ('b', 'PROCESSING', 'w1', "+lapsed+")")
	end := func(rows []inspect.AuditRow) inspect.Outcome {
		t.Helper()
		batch := inspect.Intent{Batch: 1, Rows: rows}
		status, now, err := s.Reread(t.Context(), table, batch)
		if err != nil {
			t.Fatal(err)
		}
		return inspect.EndOf(batch, status, now)
	}
	a := &memoryAuditor{}
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a", "b")})
	release(t, s, table, p, a)
	rows := a.rows()
	if got := end(rows); got.Status != inspect.OutcomeCommitted || len(got.Released) != 2 {
		t.Errorf("committed: %+v", got)
	}
	db.Exec("UPDATE processed_messages SET owner = 'w2'")
	if got := end(rows); got.Status != inspect.OutcomeMovedOn {
		t.Errorf("written since: %+v", got)
	}
	undone := []inspect.AuditRow{{Key: rows[0].Key, Before: rows[0].After, After: rows[0].Before}, {Key: rows[1].Key, Before: rows[1].After, After: rows[1].Before}}
	db.Exec("UPDATE processed_messages SET owner = NULL WHERE message_id = 'a'")
	if got := end(undone); got.Status != inspect.OutcomeRolledBack {
		t.Errorf("as it was: %+v", got)
	}
	db.Exec("DELETE FROM processed_messages")
	if got := end(rows); got.Status != inspect.OutcomeMovedOn {
		t.Errorf("gone: %+v", got)
	}
	rows[0].Before[1].Column = "no_such_column"
	_, _, err := s.Reread(t.Context(), table, inspect.Intent{Rows: rows})
	wantFault(t, err, inspect.FaultRefused)
}

func TestTheServerKnowsWhatBecameOfATransaction(t *testing.T) {
	db, s, table := recommended(t, "('a', 'PROCESSING', 'w1', "+lapsed+")")
	a := &memoryAuditor{}
	release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a")}), a)
	batch := a.intents[0]
	status := func(id string) inspect.TransactionStatus {
		t.Helper()
		batch.Transaction = id
		got, _, err := s.Reread(t.Context(), table, batch)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := status(batch.Transaction); batch.Transaction == "" || got != inspect.TransactionCommitted {
		t.Errorf("the release's own: %q is %q", batch.Transaction, got)
	}
	open, err := db.Conn().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var id string
	if err := open.QueryRow(t.Context(), "SELECT txid_current()::text").Scan(&id); err != nil {
		t.Fatal(err)
	}
	if got := status(id); got != inspect.TransactionInProgress {
		t.Errorf("an open one is %q", got)
	}
	if err := open.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := status(id); got != inspect.TransactionAborted {
		t.Errorf("one rolled back is %q", got)
	}
	for _, id := range []string{"", "3", "9000000000000"} { // none, long gone, never given out
		if got := status(id); got == inspect.TransactionAborted || got == inspect.TransactionInProgress {
			t.Errorf("transaction %q is %q", id, got)
		}
	}
}
