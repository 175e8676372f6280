-- The jobs, workers and events of Procrastinate 3, written from their column
-- lists, with a function and a trigger that do what its own do.
CREATE TYPE procrastinate_job_status AS ENUM ('todo', 'doing', 'succeeded', 'failed', 'cancelled', 'aborting', 'aborted');
CREATE TABLE procrastinate_workers (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, last_heartbeat timestamptz NOT NULL DEFAULT now());
CREATE TABLE procrastinate_jobs (
  id bigserial PRIMARY KEY, queue_name varchar(128) NOT NULL, task_name varchar(128) NOT NULL, priority int NOT NULL DEFAULT 0, lock text, queueing_lock text,
  args jsonb NOT NULL DEFAULT '{}', status procrastinate_job_status NOT NULL DEFAULT 'todo', scheduled_at timestamptz, attempts int NOT NULL DEFAULT 0,
  abort_requested boolean NOT NULL DEFAULT false, worker_id bigint REFERENCES procrastinate_workers ON DELETE SET NULL,
  CONSTRAINT check_not_todo_abort_requested CHECK (NOT (status = 'todo' AND abort_requested)));
CREATE TABLE procrastinate_events (id bigserial PRIMARY KEY, job_id bigint NOT NULL REFERENCES procrastinate_jobs ON DELETE CASCADE, type text, at timestamptz DEFAULT now());
CREATE UNIQUE INDEX ON procrastinate_jobs (queueing_lock) WHERE status = 'todo';
CREATE UNIQUE INDEX ON procrastinate_jobs (lock) WHERE status = 'doing';
CREATE FUNCTION procrastinate_retry_job_v2(job_id bigint, retry_at timestamptz, new_priority int, new_queue_name varchar, new_lock varchar) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE procrastinate_jobs SET status = CASE WHEN status = 'doing' AND abort_requested THEN 'failed' ELSE 'todo' END::procrastinate_job_status,
    attempts = attempts + CASE WHEN status = 'doing' AND abort_requested THEN 0 ELSE 1 END, scheduled_at = CASE WHEN status = 'doing' AND abort_requested THEN scheduled_at ELSE retry_at END,
    priority = coalesce(new_priority, priority), queue_name = coalesce(new_queue_name, queue_name), lock = coalesce(new_lock, lock)
    WHERE id = job_id AND status IN ('doing', 'failed');
  IF NOT FOUND THEN RAISE 'job % cannot be retried', job_id; END IF;
END $$;
CREATE FUNCTION procrastinate_note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO procrastinate_events (job_id, type) VALUES (NEW.id, OLD.status || ' to ' || NEW.status); RETURN NEW; END $$;
CREATE TRIGGER procrastinate_note AFTER UPDATE OF status ON procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION procrastinate_note();
