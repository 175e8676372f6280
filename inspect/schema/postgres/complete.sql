-- Finishes the message and keeps the result for later duplicates. Database
-- work of the message belongs into the same transaction. No row: the claim was
-- lost; roll back, and leave the message to whoever holds it now.
UPDATE processed_messages
SET    state = 'DONE', lease_expires_at = NULL, completed_at = now(), updated_at = now(), result = $3::jsonb
WHERE  message_id = $1::text AND state = 'PROCESSING' AND fencing_token = $2::bigint
RETURNING completed_at;
