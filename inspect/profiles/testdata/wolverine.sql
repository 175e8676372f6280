-- Wolverine's durable inbox and its nodes, column by column as the source that its profile names.
CREATE SCHEMA wolverine;
CREATE TABLE wolverine.wolverine_incoming_envelopes (id uuid NOT NULL, status varchar NOT NULL, owner_id int NOT NULL, execution_time timestamptz, attempts int DEFAULT 0,
  body bytea NOT NULL, message_type varchar NOT NULL, received_at varchar, keep_until timestamptz, PRIMARY KEY (id));
CREATE TABLE wolverine.wolverine_nodes (id uuid PRIMARY KEY, node_number serial, description varchar NOT NULL, uri varchar NOT NULL, started timestamptz NOT NULL DEFAULT now(),
  health_check timestamptz NOT NULL DEFAULT now(), version varchar, capabilities text[]);
