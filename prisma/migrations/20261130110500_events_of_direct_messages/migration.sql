-- The events about messages that no job has sent, which an erasure deletes.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_events_of_message_idx" ON "webhook_events" (("data" ->> 'id'))
WHERE "type" LIKE 'message.%' AND "job_key" IS NULL;
