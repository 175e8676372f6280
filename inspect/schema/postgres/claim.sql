-- Claims a message. Run it at READ COMMITTED in a transaction of its own, and
-- commit before the charge: a claim that is not committed protects nobody.
-- It returns exactly one row. Its answer says what to do:
--   new       first claim: charge
--   takeover  the lease of an earlier worker had lapsed: charge, under the
--             same idempotency key, for that worker may have charged
--   retry     an earlier try failed or was released: charge, same key
--   busy      somebody is at work: do nothing now and do not acknowledge; a
--             queue brings it back (lease_expires_at says from when it makes
--             sense; it may be out of date), in a log wait or use a retry topic
--   done      finished: acknowledge, and return the result
-- The first three hold the claim until lease_expires_at. Send the fencing
-- token along with every write that can check it.
WITH free AS MATERIALIZED (
    -- A row that may be taken, locked in its latest version. Of several that
    -- want it, all but one find its lease running once they get the lock.
    SELECT message_id, state
    FROM   processed_messages
    WHERE  message_id = $1::text
      AND  (state = 'FAILED' OR (state = 'PROCESSING' AND lease_expires_at < now()))
    FOR NO KEY UPDATE
), taken AS (
    UPDATE processed_messages AS t
    SET    state = 'PROCESSING', owner = $2::text, claimed_at = now(),
           lease_expires_at = now() + $3::bigint * interval '1 millisecond',
           completed_at = NULL, updated_at = now(), attempts = t.attempts + 1,
           fencing_token = nextval('processed_messages_token'), result = NULL
    FROM   free
    WHERE  t.message_id = free.message_id
    RETURNING CASE free.state WHEN 'FAILED' THEN 'retry' ELSE 'takeover' END AS answer,
              t.fencing_token, t.lease_expires_at, t.attempts
), inserted AS (
    INSERT INTO processed_messages (message_id, state, owner, claimed_at, lease_expires_at, updated_at, attempts, fencing_token)
    SELECT $1::text, 'PROCESSING', $2::text, now(), now() + $3::bigint * interval '1 millisecond', now(), 1,
           nextval('processed_messages_token')
    WHERE  NOT EXISTS (SELECT FROM processed_messages WHERE message_id = $1::text)
    ON CONFLICT (message_id) DO NOTHING
    RETURNING 'new' AS answer, fencing_token, lease_expires_at, attempts
), seen AS (
    SELECT state, lease_expires_at, attempts, result FROM processed_messages WHERE message_id = $1::text
)
SELECT answer, fencing_token, lease_expires_at, attempts, NULL::jsonb AS result FROM taken
UNION ALL
SELECT answer, fencing_token, lease_expires_at, attempts, NULL FROM inserted
UNION ALL
SELECT CASE state WHEN 'DONE' THEN 'done' ELSE 'busy' END, NULL,
       CASE state WHEN 'DONE' THEN NULL ELSE lease_expires_at END, attempts,
       CASE state WHEN 'DONE' THEN result END
FROM   seen
WHERE  NOT EXISTS (SELECT FROM taken) AND NOT EXISTS (SELECT FROM inserted)
UNION ALL
-- Another worker's first claim was committed while this statement ran.
SELECT 'busy', NULL, NULL, NULL, NULL
WHERE  NOT EXISTS (SELECT FROM taken) AND NOT EXISTS (SELECT FROM inserted) AND NOT EXISTS (SELECT FROM seen);
