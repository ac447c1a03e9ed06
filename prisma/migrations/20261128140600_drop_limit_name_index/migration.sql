-- Jobs that name a limit are counted by live_jobs_due_limit_idx.
DROP INDEX CONCURRENTLY IF EXISTS "live_jobs_limit_name_idx";
