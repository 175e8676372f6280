INSERT INTO wolverine.wolverine_nodes (id, node_number, description, uri, health_check) VALUES
 ('00000000-0000-0000-0000-0000000000a1', 1, 'charges', 'dbcontrol://a1', now()), ('00000000-0000-0000-0000-0000000000a2', 2, 'charges', 'dbcontrol://a2', now() - interval '5 minutes');
INSERT INTO wolverine.wolverine_incoming_envelopes (id, status, owner_id, keep_until, received_at, body, message_type) VALUES
 ('00000000-0000-0000-0000-000000000001', 'Incoming', 1, NULL, 'rabbitmq://queue/charges', '\x7b7d', 'Charge'),
 ('00000000-0000-0000-0000-000000000002', 'Incoming', 2, NULL, 'rabbitmq://queue/charges', '\x7b7d', 'Charge'),
 ('00000000-0000-0000-0000-000000000003', 'Incoming', 3, NULL, 'rabbitmq://queue/charges', '\x7b7d', 'Charge'),
 ('00000000-0000-0000-0000-000000000004', 'Incoming', 0, NULL, 'rabbitmq://queue/charges', '\x7b7d', 'Charge'),
 ('00000000-0000-0000-0000-000000000005', 'Scheduled', 0, NULL, 'rabbitmq://queue/charges', '\x7b7d', 'Charge'),
 ('00000000-0000-0000-0000-000000000006', 'Handled', 1, now() + interval '5 minutes', 'rabbitmq://queue/charges', '\x7b7d', 'Charge'),
 ('00000000-0000-0000-0000-000000000007', 'Outgoing', 1, NULL, 'rabbitmq://queue/charges', '\x7b7d', 'Charge');
