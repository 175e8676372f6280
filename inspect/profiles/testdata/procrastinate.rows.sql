INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now()), (now() - interval '5 minutes');
INSERT INTO procrastinate_jobs (id, queue_name, task_name, status, worker_id, attempts, abort_requested, lock, queueing_lock) VALUES
 (1, 'mail', 'charge', 'doing', 2, 0, false, 'customer-1', 'charge-1'), (2, 'mail', 'charge', 'doing', 1, 0, false, 'customer-2', NULL), (3, 'mail', 'charge', 'doing', NULL, 3, false, 'customer-3', NULL),
 (4, 'mail', 'charge', 'todo', NULL, 0, false, 'customer-1', NULL), (5, 'mail', 'charge', 'succeeded', NULL, 1, false, NULL, NULL), (6, 'mail', 'charge', 'failed', NULL, 1, false, NULL, NULL),
 (7, 'mail', 'charge', 'doing', 2, 0, true, NULL, NULL), (8, 'mail', 'charge', 'cancelled', NULL, 0, false, NULL, NULL);
