-- The failed jobs of a window, for GET /stats/failures.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "finished_jobs_failures_idx" ON "finished_jobs"("org_id", "finished_at" DESC)
WHERE "status" = 'failed';
