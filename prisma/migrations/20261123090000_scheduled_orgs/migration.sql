-- Scheduled jobs by organization, so that what one has due at a moment does not delay the others. The version before this
-- one reads "jobs_scheduled_idx", which nothing else does: the next version may drop it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "jobs_scheduled_orgs_idx" ON "jobs"("org_id", "run_at", "key") WHERE "status" = 'pending' AND "place" = 'scheduled';
