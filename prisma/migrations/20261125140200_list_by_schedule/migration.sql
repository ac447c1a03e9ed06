-- Lists of jobs by schedule.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "submitted_jobs_schedule_idx" ON "submitted_jobs" ("org_id", "schedule_id", "created_at" DESC, "id" DESC)
WHERE "schedule_id" IS NOT NULL;
