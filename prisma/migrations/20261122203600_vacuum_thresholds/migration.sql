-- Rows pass through these tables, or through a small part of them: what is about to run, to be checked, to expire. Such a part is
-- read from its head, where the dead entries of what has passed lie until a vacuum. By default Postgres vacuums once 20 % of
-- a table is dead: two million jobs of ten. So that waits for a fixed number of rows instead, however large a table is.
-- Postgres leaves the indexes alone all the same while fewer than 2 % of a table's pages have dead rows.
ALTER TABLE "jobs" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000);
ALTER TABLE "idempotency_keys" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000);
ALTER TABLE "messages" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000);
ALTER TABLE "message_events" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000);
ALTER TABLE "payments" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
ALTER TABLE "deleted_jobs" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Lines are only added and deleted. The pages of those that are added are marked visible and frozen in small parts, not by
-- one vacuum of millions of pages.
ALTER TABLE "job_logs" SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000
);
