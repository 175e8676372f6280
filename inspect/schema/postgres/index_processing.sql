-- Finds the stuck claims without reading the finished ones. Queries must write
-- state = 'PROCESSING' as a literal: with a parameter the index is not used.
CREATE INDEX processed_messages_processing ON processed_messages (lease_expires_at, message_id) WHERE state = 'PROCESSING';
