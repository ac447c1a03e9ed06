-- The events about a job, which an erasure deletes.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_events_of_job_idx" ON "webhook_events" ("job_key") WHERE "job_key" IS NOT NULL;
