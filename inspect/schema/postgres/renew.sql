-- Extends the lease, to be run several times within it. No row: the claim was
-- lost to a takeover or a release. Then stop before the next side effect.
-- A lease that has lapsed may still be renewed while nobody has taken over.
UPDATE processed_messages
SET    lease_expires_at = now() + $3::bigint * interval '1 millisecond', updated_at = now()
WHERE  message_id = $1::text AND state = 'PROCESSING' AND fencing_token = $2::bigint
RETURNING lease_expires_at;
