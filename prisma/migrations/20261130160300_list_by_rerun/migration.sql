-- Lists of the reruns of a job.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "submitted_jobs_rerun_of_idx" ON "submitted_jobs" ("org_id", "rerun_of", "created_at" DESC, "id" DESC)
WHERE "rerun_of" IS NOT NULL;
