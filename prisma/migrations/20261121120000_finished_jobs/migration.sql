-- What finished when, by organization: the figures of GET /stats/jobs are counted in this index alone.
CREATE INDEX "jobs_finished_idx" ON "jobs"("org_id", "finished_at") INCLUDE ("type", "status") WHERE "finished_at" IS NOT NULL;

-- Expired sessions are deleted in this order.
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");
