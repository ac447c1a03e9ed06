CREATE TYPE "limit_scope" AS ENUM ('organization', 'key');

-- What an organization limits: how its jobs start.
CREATE TABLE "limits" (
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "types" TEXT[],
    "concurrency" INTEGER,
    "per_second" DOUBLE PRECISION,
    "burst" INTEGER,
    "per" "limit_scope" NOT NULL,
    "ordered" BOOLEAN NOT NULL,
    "paused" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "limits_pkey" PRIMARY KEY ("org_id", "name"),
    CONSTRAINT "limits_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- The rate of a limit or of one of its keys: the starts so far use up the rate until next_at. A row in the past can be deleted.
CREATE TABLE "limit_rates" (
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "limit_key" TEXT NOT NULL,
    "next_at" TIMESTAMPTZ(6) NOT NULL,
    CONSTRAINT "limit_rates_pkey" PRIMARY KEY ("org_id", "name", "limit_key")
);
CREATE INDEX "limit_rates_next_at_idx" ON "limit_rates" ("next_at");

-- The operator's bound of each organization's running jobs, as the worker that started last has published it. No row: there is none.
CREATE TABLE "operator_limits" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "org_max_running" INTEGER NOT NULL,
    CONSTRAINT "operator_limits_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "operator_limits_one_row" CHECK ("id" = 1)
);

-- All columns are null for most jobs, and a null costs nothing.
ALTER TABLE "submitted_jobs" ADD COLUMN "limit_name" TEXT;
ALTER TABLE "live_jobs" ADD COLUMN "limit_name" TEXT, ADD COLUMN "accepted_at" TIMESTAMPTZ(3);
-- The lane of a held job: jobs of one lane are under the same limits with the same key. None of the parts contains a line break.
ALTER TABLE "live_jobs" ADD COLUMN "lane" UUID GENERATED ALWAYS AS (
    CASE WHEN "place" = 'held' THEN
        md5("org_id"::text || E'\n' || "queue" || E'\n' || "type" || E'\n' || coalesce("limit_name", '') || E'\n' || coalesce("limit_key", ''))::uuid
    END
) STORED;

-- The lanes that have held jobs, and when the dispatcher looks at each next. It is derived from live_jobs.
CREATE TABLE "limit_lanes" (
    "lane" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "queue" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "limit_name" TEXT NOT NULL,
    "limit_key" TEXT NOT NULL,
    "wake_at" TIMESTAMPTZ(3) NOT NULL,
    "parked_on" TEXT,
    "head_priority" SMALLINT NOT NULL,
    "head_at" TIMESTAMPTZ(3) NOT NULL,
    "idle_since" TIMESTAMPTZ(3),
    CONSTRAINT "limit_lanes_pkey" PRIMARY KEY ("lane")
);
CREATE INDEX "limit_lanes_wake_idx" ON "limit_lanes" ("org_id", "wake_at") WHERE "parked_on" IS NULL;
CREATE INDEX "limit_lanes_parked_idx" ON "limit_lanes" ("org_id", "parked_on", "head_priority" DESC, "head_at") WHERE "parked_on" IS NOT NULL;
CREATE INDEX "limit_lanes_org_id_limit_key_idx" ON "limit_lanes" ("org_id", "limit_key");
ALTER TABLE "limit_lanes" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, vacuum_truncate = off);

-- A job that becomes held wakes its lane, unless the lane has jobs before it anyway. The row of the lane is not locked then, so
-- that submissions to one lane do not wait for each other. A held job that is changed or ends may have kept others of its key.
CREATE FUNCTION "wake_limit_lanes"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND OLD."place" = 'held') THEN
        UPDATE "limit_lanes" SET "wake_at" = now(), "idle_since" = NULL
        WHERE "org_id" = OLD."org_id" AND "limit_key" = coalesce(OLD."limit_key", '') AND "parked_on" IS NULL
            AND "wake_at" > now();
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN NULL;
    END IF;
    PERFORM 1 FROM "limit_lanes" WHERE "lane" = NEW."lane" AND "idle_since" IS NULL AND "head_priority" >= NEW."priority";
    IF NOT FOUND THEN
        INSERT INTO "limit_lanes" ("lane", "org_id", "queue", "type", "limit_name", "limit_key", "wake_at", "head_priority", "head_at")
        VALUES (NEW."lane", NEW."org_id", NEW."queue", NEW."type", coalesce(NEW."limit_name", ''), coalesce(NEW."limit_key", ''), now(),
            NEW."priority", NEW."run_at")
        ON CONFLICT ("lane") DO UPDATE SET "idle_since" = NULL,
            "head_priority" = greatest("limit_lanes"."head_priority", excluded."head_priority"),
            "wake_at" = CASE WHEN "limit_lanes"."idle_since" IS NULL THEN "limit_lanes"."wake_at" ELSE now() END;
    END IF;
    RETURN NULL;
END
$$;
-- The conditions keep the function from being called for jobs without limits.
CREATE TRIGGER "live_jobs_held" AFTER INSERT OR UPDATE ON "live_jobs"
    FOR EACH ROW WHEN (NEW."place" = 'held' AND NEW."status" = 'pending') EXECUTE FUNCTION "wake_limit_lanes"();
CREATE TRIGGER "live_jobs_held_ended" AFTER DELETE ON "live_jobs"
    FOR EACH ROW WHEN (OLD."place" = 'held' AND OLD."status" = 'pending') EXECUTE FUNCTION "wake_limit_lanes"();

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
    coalesce(l."expires_at", f."expires_at") AS "expires_at", s."callback_url", s."limit_name"
FROM "submitted_jobs" s LEFT JOIN "live_jobs" l ON l."key" = s."key" LEFT JOIN "finished_jobs" f ON f."key" = s."key";
