package postgres

import (
	"fmt"
	"testing"
	"time"

	"idemtui/inspect"
)

const stressAge = 40 * time.Millisecond

// stressFrameworks are the tables of the built-in profiles, with workers that
// write what the frameworks write.
func stressFrameworks(t *testing.T) []stressKind {
	t.Helper()
	return []stressKind{stressRiver(t), stressGraphile(t), stressWolverine(t), stressMassTransit(t), stressNServiceBus(t), stressCamel(t), stressProcrastinate(t), stressMoves(), stressShedLock(t)}
}

func stressRiver(t *testing.T) stressKind {
	return stressKind{
		name: "river", table: "river_job", key: column("id"), id: numbered(""), ddl: ddlOf(t, "river"), staleAfter: stressAge, settles: true,
		claim: `INSERT INTO river_job AS j (id, state, attempt, max_attempts, attempted_at, attempted_by, kind, args) SELECT id::bigint, 'running', 1, 25, now(), ARRAY[$2], 'k', '{}' FROM unnest($1::text[]) id
 ON CONFLICT (id) DO UPDATE SET state = 'running', attempt = (j.attempt + 1) % 30000, attempted_at = now(), attempted_by = j.attempted_by[1:3] || excluded.attempted_by, finalized_at = NULL
 WHERE j.state IN ('available', 'retryable', 'discarded') OR (j.state = 'running' AND j.attempted_at < now() - interval '40 milliseconds') AND $3::bigint > 0 RETURNING 'taken', attempt::bigint`,
		renew:    "SELECT @lease::bigint, @owner::text, @id::text, @token::bigint",
		complete: "UPDATE river_job SET state = 'completed', finalized_at = now() WHERE id = @id::text::bigint AND state = 'running' AND attempt = @token",
		fail:     "UPDATE river_job SET state = 'retryable' WHERE id = @id::text::bigint AND state = 'running' AND attempt = @token",
		forget:   "DELETE FROM river_job WHERE id = $1::text::bigint AND state = 'completed'",
		alive:    "OLD.state = 'running' AND OLD.attempted_at >= now() - interval '40 milliseconds'", done: "OLD.state <> 'running'",
		modes: []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseRequeue, inspect.ReleaseFail},
	}
}

// stressGraphile has jobs of named queues, which are locked with them, after
// them, as complete_job does: in another order workers would deadlock each other.
func stressGraphile(t *testing.T) stressKind {
	return stressKind{
		name: "graphile-worker", table: "graphile_worker._private_jobs", key: column("id"), id: func(n int) string { return fmt.Sprint(n + 1) }, staleAfter: stressAge,
		ddl: ddlOf(t, "graphile-worker") + `;
INSERT INTO graphile_worker._private_job_queues (queue_name) SELECT 'q' || n FROM generate_series(1, 5000) n;
CREATE FUNCTION take(ids bigint[], owner text) RETURNS SETOF bigint LANGUAGE sql AS $$
 INSERT INTO graphile_worker._private_jobs (id, task_id, job_queue_id) OVERRIDING SYSTEM VALUE SELECT id, 1, CASE WHEN id % 2 = 0 THEN id / 2 END FROM unnest(ids) id ON CONFLICT DO NOTHING;
 WITH free AS (SELECT id, job_queue_id FROM graphile_worker._private_jobs WHERE id = ANY (ids) AND (locked_at IS NULL OR locked_at < now() - interval '40 milliseconds') FOR UPDATE SKIP LOCKED),
 queue AS (UPDATE graphile_worker._private_job_queues SET locked_at = now(), locked_by = owner WHERE id IN (SELECT job_queue_id FROM free) RETURNING id)
 UPDATE graphile_worker._private_jobs SET locked_at = now(), locked_by = owner, attempts = (attempts + 1) % 20
  WHERE id IN (SELECT f.id FROM free f LEFT JOIN queue q ON q.id = f.job_queue_id WHERE f.job_queue_id IS NULL OR q.id IS NOT NULL) RETURNING id $$;
CREATE FUNCTION finish(job bigint, owner text, done bool) RETURNS SETOF bigint LANGUAGE sql AS $$
 SELECT FROM graphile_worker._private_jobs WHERE id = job FOR UPDATE;
 UPDATE graphile_worker._private_job_queues SET locked_at = NULL, locked_by = NULL WHERE id = job / 2 AND job % 2 = 0 AND locked_by = owner;
 UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL WHERE id = job AND locked_by = owner;
 DELETE FROM graphile_worker._private_jobs WHERE id = job AND locked_by IS NULL AND done RETURNING id $$`,
		claim:    "SELECT 'taken', take($1::text[]::bigint[], $2::text) WHERE $3::bigint > 0",
		renew:    "SELECT @lease::bigint, @owner::text, @id::text, @token::bigint",
		complete: "SELECT finish(@id::text::bigint, @owner, true)",
		fail:     "SELECT finish(@id::text::bigint, @owner, false)",
		forget:   "SELECT $1::text",
		alive:    "OLD.locked_at >= now() - interval '40 milliseconds'", done: "OLD.locked_at IS NULL",
		modes:    []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseCall, inspect.ReleaseClear},
		contrary: "SELECT count(*) FROM graphile_worker._private_jobs j JOIN graphile_worker._private_job_queues q ON q.id = j.job_queue_id WHERE j.locked_by IS DISTINCT FROM q.locked_by OR j.locked_at IS DISTINCT FROM q.locked_at",
	}
}

// stressWolverine has the heartbeats of its owners in another table.
func stressWolverine(t *testing.T) stressKind {
	return stressKind{
		name: "wolverine", table: "wolverine.wolverine_incoming_envelopes", key: column("id"), id: uuidOf, owner: numbered(""), heartbeatLimit: 45 * time.Millisecond, beats: true,
		ddl: ddlOf(t, "wolverine") + `;
INSERT INTO wolverine.wolverine_nodes (id, node_number, description, uri, health_check) SELECT gen_random_uuid(), n, 'd', 'u', now() FROM generate_series(1, 20) n;
CREATE FUNCTION beats(owner int) RETURNS bool STABLE LANGUAGE plpgsql AS $$ BEGIN
 RETURN owner IN (SELECT node_number FROM wolverine.wolverine_nodes WHERE health_check >= now() - interval '45 milliseconds'); END $$`,
		claim: `INSERT INTO wolverine.wolverine_incoming_envelopes AS e (id, status, owner_id, body, message_type) SELECT id::uuid, 'Incoming', $2::text::int, '', 'Charge' FROM unnest($1::text[]) id
 ON CONFLICT (id) DO UPDATE SET owner_id = excluded.owner_id, attempts = e.attempts + 1 WHERE e.status = 'Incoming' AND (e.owner_id = 0 OR NOT beats(e.owner_id)) AND $3::bigint > 0 RETURNING 'taken', 1::bigint`,
		renew:    "UPDATE wolverine.wolverine_nodes SET health_check = now() WHERE node_number = @owner::text::int",
		complete: "UPDATE wolverine.wolverine_incoming_envelopes SET status = 'Handled', keep_until = now() WHERE id = @id::text::uuid AND status = 'Incoming' AND owner_id = @owner::text::int",
		fail:     "UPDATE wolverine.wolverine_incoming_envelopes SET owner_id = 0 WHERE id = @id::text::uuid AND status = 'Incoming' AND owner_id = @owner::text::int",
		forget:   "DELETE FROM wolverine.wolverine_incoming_envelopes WHERE id = $1::text::uuid AND status = 'Handled'",
		beating:  "public.beats(OLD.owner_id)", done: "OLD.status <> 'Incoming' OR OLD.owner_id = 0",
		modes: []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseRequeue},
	}
}

// stressMassTransit has workers that hold the row's lock.
func stressMassTransit(t *testing.T) stressKind {
	return stressKind{
		name: "masstransit", table: `"InboxState"`, id: uuidOf, ddl: ddlOf(t, "masstransit"), staleAfter: stressAge,
		key: func(row string) string { return row + `."ConsumerId" || '/' || ` + row + `."MessageId"` },
		claim: `INSERT INTO "InboxState" ("MessageId", "ConsumerId", "LockId", "Received", "ReceiveCount") SELECT id::uuid, '00000000-0000-0000-0000-0000000000cc', gen_random_uuid(), now(), 0 FROM unnest($1::text[]) id
 WHERE $2::text IS NOT NULL AND $3::bigint > 0 ON CONFLICT DO NOTHING RETURNING 'taken', 1::bigint`,
		hold:     `SELECT FROM "InboxState" WHERE "MessageId" = $1::text::uuid AND "Consumed" IS NULL FOR UPDATE SKIP LOCKED`,
		complete: `UPDATE "InboxState" SET "LockId" = gen_random_uuid(), "Consumed" = now(), "Delivered" = now(), "ReceiveCount" = 3 WHERE "MessageId" = @id::text::uuid`,
		forget:   `DELETE FROM "InboxState" WHERE "MessageId" = $1::text::uuid AND "Delivered" IS NOT NULL`,
		alive:    `OLD."Consumed" IS NULL AND OLD."Received" >= now() - interval '40 milliseconds'`, done: `OLD."Consumed" IS NOT NULL`,
		modes: []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseDelete},
	}
}

func stressNServiceBus(t *testing.T) stressKind {
	return stressKind{
		name: "nservicebus", table: `"Billing_OutboxData"`, key: column(`"MessageId"`), ddl: ddlOf(t, "nservicebus"),
		claim:    `INSERT INTO "Billing_OutboxData" ("MessageId", "Operations") SELECT id, '[1]' FROM unnest($1::text[]) id WHERE $2::text IS NOT NULL AND $3::bigint > 0 ON CONFLICT DO NOTHING RETURNING 'taken', 1::bigint`,
		renew:    "SELECT @lease::bigint, @owner::text, @id::text, @token::bigint",
		complete: `UPDATE "Billing_OutboxData" SET "Dispatched" = true, "DispatchedAt" = now() AT TIME ZONE 'UTC', "Operations" = '[]' WHERE "MessageId" = @id AND NOT "Dispatched"`,
		fail:     `UPDATE "Billing_OutboxData" SET "PersistenceVersion" = '2' WHERE "MessageId" = @id AND NOT "Dispatched"`,
		forget:   `DELETE FROM "Billing_OutboxData" WHERE "MessageId" = $1 AND "Dispatched"`,
		done:     `OLD."Dispatched"`,
		modes:    []inspect.ReleaseMode{inspect.ReleaseDelete},
	}
}

func stressCamel(t *testing.T) stressKind {
	return stressKind{
		name: "camel", table: "camel_messageprocessed", ddl: ddlOf(t, "camel"), staleAfter: stressAge,
		key: func(row string) string { return "'charges/' || " + row + ".messageid" },
		claim: `INSERT INTO camel_messageprocessed (processorname, messageid, createdat) SELECT 'charges', id, now() AT TIME ZONE 'UTC' FROM unnest($1::text[]) id
 WHERE $2::text IS NOT NULL AND $3::bigint > 0 ON CONFLICT DO NOTHING RETURNING 'taken', 1::bigint`,
		renew:    "UPDATE camel_messageprocessed SET createdat = now() AT TIME ZONE 'UTC' WHERE messageid = @id",
		complete: "SELECT @lease::bigint, @owner::text, @id::text, @token::bigint",
		fail:     "DELETE FROM camel_messageprocessed WHERE messageid = @id",
		forget:   "DELETE FROM camel_messageprocessed WHERE messageid = $1",
		alive:    "OLD.createdat >= now() AT TIME ZONE 'UTC' - interval '40 milliseconds'",
		modes:    []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseDelete},
	}
}

// stressShedLock has locks alone, which only an override ends early.
func stressShedLock(t *testing.T) stressKind {
	const utc = "now() AT TIME ZONE 'UTC'"
	return stressKind{
		name: "shedlock", table: "shedlock", key: column("name"), ddl: ddlOf(t, "shedlock"), leases: true, single: true,
		claim: `INSERT INTO shedlock (name, lock_until, locked_at, locked_by) SELECT id, ` + utc + ` + $3::bigint * interval '200 milliseconds', ` + utc + `, $2 FROM unnest($1::text[]) id
 ON CONFLICT (name) DO UPDATE SET lock_until = excluded.lock_until, locked_at = excluded.locked_at, locked_by = excluded.locked_by WHERE shedlock.lock_until <= ` + utc + ` RETURNING 'taken', 1::bigint`,
		renew:    "UPDATE shedlock SET lock_until = " + utc + " + @lease::bigint * interval '1 millisecond' WHERE name = @id AND locked_by = @owner AND lock_until > " + utc,
		complete: "UPDATE shedlock SET lock_until = " + utc + " WHERE name = @id AND locked_by = @owner",
		fail:     "UPDATE shedlock SET lock_until = " + utc + " WHERE name = @id AND locked_by = @owner",
		forget:   "DELETE FROM shedlock WHERE name = $1 AND lock_until <= " + utc,
		lease:    "OLD.lock_until > " + utc, done: "OLD.lock_until <= " + utc,
		modes: []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseExpire},
	}
}

// stressProcrastinate has jobs that are released by a function, one by one.
func stressProcrastinate(t *testing.T) stressKind {
	return stressKind{
		name: "procrastinate", table: "procrastinate_jobs", key: column("id"), id: numbered(""), owner: numbered(""), heartbeatLimit: 45 * time.Millisecond, beats: true,
		ddl: ddlOf(t, "procrastinate") + `;
INSERT INTO procrastinate_workers (last_heartbeat) SELECT now() FROM generate_series(1, 120);
CREATE FUNCTION beats(owner bigint) RETURNS bool STABLE LANGUAGE plpgsql AS $$ BEGIN
 RETURN owner IN (SELECT id FROM procrastinate_workers WHERE last_heartbeat >= now() - interval '45 milliseconds'); END $$`,
		claim: `INSERT INTO procrastinate_jobs AS j (id, queue_name, task_name, status, worker_id) SELECT id::bigint, 'q', 't', 'doing', $2::text::bigint FROM unnest($1::text[]) id
 ON CONFLICT (id) DO UPDATE SET status = 'doing', worker_id = excluded.worker_id, attempts = j.attempts + 1 WHERE j.status = 'todo' OR (j.status = 'doing' AND NOT beats(j.worker_id)) AND $3::bigint > 0 RETURNING 'taken', 1::bigint`,
		renew:    "UPDATE procrastinate_workers SET last_heartbeat = now() WHERE id = @owner::text::bigint",
		complete: "UPDATE procrastinate_jobs SET status = 'succeeded', attempts = attempts + 1 WHERE id = @id::text::bigint AND status = 'doing' AND worker_id = @owner::text::bigint",
		fail:     "UPDATE procrastinate_jobs SET status = 'todo', attempts = attempts + 1 WHERE id = @id::text::bigint AND status = 'doing' AND worker_id = @owner::text::bigint",
		forget:   "DELETE FROM procrastinate_jobs WHERE id = $1::text::bigint AND status IN ('succeeded', 'failed')",
		beating:  "public.beats(OLD.worker_id)", done: "OLD.status <> 'doing'",
		modes: []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseCall, inspect.ReleaseFail},
	}
}

// stressMoves has claims that are rows of one table, and ready jobs as rows of
// another: each job is in exactly one of them.
func stressMoves() stressKind {
	return stressKind{
		name: "moved between tables", table: "claimed", key: column("job"), id: numbered(""), owner: numbered(""), heartbeatLimit: 45 * time.Millisecond, beats: true,
		profile: `schema: idemtui.profile/v1
name: moves
kind: K4
engines: [postgres]
support: verified
match: {require: [process, job, since], forbid: [queue], unique: [job]}
key: [{col: job}]
state: {when: {processing: row}}
claimed_at: since
owner: process
heartbeat: {join: {table: processes, key: id, col: beat}, limit: 5m}
release: [{name: back, mode: move, to: {table: ready, take: {job: job}, from: {table: jobs, on: {id: job}, take: {queue: queue}}, set: {since: now}}, consequence: it is ready again, preferred: true}]
`,
		ddl: `CREATE TABLE jobs (id bigint PRIMARY KEY, queue text NOT NULL);
CREATE TABLE processes (id bigint PRIMARY KEY, beat timestamptz NOT NULL);
CREATE TABLE claimed (job bigint PRIMARY KEY REFERENCES jobs, process bigint, since timestamptz NOT NULL DEFAULT now());
CREATE TABLE ready (job bigint PRIMARY KEY REFERENCES jobs, queue text NOT NULL, since timestamptz NOT NULL DEFAULT now());
INSERT INTO jobs SELECT n, 'q' FROM generate_series(0, 5000) n;
INSERT INTO ready SELECT id, queue FROM jobs;
INSERT INTO processes SELECT n, now() FROM generate_series(1, 20) n;
CREATE FUNCTION beats(owner bigint) RETURNS bool STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN owner IN (SELECT id FROM processes WHERE beat >= now() - interval '45 milliseconds'); END $$`,
		claim: `WITH taken AS (DELETE FROM ready WHERE job IN (SELECT job FROM ready WHERE job = ANY ($1::text[]::bigint[]) FOR UPDATE SKIP LOCKED) AND $3::bigint > 0 RETURNING job)
 INSERT INTO claimed (job, process) SELECT job, $2::text::bigint FROM taken RETURNING 'taken', 1::bigint`,
		renew:    "UPDATE processes SET beat = now() WHERE id = @owner::text::bigint",
		complete: "WITH gone AS (DELETE FROM claimed WHERE job = @id::text::bigint AND process = @owner::text::bigint RETURNING job) INSERT INTO ready (job, queue) SELECT job, 'q' FROM gone",
		fail:     "WITH gone AS (DELETE FROM claimed WHERE job = @id::text::bigint AND process = @owner::text::bigint RETURNING job) INSERT INTO ready (job, queue) SELECT job, 'q' FROM gone",
		forget:   "SELECT $1::text",
		beating:  "public.beats(OLD.process)",
		modes:    []inspect.ReleaseMode{inspect.ReleaseAuto, inspect.ReleaseMove},
		contrary: "SELECT count(*) FROM jobs j WHERE (SELECT count(*) FROM claimed c WHERE c.job = j.id) + (SELECT count(*) FROM ready r WHERE r.job = j.id) <> 1",
	}
}
