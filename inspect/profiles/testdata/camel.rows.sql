INSERT INTO CAMEL_MESSAGEPROCESSED VALUES ('charges', 'm1', now() AT TIME ZONE 'UTC' - interval '2 hours'), ('charges', 'm2', now() AT TIME ZONE 'UTC' - interval '1 minute');
