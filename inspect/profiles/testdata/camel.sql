-- Camel's JDBC message id repository, written from its column list, with the key
-- that its manual advises.
CREATE TABLE CAMEL_MESSAGEPROCESSED (processorName varchar(255), messageId varchar(100), createdAt timestamp, PRIMARY KEY (processorName, messageId));
