-- Finds what may be purged.
CREATE INDEX processed_messages_done ON processed_messages (completed_at) WHERE state = 'DONE';
