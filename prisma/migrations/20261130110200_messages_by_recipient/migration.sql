-- Lists of messages by recipient, and erasures. The case of recipients does not matter.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "messages_recipient_idx"
ON "messages" ("org_id", "channel", lower("recipient"), "status", "created_at" DESC, "id" DESC);
