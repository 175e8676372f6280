INSERT INTO shedlock VALUES ('nightly', now() AT TIME ZONE 'UTC' + interval '4 hours', now() AT TIME ZONE 'UTC' - interval '1 hour', 'host-1'),
 ('hourly', now() AT TIME ZONE 'UTC' - interval '10 minutes', now() AT TIME ZONE 'UTC' - interval '1 hour', 'host-2');
