-- The jobs that fail soon, because a job for which they wait has failed.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_failing_idx" ON "live_jobs" ("org_id", "created_at", "key")
    WHERE "status" = 'pending' AND "place" = 'failing';
