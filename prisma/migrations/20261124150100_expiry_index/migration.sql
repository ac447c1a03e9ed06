-- The jobs that expire next.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "live_jobs_expires_idx" ON "live_jobs"("expires_at")
WHERE "status" = 'pending' AND "expires_at" IS NOT NULL;
