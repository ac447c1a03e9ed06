-- Lists of failed jobs by error code.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "finished_jobs_error_code_idx" ON "finished_jobs"("org_id", "error_code", "created_at" DESC, "id" DESC)
WHERE "status" = 'failed';
