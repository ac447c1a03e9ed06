-- Counts the jobs of a type that wait and are due, without reading scheduled jobs. The last condition is always true, and only the
-- statement that counts repeats it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_due_type_idx" ON "live_jobs" ("org_id", "type", "run_at")
WHERE "status" = 'pending' AND "place" IN ('waiting', 'held') AND "enqueue_seq" >= 0;
