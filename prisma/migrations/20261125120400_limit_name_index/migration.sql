-- The jobs that name a limit.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_limit_name_idx" ON "live_jobs" ("org_id", "limit_name") WHERE "limit_name" IS NOT NULL;
