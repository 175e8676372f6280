package postgres

import (
	"strings"
	"testing"

	"idemtui/inspect"
)

const (
	queueNow = "SELECT coalesce(locked_by, '-') FROM graphile_worker._private_job_queues"
	jobNow   = "SELECT coalesce(locked_by, '-') FROM graphile_worker._private_jobs WHERE id = 1"
)

func TestACompanionThatChangedOrIsLockedKeepsItsClaim(t *testing.T) {
	for _, mode := range []inspect.ReleaseMode{inspect.ReleaseCall, inspect.ReleaseClear} {
		db, s, table := called(t)
		p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "1"), Mode: mode})
		if len(p.Rows) != 1 || len(p.Rows[0].With) != 1 {
			t.Fatalf("%s: planned %+v", mode, p.Rows)
		}
		db.Exec("UPDATE graphile_worker._private_job_queues SET locked_at = locked_at + interval '1 microsecond'")
		a := &memoryAuditor{}
		r := release(t, s, table, p, a)
		if len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0].Text, "what it holds in another table") || len(a.intents) != 0 || db.Text(jobNow) != "worker-a" {
			t.Errorf("%s, changed: %+v, the job is locked by %s", mode, r.Skipped, db.Text(jobNow))
		}
		p = plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "1"), Mode: mode})
		held, err := db.Conn().Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := held.Exec(t.Context(), "SELECT FROM graphile_worker._private_job_queues FOR UPDATE"); err != nil {
			t.Fatal(err)
		}
		if r = release(t, s, table, p, a); len(r.Skipped) != 1 || len(a.intents) != 0 || db.Text(jobNow) != "worker-a" {
			t.Errorf("%s, locked: %+v", mode, r.Skipped)
		}
		if err := held.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		r = release(t, s, table, p, a)
		equal(t, "released", names(r.Released), []string{"1"})
		if got := db.Text(queueNow); got != "-" {
			t.Errorf("%s: the queue is locked by %s", mode, got)
		}
		if rows := a.rows(); len(rows[0].With) != 1 || valueOf(rows[0].With[0].Before, "locked_by") == nil || valueOf(rows[0].With[0].After, "locked_by") != nil {
			t.Errorf("%s: recorded %+v", mode, rows[0].With)
		}
	}
}

func TestUndoPutsTheCompanionBackOrNothing(t *testing.T) {
	for _, mode := range []inspect.ReleaseMode{inspect.ReleaseCall, inspect.ReleaseClear} {
		db, s, table := called(t)
		a := &memoryAuditor{}
		release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "1"), Mode: mode}), a)
		db.Exec("UPDATE graphile_worker._private_job_queues SET locked_at = now(), locked_by = 'worker-b'")
		for _, dry := range []bool{true, false} {
			u, _ := undo(t, s, table, a, dry)
			if len(u.Restored) != 0 || len(u.Skipped) != 1 || !strings.Contains(u.Skipped[0].Text, "_private_job_queues has changed since") {
				t.Errorf("%s, dry %v: %+v", mode, dry, u)
			}
		}
		if job, queue := db.Text(jobNow), db.Text(queueNow); job != "-" || queue != "worker-b" {
			t.Errorf("%s: job %s, queue %s", mode, job, queue)
		}
		a = &memoryAuditor{}
		db.Exec("UPDATE graphile_worker._private_job_queues SET locked_at = now() - interval '5 hours', locked_by = 'worker-a'")
		db.Exec("UPDATE graphile_worker._private_jobs SET locked_at = now() - interval '5 hours', locked_by = 'worker-a' WHERE id = 1")
		release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "1"), Mode: mode}), a)
		u, second := undo(t, s, table, a, false)
		if len(u.Restored) != 1 || db.Text(jobNow) != "worker-a" || db.Text(queueNow) != "worker-a" {
			t.Errorf("%s: %+v, job %s, queue %s", mode, u, db.Text(jobNow), db.Text(queueNow))
		}
		// The undo is recorded whole too, and can itself be undone.
		if u, _ = undo(t, s, table, second, false); len(u.Restored) != 1 || db.Text(jobNow) != "-" || db.Text(queueNow) != "-" {
			t.Errorf("%s, undone again: %+v, job %s, queue %s", mode, u, db.Text(jobNow), db.Text(queueNow))
		}
	}
}

// The function would free a queue that no planned job holds.
func TestAFunctionThatFreesMoreOfACompanionTableIsRolledBack(t *testing.T) {
	db, s, table := called(t)
	db.Exec("INSERT INTO graphile_worker._private_job_queues (queue_name, locked_at, locked_by) VALUES ('other', now() - interval '5 hours', 'worker-a')")
	p := plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "1")})
	_, err := s.Release(t.Context(), table, p, inspect.ReleaseOptions{Auditor: &memoryAuditor{}, Reason: "test"})
	if f := wantFault(t, err, inspect.FaultRefused); !strings.Contains(f.What, "wrote 2 rows of graphile_worker._private_job_queues where 1 were planned") {
		t.Errorf("it says %s", f.What)
	}
	if n := db.Int("SELECT count(*) FROM graphile_worker._private_job_queues WHERE locked_by IS NOT NULL"); n != 2 {
		t.Errorf("%d queues are locked", n)
	}
}

// An undo of a deletion can be undone: the row goes again.
func TestUndoOfAnUndoOfADeletion(t *testing.T) {
	db, s, table := recommended(t, "('a', 'PROCESSING', 'w1', "+lapsed+"), ('b', 'PROCESSING', 'w1', "+lapsed+")")
	a := &memoryAuditor{}
	release(t, s, table, plan(t, s, table, inspect.PlanRequest{Keys: keyList(t, table, "a", "b"), Mode: inspect.ReleaseDelete}), a)
	_, second := undo(t, s, table, a, false)
	db.Exec("UPDATE processed_messages SET attempts = attempts + 1 WHERE message_id = 'b'")
	u, _ := undo(t, s, table, second, false)
	equal(t, "restored", names(u.Restored), []string{"a"})
	if got := db.Text("SELECT string_agg(message_id, ',') FROM processed_messages"); got != "b" || len(u.Skipped) != 1 {
		t.Errorf("left: %s, skipped %+v", got, u.Skipped)
	}
}
