-- What a caller submitted is written once. What changes is in live_jobs until the job is finished, then in finished_jobs.
-- A process of the version before must not write between the copies below.
LOCK TABLE "jobs" IN ACCESS EXCLUSIVE MODE;

CREATE TABLE "live_jobs" (
    "key" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "queue" TEXT NOT NULL,
    "status" "job_status" NOT NULL DEFAULT 'pending',
    "priority" SMALLINT NOT NULL DEFAULT 0,
    "max_retries" SMALLINT NOT NULL DEFAULT 0,
    "retries" SMALLINT NOT NULL DEFAULT 0,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "crash_count" SMALLINT NOT NULL DEFAULT 0,
    "run_at" TIMESTAMPTZ(3) NOT NULL,
    "place" "job_place" NOT NULL DEFAULT 'enqueued',
    "enqueue_seq" INTEGER NOT NULL DEFAULT 0,
    "chunk_key" UUID,
    "enqueued_at" TIMESTAMPTZ(3),
    "worker_id" UUID,
    "claim_token" UUID,
    "error_code" TEXT,
    "error_message" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "duration_ms" INTEGER,
    "cancel_requested_at" TIMESTAMPTZ(3)
);

CREATE TABLE "finished_jobs" (
    "key" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "queue" TEXT NOT NULL,
    "status" "job_status" NOT NULL,
    "max_retries" SMALLINT NOT NULL DEFAULT 0,
    "retries" SMALLINT NOT NULL DEFAULT 0,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "crash_count" SMALLINT NOT NULL DEFAULT 0,
    "run_at" TIMESTAMPTZ(3) NOT NULL,
    "enqueue_seq" INTEGER NOT NULL DEFAULT 0,
    "claim_token" UUID,
    "result" JSON,
    "error_code" TEXT,
    "error_message" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "duration_ms" INTEGER,
    "finished_at" TIMESTAMPTZ(3) NOT NULL,
    "cancel_requested_at" TIMESTAMPTZ(3)
);

INSERT INTO "live_jobs" SELECT "key", "org_id", "id", "type", "queue", "status", "priority", "max_retries", "retries", "attempt", "crash_count",
    "run_at", "place", "enqueue_seq", "chunk_key", "enqueued_at", "worker_id", "claim_token", "error_code", "error_message", "created_at",
    "updated_at", "started_at", "duration_ms", "cancel_requested_at"
FROM "jobs" WHERE "status" IN ('pending', 'processing');

INSERT INTO "finished_jobs" SELECT "key", "org_id", "id", "type", "queue", "status", "max_retries", "retries", "attempt", "crash_count", "run_at",
    "enqueue_seq", "claim_token", "result", "error_code", "error_message", "created_at", "started_at", "duration_ms",
    coalesce("finished_at", "updated_at"), "cancel_requested_at"
FROM "jobs" WHERE "status" IN ('done', 'failed');

-- With the columns their indexes and the CHECK are dropped.
ALTER TABLE "jobs" DROP COLUMN "status", DROP COLUMN "queue", DROP COLUMN "retries", DROP COLUMN "attempt", DROP COLUMN "crash_count",
    DROP COLUMN "run_at", DROP COLUMN "place", DROP COLUMN "enqueue_seq", DROP COLUMN "chunk_key", DROP COLUMN "enqueued_at", DROP COLUMN "worker_id",
    DROP COLUMN "claim_token", DROP COLUMN "result", DROP COLUMN "error_code", DROP COLUMN "error_message", DROP COLUMN "updated_at",
    DROP COLUMN "started_at", DROP COLUMN "duration_ms", DROP COLUMN "finished_at", DROP COLUMN "cancel_requested_at";
ALTER TABLE "jobs" RENAME TO "submitted_jobs";
ALTER TABLE "submitted_jobs" RENAME CONSTRAINT "jobs_pkey" TO "submitted_jobs_pkey";
ALTER INDEX "jobs_org_id_id_key" RENAME TO "submitted_jobs_org_id_id_key";
ALTER INDEX "jobs_created_idx" RENAME TO "submitted_jobs_events_idx";

ALTER TABLE "live_jobs" ADD CONSTRAINT "live_jobs_pkey" PRIMARY KEY ("key");
ALTER TABLE "finished_jobs" ADD CONSTRAINT "finished_jobs_pkey" PRIMARY KEY ("key");
ALTER TABLE "live_jobs" ADD CONSTRAINT "live_jobs_unfinished" CHECK ("status" IN ('pending', 'processing'));
ALTER TABLE "finished_jobs" ADD CONSTRAINT "finished_jobs_finished" CHECK ("status" IN ('done', 'failed'));
-- A canceled job never becomes pending again.
ALTER TABLE "live_jobs" ADD CONSTRAINT "live_jobs_canceled_never_pending" CHECK ("status" <> 'pending' OR "cancel_requested_at" IS NULL);

CREATE INDEX "finished_jobs_org_id_status_created_at_id_idx" ON "finished_jobs"("org_id", "status", "created_at" DESC, "id" DESC);
CREATE INDEX "finished_jobs_org_id_type_status_created_at_id_idx" ON "finished_jobs"("org_id", "type", "status", "created_at" DESC, "id" DESC);
-- Lists of pending jobs, their numbers by type, and lists of running jobs.
CREATE INDEX "live_jobs_pending_idx" ON "live_jobs"("org_id", "created_at" DESC, "id" DESC) WHERE "status" = 'pending';
CREATE INDEX "live_jobs_pending_type_idx" ON "live_jobs"("org_id", "type", "created_at" DESC, "id" DESC) WHERE "status" = 'pending';
CREATE INDEX "live_jobs_running_idx" ON "live_jobs"("org_id", "created_at" DESC, "id" DESC) WHERE "status" = 'processing';
-- Waiting jobs in the order of dispatch: by organization, then priority, then age.
CREATE INDEX "live_jobs_waiting_idx" ON "live_jobs"("queue", "org_id", "priority" DESC, "run_at", "key") WHERE "status" = 'pending' AND "place" = 'waiting';
-- Scheduled jobs by organization, so that what one has due at a moment does not delay the others.
CREATE INDEX "live_jobs_scheduled_orgs_idx" ON "live_jobs"("org_id", "run_at", "key") WHERE "status" = 'pending' AND "place" = 'scheduled';
-- Jobs that Redis should hold: reconcile compares them page by page.
CREATE INDEX "live_jobs_enqueued_idx" ON "live_jobs"("key") WHERE "status" = 'pending' AND "place" = 'enqueued';
-- Runs by worker, for reconcile and for each worker's own comparison.
CREATE INDEX "live_jobs_worker_idx" ON "live_jobs"("worker_id") WHERE "worker_id" IS NOT NULL;
-- GET /stats/jobs reads this index alone.
CREATE INDEX "finished_jobs_stats_idx" ON "finished_jobs"("org_id", "finished_at") INCLUDE ("type", "status");

-- Every job with its current state. Only for reading: a lookup by key or id reads one row of submitted_jobs and one of the others.
CREATE VIEW "jobs" AS
SELECT s."key", s."org_id", s."id", s."type", coalesce(l."queue", f."queue") AS "queue", s."payload", s."content_hash",
    coalesce(l."status", f."status") AS "status", s."priority", s."max_retries", coalesce(l."retries", f."retries") AS "retries",
    coalesce(l."attempt", f."attempt") AS "attempt", coalesce(l."crash_count", f."crash_count") AS "crash_count",
    coalesce(l."run_at", f."run_at") AS "run_at", l."place", coalesce(l."enqueue_seq", f."enqueue_seq") AS "enqueue_seq", l."chunk_key",
    l."enqueued_at", l."worker_id", coalesce(l."claim_token", f."claim_token") AS "claim_token", f."result",
    coalesce(l."error_code", f."error_code") AS "error_code", coalesce(l."error_message", f."error_message") AS "error_message", s."traceparent",
    s."created_at", coalesce(l."updated_at", f."finished_at") AS "updated_at", coalesce(l."started_at", f."started_at") AS "started_at",
    coalesce(l."duration_ms", f."duration_ms") AS "duration_ms", f."finished_at",
    coalesce(l."cancel_requested_at", f."cancel_requested_at") AS "cancel_requested_at", s."xid"
FROM "submitted_jobs" s LEFT JOIN "live_jobs" l ON l."key" = s."key" LEFT JOIN "finished_jobs" f ON f."key" = s."key";

-- Rows pass through live_jobs: inserts alone need no vacuum there, and its file keeps its size, because a smaller file needs an exclusive lock.
-- The other tables grow, and their new pages are marked visible in small parts, like those of job_logs.
ALTER TABLE "live_jobs" SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000, autovacuum_vacuum_insert_threshold = -1, vacuum_truncate = off
);
ALTER TABLE "finished_jobs" SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000
);
ALTER TABLE "submitted_jobs" SET (
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000
);
