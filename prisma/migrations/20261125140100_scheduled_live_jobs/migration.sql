-- The planned jobs of a schedule that have not ended.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_schedule_idx" ON "live_jobs" ("schedule_id") WHERE "schedule_id" IS NOT NULL;
