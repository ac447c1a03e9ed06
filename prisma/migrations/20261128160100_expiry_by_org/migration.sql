-- The pending jobs of each organization that expire, so that organizations take turns.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_expires_orgs_idx" ON "live_jobs"("org_id", "expires_at", "key")
WHERE "status" = 'pending' AND "expires_at" IS NOT NULL;
