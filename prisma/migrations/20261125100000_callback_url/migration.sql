-- For reports of the end of a job. Null for most jobs, and a null costs nothing.
ALTER TABLE "submitted_jobs" ADD COLUMN "callback_url" TEXT;

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
    coalesce(l."expires_at", f."expires_at") AS "expires_at", s."callback_url"
FROM "submitted_jobs" s LEFT JOIN "live_jobs" l ON l."key" = s."key" LEFT JOIN "finished_jobs" f ON f."key" = s."key";
