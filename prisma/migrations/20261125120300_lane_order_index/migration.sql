-- The held jobs of a lane in the order in which they were accepted, for ordered limits. As above, the last condition is always true.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_lane_order_idx" ON "live_jobs" ("lane", (coalesce("accepted_at", "created_at")), "key")
WHERE "status" = 'pending' AND "place" = 'held' AND "enqueue_seq" >= 0;
