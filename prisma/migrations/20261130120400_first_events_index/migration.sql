-- The events that get their deliveries before those of jobs.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_events_first_idx" ON "webhook_events" ("org_id", "created_at")
WHERE NOT "is_planned" AND "type" NOT LIKE 'job.%';
