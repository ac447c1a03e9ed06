-- As live_jobs_held_type_idx, for the jobs of a key that name a limit.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_held_limit_idx" ON "live_jobs" ("lane_of"("org_id", '', '', "limit_name", "limit_key"), (coalesce("accepted_at", "created_at")), "key")
WHERE "status" = 'pending' AND "place" = 'held' AND "limit_name" IS NOT NULL AND "enqueue_seq" >= 0;
