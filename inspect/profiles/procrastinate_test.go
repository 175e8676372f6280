package profiles_test

import (
	"strings"
	"testing"

	"idemtui/inspect"
)

// All of the dead are released at once; a job whose queueing lock another one
// has taken meanwhile fails alone, in the database's words.
func TestR13_ProcrastinateRetriesEachJobByItsOwnFunction(t *testing.T) {
	db, s := fixture(t, "procrastinate")
	table := resolve(t, s, inspect.Target{})
	plan, err := s.Plan(t.Context(), table, inspect.PlanRequest{AllLikelyDead: true})
	if err != nil || len(plan.Rows) != 2 || !strings.Contains(plan.SQL, "procrastinate_retry_job_v2\"(d.k1::\"pg_catalog\".\"int8\", now(), NULL, NULL, NULL)") {
		t.Fatalf("%d rows (%v) by %s: %v", len(plan.Rows), plan.Refused, plan.SQL, err)
	}
	db.Exec("INSERT INTO procrastinate_jobs (queue_name, task_name, queueing_lock) SELECT 'mail', 'charge', 'charge-1' FROM (SELECT setval('procrastinate_jobs_id_seq', 100)) s")
	audit := &memory{}
	r, err := s.Release(t.Context(), table, plan, inspect.ReleaseOptions{Auditor: audit, Reason: "test"})
	if err != nil || len(r.Released) != 1 || r.Released[0].String() != "3" || len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Error, "duplicate key") {
		t.Fatalf("released %v, skipped %v, failed %v: %v", r.Released, r.Skipped, r.Failed, err)
	}
	if got := db.Text("SELECT string_agg(concat_ws(' ', id, status, attempts), ', ' ORDER BY id) FROM procrastinate_jobs WHERE id IN (1, 2, 3, 7)"); got != "1 doing 0, 2 doing 0, 3 todo 4, 7 doing 0" {
		t.Errorf("jobs: %s", got)
	}
	db.Exec("DROP FUNCTION procrastinate_retry_job_v2")
	if _, err := s.Plan(t.Context(), table, inspect.PlanRequest{AllLikelyDead: true}); err == nil || !strings.Contains(err.Error(), "no function \"public\".\"procrastinate_retry_job_v2\" that takes 5 arguments") {
		t.Errorf("without the function: %v", err)
	}
}
