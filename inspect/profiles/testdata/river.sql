-- The table of River after migration 007, written from its column list.
CREATE TYPE river_job_state AS ENUM ('available', 'cancelled', 'completed', 'discarded', 'pending', 'retryable', 'running', 'scheduled');
CREATE TABLE river_job (
  id bigserial PRIMARY KEY, state river_job_state NOT NULL DEFAULT 'available', attempt smallint NOT NULL DEFAULT 0, max_attempts smallint NOT NULL,
  attempted_at timestamptz, created_at timestamptz NOT NULL DEFAULT now(), finalized_at timestamptz, scheduled_at timestamptz NOT NULL DEFAULT now(),
  priority smallint NOT NULL DEFAULT 1, args jsonb NOT NULL DEFAULT '{}', attempted_by text[], errors jsonb[], kind text NOT NULL, metadata jsonb NOT NULL DEFAULT '{}',
  queue text NOT NULL DEFAULT 'default', tags varchar(255)[] NOT NULL DEFAULT '{}', unique_key bytea, unique_states bit(8),
  CONSTRAINT finalized_or_finalized_at_null CHECK ((finalized_at IS NULL AND state NOT IN ('cancelled', 'completed', 'discarded')) OR (finalized_at IS NOT NULL AND state IN ('cancelled', 'completed', 'discarded'))));
INSERT INTO river_job (id, state, attempt, max_attempts, attempted_at, attempted_by, finalized_at, kind) VALUES
 (1, 'running', 2, 25, now() - interval '3 hours', '{host-1_2026,host-2_2026}', NULL, 'charge'),
 (2, 'running', 1, 25, now() - interval '10 minutes', '{host-1_2026}', NULL, 'charge'),
 (3, 'completed', 1, 25, now() - interval '1 hour', '{host-1_2026}', now() - interval '59 minutes', 'charge'),
 (4, 'discarded', 25, 25, now() - interval '1 hour', '{host-1_2026}', now() - interval '59 minutes', 'charge'),
 (5, 'retryable', 1, 25, now() - interval '1 hour', '{host-1_2026}', NULL, 'charge'),
 (6, 'cancelled', 1, 25, now() - interval '1 hour', '{host-1_2026}', now(), 'charge'),
 (7, 'available', 0, 25, NULL, NULL, NULL, 'charge'), (8, 'scheduled', 0, 25, NULL, NULL, NULL, 'charge'), (9, 'pending', 0, 25, NULL, NULL, NULL, 'charge');
