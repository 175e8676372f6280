-- An endpoint's outbox of NServiceBus SQL persistence, column by column as the source that its profile names.
CREATE TABLE "Billing_OutboxData" ("MessageId" character varying(200), "Dispatched" boolean NOT NULL DEFAULT false, "DispatchedAt" timestamp, "PersistenceVersion" character varying(23),
  "Operations" jsonb NOT NULL, PRIMARY KEY ("MessageId"));
