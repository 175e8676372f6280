INSERT INTO "InboxState" ("MessageId", "ConsumerId", "LockId", "Received", "ReceiveCount", "Consumed", "Delivered") VALUES
 ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-0000000000cc', gen_random_uuid(), now() - interval '1 hour', 0, NULL, NULL),
 ('00000000-0000-0000-0000-000000000002', '00000000-0000-0000-0000-0000000000cc', gen_random_uuid(), now() - interval '1 minute', 0, NULL, NULL),
 ('00000000-0000-0000-0000-000000000003', '00000000-0000-0000-0000-0000000000cc', gen_random_uuid(), now() - interval '1 hour', 2, now() - interval '1 hour', NULL),
 ('00000000-0000-0000-0000-000000000004', '00000000-0000-0000-0000-0000000000cc', gen_random_uuid(), now() - interval '1 hour', 3, now() - interval '1 hour', now() - interval '1 hour'),
 ('00000000-0000-0000-0000-000000000005', '00000000-0000-0000-0000-0000000000cc', gen_random_uuid(), now() - interval '2 hours', 0, NULL, NULL);
