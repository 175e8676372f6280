-- Wolverine's durable inbox and its nodes, written from their column lists.
CREATE SCHEMA wolverine;
CREATE TABLE wolverine.wolverine_incoming_envelopes (id uuid NOT NULL, status text NOT NULL, owner_id int NOT NULL, execution_time timestamptz, attempts int DEFAULT 0,
  body bytea NOT NULL DEFAULT '', message_type text NOT NULL DEFAULT 'Charge', received_at text, keep_until timestamptz, PRIMARY KEY (id));
CREATE TABLE wolverine.wolverine_nodes (id uuid PRIMARY KEY, node_number serial, description text NOT NULL DEFAULT '', uri text NOT NULL DEFAULT '', started timestamptz NOT NULL DEFAULT now(),
  health_check timestamptz NOT NULL DEFAULT now(), version text, capabilities text[]);
