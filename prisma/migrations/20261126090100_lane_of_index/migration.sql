-- The held jobs of a lane in the order of dispatch. The last condition is always true, and only the statement that needs this order
-- repeats it: the planner must not use the other index of lanes and sort all of a lane.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_held_idx" ON "live_jobs" ("lane_of"("org_id", "queue", "type", "limit_name", "limit_key"), "priority" DESC, "run_at", "key")
WHERE "status" = 'pending' AND "place" = 'held' AND "retries" >= 0;
