INSERT INTO graphile_worker._private_job_queues (queue_name, locked_at, locked_by) VALUES ('mail', now() - interval '5 hours', 'worker-a');
INSERT INTO graphile_worker._private_jobs (job_queue_id, task_id, attempts, locked_at, locked_by) VALUES
 (1, 1, 1, now() - interval '5 hours', 'worker-a'), (NULL, 1, 1, now() - interval '6 hours', 'worker-b'), (NULL, 1, 1, now() - interval '10 minutes', 'worker-c'),
 (NULL, 1, 0, NULL, NULL), (NULL, 1, 25, NULL, NULL);
