-- The same for API keys that are restricted to job types.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "finished_jobs_failures_type_idx" ON "finished_jobs"("org_id", "type", "finished_at" DESC)
WHERE "status" = 'failed';
