-- The first held job of a type and key, in the order of acceptance. lane_of makes the entries short, and only a statement with the same
-- expression can use the index. The last condition is always true, and only that statement repeats it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_held_type_idx" ON "live_jobs" ("lane_of"("org_id", '', "type", NULL, "limit_key"), (coalesce("accepted_at", "created_at")), "key")
WHERE "status" = 'pending' AND "place" = 'held' AND "enqueue_seq" >= 0;
