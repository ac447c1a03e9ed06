-- The held jobs of a lane in the order in which they were accepted, for ordered limits. As above, the last condition is always true.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_held_order_idx" ON "live_jobs" ("lane_of"("org_id", "queue", "type", "limit_name", "limit_key"), (coalesce("accepted_at", "created_at")), "key")
WHERE "status" = 'pending' AND "place" = 'held' AND "enqueue_seq" >= 0;
