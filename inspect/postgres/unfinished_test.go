package postgres

import (
	"testing"

	"idemtui/inspect"
)

func TestHowAnInterruptedBatchEndedIsReadFromItsRows(t *testing.T) {
	db, s, table := recommended(t, "('a', 'PROCESSING', 'w1', "+lapsed+"), ('b', 'PROCESSING', 'w1', "+lapsed+")")
	end := func(rows []inspect.AuditRow) inspect.Outcome {
		t.Helper()
		now, err := s.Reread(t.Context(), table, rows)
		if err != nil {
			t.Fatal(err)
		}
		return inspect.EndOf(inspect.Intent{Batch: 1, Rows: rows}, now)
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
	_, err := s.Reread(t.Context(), table, rows)
	wantFault(t, err, inspect.FaultRefused)
}
