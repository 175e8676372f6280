-- Forgets finished messages older than the retention, at most as many as asked
-- for; repeat while it deletes that many. The retention must be longer than
-- the horizon, the longest time after which a duplicate can still arrive:
-- idemtui retention computes it. Unfinished messages are never deleted.
DELETE FROM processed_messages
WHERE  state = 'DONE' AND message_id = ANY (ARRAY(
       SELECT message_id FROM processed_messages
       WHERE  state = 'DONE' AND completed_at < now() - $1::bigint * interval '1 second'
       ORDER  BY completed_at LIMIT $2::bigint
       FOR UPDATE SKIP LOCKED));
