-- Camel's JDBC message id repository, column by column as the source that its profile names.
CREATE TABLE CAMEL_MESSAGEPROCESSED (processorName varchar(255), messageId varchar(100), createdAt timestamp, PRIMARY KEY (processorName, messageId));
