-- The finished jobs that took bytes from a file: an erasure keeps the file if one of them stays.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "finished_jobs_sources_idx" ON "finished_jobs" USING gin ("sources") WHERE "sources" IS NOT NULL;
