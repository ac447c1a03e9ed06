-- Lists of jobs by key.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "submitted_jobs_limit_key_idx" ON "submitted_jobs"("org_id", "limit_key", "created_at" DESC, "id" DESC)
WHERE "limit_key" IS NOT NULL;
