-- Where a pending job waits.
CREATE TYPE "job_place" AS ENUM ('scheduled', 'waiting', 'enqueued');
ALTER TABLE "jobs" ADD COLUMN "place" "job_place" NOT NULL DEFAULT 'enqueued';

DROP INDEX "jobs_waiting_idx";
DROP INDEX "jobs_enqueued_idx";

-- The feeder's order: by organization, then priority, then age.
CREATE INDEX "jobs_waiting_idx" ON "jobs"("queue", "org_id", "priority" DESC, "run_at", "key") WHERE "status" = 'pending' AND "place" = 'waiting';

-- What becomes due next.
CREATE INDEX "jobs_scheduled_idx" ON "jobs"("run_at", "key") WHERE "status" = 'pending' AND "place" = 'scheduled';

-- What reconcile compares with Redis, page by page.
CREATE INDEX "jobs_enqueued_idx" ON "jobs"("key") WHERE "status" = 'pending' AND "place" = 'enqueued';

-- Events: a status change rides on the line that it writes, and lines are read by organization.
ALTER TABLE "job_logs"
  ADD COLUMN "org_id" UUID,
  ADD COLUMN "status" "job_status",
  ADD COLUMN "xid" xid8 NOT NULL DEFAULT pg_current_xact_id();
UPDATE "job_logs" SET "org_id" = "jobs"."org_id" FROM "jobs" WHERE "jobs"."key" = "job_logs"."job_key";
DELETE FROM "job_logs" WHERE "org_id" IS NULL;
ALTER TABLE "job_logs" ALTER COLUMN "org_id" SET NOT NULL;
CREATE INDEX "job_logs_events_idx" ON "job_logs"("org_id", "xid", "id");

-- How many jobs of each queue a worker runs at once.
ALTER TABLE "workers" ADD COLUMN "concurrency" INTEGER[];
