-- Scheduled jobs by organization, so that what one has due at a moment does not delay the others.
CREATE INDEX "jobs_scheduled_orgs_idx" ON "jobs"("org_id", "run_at", "key") WHERE "status" = 'pending' AND "place" = 'scheduled';
DROP INDEX "jobs_scheduled_idx";
