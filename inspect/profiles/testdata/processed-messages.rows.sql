INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at, completed_at, fencing_token) VALUES
 ('m1', 'PROCESSING', 'w1', now() - interval '1 hour', now() - interval '59 minutes', NULL, 1), ('m2', 'PROCESSING', 'w2', now(), now() + interval '1 minute', NULL, 2),
 ('m3', 'DONE', 'w1', now() - interval '1 hour', NULL, now() - interval '1 hour', 3), ('m4', 'FAILED', 'w1', now() - interval '1 hour', NULL, NULL, 4);
