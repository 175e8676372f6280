-- Gives the message back for another try, because the provider refused, or
-- because the work failed before the provider was asked.
-- NOT when the outcome is unknown: a timeout, a lost connection or a crash
-- after the charge was sent. It may have happened, and whoever claims a FAILED
-- message charges. Then ask again under the same idempotency key while the
-- claim is held, or leave the row PROCESSING for a takeover that does so, or
-- for a person who asks the provider.
-- No row: the claim was lost; there is nothing to give back.
UPDATE processed_messages
SET    state = 'FAILED', owner = NULL, lease_expires_at = NULL, updated_at = now()
WHERE  message_id = $1::text AND state = 'PROCESSING' AND fencing_token = $2::bigint
RETURNING updated_at;
