-- The copies of an email.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "messages_copy_of_idx" ON "messages"("copy_of");
