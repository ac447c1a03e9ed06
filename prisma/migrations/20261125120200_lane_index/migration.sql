-- The held jobs of a lane in the order of dispatch.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_lane_idx" ON "live_jobs" ("lane", "priority" DESC, "run_at", "key")
WHERE "status" = 'pending' AND "place" = 'held';
