package postgres

import (
	"strings"
	"testing"

	"idemtui/inspect"
	"idemtui/inspect/servertest"
)

// called is a database with graphile-worker's tables: worker-a holds job 1 of
// the queue mail, job 2 is free.
func called(t *testing.T) (*servertest.DB, *Store, inspect.Table) {
	t.Helper()
	db := servertest.Postgres(t)
	db.Exec(ddlOf(t, "graphile-worker"))
	db.Exec(`INSERT INTO graphile_worker._private_job_queues (queue_name, locked_at, locked_by) VALUES ('mail', now() - interval '5 hours', 'worker-a');
INSERT INTO graphile_worker._private_jobs (job_queue_id, task_id, locked_at, locked_by) VALUES (1, 1, now() - interval '5 hours', 'worker-a'), (NULL, 1, NULL, NULL)`)
	s := open(t, db.DSN())
	return db, s, resolve(t, s, inspect.Target{})
}

// A worker that claims under the same name while the framework's function runs
// keeps what it claimed: nobody has compared that row.
func TestR13_AJobClaimedWhileTheFrameworksFunctionRunsIsNotFreed(t *testing.T) {
	db, s, table := called(t)
	db.Exec(`ALTER FUNCTION graphile_worker.force_unlock_workers RENAME TO inner_unlock;
CREATE FUNCTION graphile_worker.force_unlock_workers(worker_ids text[]) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
 PERFORM pg_advisory_xact_lock(7); PERFORM graphile_worker.inner_unlock(worker_ids); END $$`)
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "1")})
	holder := db.Conn()
	if _, err := holder.Exec(t.Context(), "SELECT pg_advisory_lock(7)"); err != nil {
		t.Fatal(err)
	}
	type end struct {
		r   inspect.Result
		err error
	}
	done := make(chan end, 1)
	go func() {
		r, err := s.Release(t.Context(), table, p, inspect.ReleaseOptions{Auditor: &memoryAuditor{}, Reason: "test"})
		done <- end{r, err}
	}()
	eventually(t, "the function waits", func() bool {
		return db.Int("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())") == 1
	})
	db.Exec("UPDATE graphile_worker._private_jobs SET locked_at = now(), locked_by = 'worker-a' WHERE id = 2")
	if _, err := holder.Exec(t.Context(), "SELECT pg_advisory_unlock(7)"); err != nil {
		t.Fatal(err)
	}
	got := <-done
	if got.err != nil {
		t.Fatal(got.err)
	}
	equal(t, "released", names(got.r.Released), []string{"1"})
	if locked := db.Text("SELECT string_agg(id::text, ',') FROM graphile_worker._private_jobs WHERE locked_by IS NOT NULL"); locked != "2" {
		t.Errorf("locked afterwards: %s, want 2 alone", locked)
	}
}

func TestAFunctionThatWritesAnotherRowIsRolledBack(t *testing.T) {
	db, s, table := called(t)
	db.Exec(`CREATE OR REPLACE FUNCTION graphile_worker.force_unlock_workers(worker_ids text[]) RETURNS void LANGUAGE sql AS $$
 UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL; $$`)
	before := db.Text("SELECT string_agg(j::text, '|' ORDER BY id) FROM graphile_worker._private_jobs j")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "1")})
	a := &memoryAuditor{}
	_, err := s.Release(t.Context(), table, p, inspect.ReleaseOptions{Auditor: a, Reason: "test"})
	if f := wantFault(t, err, inspect.FaultRefused); !strings.Contains(f.What, "wrote 2 rows of graphile_worker._private_jobs where 1 were planned") {
		t.Errorf("it says %s", f.What)
	}
	if after := db.Text("SELECT string_agg(j::text, '|' ORDER BY id) FROM graphile_worker._private_jobs j"); after != before || len(a.intents) != 0 {
		t.Errorf("written all the same: %s, %d intents", after, len(a.intents))
	}
}
