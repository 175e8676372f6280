-- Camel's JDBC message id repository, written from its column list, with the key
-- that its manual advises.
CREATE TABLE CAMEL_MESSAGEPROCESSED (processorName varchar(255), messageId varchar(100), createdAt timestamp, PRIMARY KEY (processorName, messageId));
INSERT INTO CAMEL_MESSAGEPROCESSED VALUES ('charges', 'm1', now() AT TIME ZONE 'UTC' - interval '2 hours'), ('charges', 'm2', now() AT TIME ZONE 'UTC' - interval '1 minute');
