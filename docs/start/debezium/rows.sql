-- Lets Debezium read the rows of these tables. docs/start/debezium.md explains it. PostgreSQL needs
-- wal_level=logical.
CREATE PUBLICATION vitrine_rows FOR TABLE listings, calendar;
CREATE ROLE vitrine_rows LOGIN REPLICATION;
GRANT SELECT ON listings, calendar TO vitrine_rows;
