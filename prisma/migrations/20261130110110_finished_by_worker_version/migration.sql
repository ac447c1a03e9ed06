-- Lists by the version of the worker. Empty for workers that name no version.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "finished_jobs_worker_version_idx"
ON "finished_jobs" ("org_id", "worker_version", "created_at" DESC, "id" DESC) WHERE "worker_version" IS NOT NULL;
