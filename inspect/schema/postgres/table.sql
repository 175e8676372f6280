-- One row for each message that is being, or has been, processed.
--
-- The token comes from a sequence, at every claim, takeover and release: a
-- counter in the row would start again once the row is purged, and a worker
-- from before the purge would pass for the current one. CACHE must stay 1, or
-- sessions hand out tokens in another order than they claim.
CREATE SEQUENCE processed_messages_token AS bigint CACHE 1;

CREATE TABLE processed_messages (
    message_id       text        PRIMARY KEY,
    state            text        NOT NULL CHECK (state IN ('PROCESSING', 'DONE', 'FAILED')),
    owner            text,
    claimed_at       timestamptz NOT NULL DEFAULT now(),
    lease_expires_at timestamptz,
    completed_at     timestamptz,
    updated_at       timestamptz NOT NULL DEFAULT now(),
    attempts         integer     NOT NULL DEFAULT 1,
    fencing_token    bigint      NOT NULL DEFAULT nextval('processed_messages_token'),
    result           jsonb,
    CHECK (state <> 'PROCESSING' OR lease_expires_at IS NOT NULL),
    CHECK (state <> 'DONE' OR completed_at IS NOT NULL)
);

ALTER SEQUENCE processed_messages_token OWNED BY processed_messages.fencing_token;
