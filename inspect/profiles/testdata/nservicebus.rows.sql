INSERT INTO "Billing_OutboxData" VALUES ('m1', false, NULL, '8.0.0.0', '[{"Message": "Charged"}]'), ('m2', true, now() AT TIME ZONE 'UTC' - interval '1 hour', '8.0.0.0', '[]');
