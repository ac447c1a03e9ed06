-- The caller's own labels of a job. Both are null for most jobs, and a null costs nothing.
ALTER TABLE "submitted_jobs" ADD COLUMN "tags" TEXT[], ADD COLUMN "limit_key" TEXT;
ALTER TABLE "live_jobs" ADD COLUMN "tags" TEXT[], ADD COLUMN "limit_key" TEXT;
ALTER TABLE "finished_jobs" ADD COLUMN "tags" TEXT[], ADD COLUMN "limit_key" TEXT;

-- Lists by tag: one row for each tag of a job.
CREATE TABLE "job_tags" (
    "org_id" UUID NOT NULL,
    "tag" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "id" TEXT NOT NULL,
    "key" UUID NOT NULL,
    CONSTRAINT "job_tags_pkey" PRIMARY KEY ("org_id", "tag", "created_at", "id")
);
ALTER TABLE "job_tags" SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000
);

-- A trigger with a condition: statements that store or delete jobs without tags do no work for tags.
CREATE FUNCTION "write_job_tags"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM "job_tags"
        WHERE "org_id" = OLD."org_id" AND "tag" = ANY (OLD."tags") AND "created_at" = OLD."created_at" AND "id" = OLD."id";
    ELSE
        INSERT INTO "job_tags" SELECT NEW."org_id", tag, NEW."created_at", NEW."id", NEW."key" FROM unnest(NEW."tags") AS tag;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER "submitted_jobs_tagged" AFTER INSERT ON "submitted_jobs"
    FOR EACH ROW WHEN (NEW."tags" IS NOT NULL) EXECUTE FUNCTION "write_job_tags"();
CREATE TRIGGER "submitted_jobs_untagged" AFTER DELETE ON "submitted_jobs"
    FOR EACH ROW WHEN (OLD."tags" IS NOT NULL) EXECUTE FUNCTION "write_job_tags"();

CREATE OR REPLACE VIEW "jobs" AS
SELECT s."key", s."org_id", s."id", s."type", coalesce(l."queue", f."queue") AS "queue", s."payload", s."content_hash",
    coalesce(l."status", f."status") AS "status", s."priority", s."max_retries", coalesce(l."retries", f."retries") AS "retries",
    coalesce(l."attempt", f."attempt") AS "attempt", coalesce(l."crash_count", f."crash_count") AS "crash_count",
    coalesce(l."run_at", f."run_at") AS "run_at", l."place", coalesce(l."enqueue_seq", f."enqueue_seq") AS "enqueue_seq", l."chunk_key",
    l."enqueued_at", l."worker_id", coalesce(l."claim_token", f."claim_token") AS "claim_token", f."result",
    coalesce(l."error_code", f."error_code") AS "error_code", coalesce(l."error_message", f."error_message") AS "error_message", s."traceparent",
    s."created_at", coalesce(l."updated_at", f."finished_at") AS "updated_at", coalesce(l."started_at", f."started_at") AS "started_at",
    coalesce(l."duration_ms", f."duration_ms") AS "duration_ms", f."finished_at",
    coalesce(l."cancel_requested_at", f."cancel_requested_at") AS "cancel_requested_at", s."xid", s."tags", s."limit_key"
FROM "submitted_jobs" s LEFT JOIN "live_jobs" l ON l."key" = s."key" LEFT JOIN "finished_jobs" f ON f."key" = s."key";
