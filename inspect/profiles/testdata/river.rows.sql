INSERT INTO river_job (id, state, attempt, max_attempts, attempted_at, attempted_by, finalized_at, kind, args) VALUES
 (1, 'running', 2, 25, now() - interval '3 hours', '{host-1_2026,host-2_2026}', NULL, 'charge', '{}'),
 (2, 'running', 1, 25, now() - interval '10 minutes', '{host-1_2026}', NULL, 'charge', '{}'),
 (3, 'completed', 1, 25, now() - interval '1 hour', '{host-1_2026}', now() - interval '59 minutes', 'charge', '{}'),
 (4, 'discarded', 25, 25, now() - interval '1 hour', '{host-1_2026}', now() - interval '59 minutes', 'charge', '{}'),
 (5, 'retryable', 1, 25, now() - interval '1 hour', '{host-1_2026}', NULL, 'charge', '{}'),
 (6, 'cancelled', 1, 25, now() - interval '1 hour', '{host-1_2026}', now(), 'charge', '{}'),
 (7, 'available', 0, 25, NULL, NULL, NULL, 'charge', '{}'), (8, 'scheduled', 0, 25, NULL, NULL, NULL, 'charge', '{}'), (9, 'pending', 0, 25, NULL, NULL, NULL, 'charge', '{}');
