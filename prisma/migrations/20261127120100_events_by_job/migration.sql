-- The events about the message or the payment of a job, which are redacted with it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_events_job_key_idx" ON "webhook_events" ("job_key")
WHERE "type" LIKE 'message.%' OR "type" LIKE 'payment.%';
