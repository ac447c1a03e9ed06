-- The lanes that have waited longest, by the type of their jobs.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "limit_lanes_type_idx" ON "limit_lanes" ("org_id", "type", "head_at")
WHERE "idle_since" IS NULL;
