-- As live_jobs_due_type_idx, for the jobs that name a limit.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_due_limit_idx" ON "live_jobs" ("org_id", "limit_name", "run_at", "type")
WHERE "status" = 'pending' AND "place" IN ('waiting', 'held') AND "limit_name" IS NOT NULL AND "enqueue_seq" >= 0;
