-- The private tables of graphile-worker, written from their column lists, with a
-- function that does what its force_unlock_workers does.
CREATE SCHEMA graphile_worker;
CREATE TABLE graphile_worker._private_job_queues (id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY, queue_name text UNIQUE NOT NULL, locked_at timestamptz, locked_by text,
  is_available boolean GENERATED ALWAYS AS (locked_at IS NULL) STORED NOT NULL);
CREATE TABLE graphile_worker._private_jobs (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, job_queue_id int, task_id int NOT NULL, payload json NOT NULL DEFAULT '{}', priority smallint NOT NULL DEFAULT 0,
  max_attempts smallint NOT NULL DEFAULT 25, attempts smallint NOT NULL DEFAULT 0, run_at timestamptz NOT NULL DEFAULT now(), created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(), last_error text, key text UNIQUE, locked_at timestamptz, locked_by text, revision int NOT NULL DEFAULT 0, flags jsonb,
  is_available boolean GENERATED ALWAYS AS (locked_at IS NULL AND attempts < max_attempts) STORED NOT NULL);
CREATE FUNCTION graphile_worker.force_unlock_workers(worker_ids text[]) RETURNS void LANGUAGE sql AS $$
  UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL, run_at = greatest(run_at, now()) WHERE locked_by = ANY (worker_ids);
  UPDATE graphile_worker._private_job_queues SET locked_at = NULL, locked_by = NULL WHERE locked_by = ANY (worker_ids); $$;
