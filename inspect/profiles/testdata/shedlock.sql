-- ShedLock's table, written from its column list.
CREATE TABLE shedlock (name varchar(64) NOT NULL, lock_until timestamp NOT NULL, locked_at timestamp NOT NULL, locked_by varchar(255) NOT NULL, PRIMARY KEY (name));
INSERT INTO shedlock VALUES ('nightly', now() AT TIME ZONE 'UTC' + interval '4 hours', now() AT TIME ZONE 'UTC' - interval '1 hour', 'host-1'),
 ('hourly', now() AT TIME ZONE 'UTC' - interval '10 minutes', now() AT TIME ZONE 'UTC' - interval '1 hour', 'host-2');
