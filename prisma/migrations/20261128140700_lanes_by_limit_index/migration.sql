-- The lanes that have waited longest, by the limit that their jobs name.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "limit_lanes_limit_idx" ON "limit_lanes" ("org_id", "limit_name", "head_at")
WHERE "idle_since" IS NULL AND "limit_name" <> '';
