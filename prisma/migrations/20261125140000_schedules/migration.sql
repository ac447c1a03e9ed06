CREATE TYPE "schedule_overlap" AS ENUM ('allow', 'skip', 'cancel_previous');
CREATE TYPE "schedule_missed" AS ENUM ('run_once', 'run_all', 'skip');

-- Plans that submit the same job again and again.
CREATE TABLE "schedules" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "cron" TEXT,
    "every_seconds" INTEGER,
    "timezone" TEXT NOT NULL,
    "anchor_at" TIMESTAMPTZ(3) NOT NULL,
    "type" TEXT NOT NULL,
    "payload" JSON NOT NULL,
    "payload_bytes" INTEGER NOT NULL,
    "max_retries" SMALLINT NOT NULL,
    "priority" SMALLINT NOT NULL,
    "tags" TEXT[],
    "limit_name" TEXT,
    "limit_key" TEXT,
    "callback_url" TEXT,
    "overlap" "schedule_overlap" NOT NULL,
    "missed" "schedule_missed" NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "next_run_at" TIMESTAMPTZ(3),
    "last_run_at" TIMESTAMPTZ(3),
    "last_job_id" TEXT,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "cancel_before" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "schedules_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "schedules_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "schedules_one_timing" CHECK (("cron" IS NULL) <> ("every_seconds" IS NULL)),
    CONSTRAINT "schedules_paused_has_no_next" CHECK ("enabled" OR "next_run_at" IS NULL)
);
CREATE UNIQUE INDEX "schedules_org_id_name_key" ON "schedules" ("org_id", "name");
CREATE INDEX "schedules_org_id_created_at_id_idx" ON "schedules" ("org_id", "created_at" DESC, "id" DESC);
-- The schedules that are due next.
CREATE INDEX "schedules_next_run_at_idx" ON "schedules" ("next_run_at") WHERE "next_run_at" IS NOT NULL;
-- The schedules of which earlier jobs must be canceled.
CREATE INDEX "schedules_cancel_before_idx" ON "schedules" ("id") WHERE "cancel_before" IS NOT NULL;
ALTER TABLE "schedules" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- All columns are null for most jobs, and a null costs nothing. In live_jobs only planned jobs have a schedule_id.
ALTER TABLE "submitted_jobs" ADD COLUMN "schedule_id" UUID, ADD COLUMN "planned_at" TIMESTAMPTZ(3);
ALTER TABLE "live_jobs" ADD COLUMN "schedule_id" UUID;

CREATE OR REPLACE VIEW "jobs" AS
SELECT s."key", s."org_id", s."id", s."type", coalesce(l."queue", f."queue") AS "queue", s."payload", s."content_hash",
    coalesce(l."status", f."status") AS "status", s."priority", s."max_retries", coalesce(l."retries", f."retries") AS "retries",
    coalesce(l."attempt", f."attempt") AS "attempt", coalesce(l."crash_count", f."crash_count") AS "crash_count",
    coalesce(l."run_at", f."run_at") AS "run_at", l."place", coalesce(l."enqueue_seq", f."enqueue_seq") AS "enqueue_seq", l."chunk_key",
    l."enqueued_at", l."worker_id", coalesce(l."claim_token", f."claim_token") AS "claim_token", f."result",
    coalesce(l."error_code", f."error_code") AS "error_code", coalesce(l."error_message", f."error_message") AS "error_message", s."traceparent",
    s."created_at", coalesce(l."updated_at", f."finished_at") AS "updated_at", coalesce(l."started_at", f."started_at") AS "started_at",
    coalesce(l."duration_ms", f."duration_ms") AS "duration_ms", f."finished_at",
    coalesce(l."cancel_requested_at", f."cancel_requested_at") AS "cancel_requested_at", s."xid", s."tags", s."limit_key", s."rerun_of",
    coalesce(l."expires_at", f."expires_at") AS "expires_at", s."callback_url", s."limit_name", s."schedule_id", s."planned_at"
FROM "submitted_jobs" s LEFT JOIN "live_jobs" l ON l."key" = s."key" LEFT JOIN "finished_jobs" f ON f."key" = s."key";
