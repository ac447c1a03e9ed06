-- The ends of a job, of which deliveries are listed by job.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_events_of_jobs_idx" ON "webhook_events" ("job_key", "created_at" DESC)
WHERE "type" LIKE 'job.%';
