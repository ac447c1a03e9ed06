-- The pending jobs that name a limit, as live_jobs_pending_type_idx those of a type.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_pending_limit_idx" ON "live_jobs"("org_id", "limit_name", "created_at" DESC, "id" DESC)
WHERE "status" = 'pending' AND "limit_name" IS NOT NULL;
