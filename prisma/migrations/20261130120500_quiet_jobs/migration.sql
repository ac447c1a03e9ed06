-- The end of a quiet job is reported to its callback URL only.
ALTER TABLE "live_jobs" ADD COLUMN "is_quiet" BOOLEAN;
ALTER TABLE "finished_jobs" ADD COLUMN "is_quiet" BOOLEAN;
ALTER TABLE "webhook_events" ADD COLUMN "is_quiet" BOOLEAN NOT NULL DEFAULT false;
-- Whether the ends of the jobs of a bulk action are reported to webhooks.
ALTER TABLE "bulk_actions" ADD COLUMN "events" BOOLEAN NOT NULL DEFAULT true;

-- The events of done jobs get their results.
CREATE OR REPLACE FUNCTION "write_job_events"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "job_key", "callback_url", "is_quiet", "created_at")
    SELECT f."org_id", e."type", (CASE WHEN f."status" <> 'done' THEN d."data"
            WHEN octet_length(f."result"::text) > 65536 THEN left(d."data", -1) || ',"result_omitted":true}'
            ELSE left(d."data", -1) || ',"result":' || coalesce(f."result"::text, 'null') || '}' END)::json,
        f."key", s."callback_url", coalesce(f."is_quiet", false), f."finished_at"
    FROM "ended" f CROSS JOIN LATERAL (
        SELECT CASE f."status" WHEN 'done' THEN 'job.done' ELSE 'job.failed' END AS "type") AS e
    LEFT JOIN LATERAL (
        SELECT b."callback_url" FROM "submitted_jobs" b WHERE b."key" = f."key" AND b."callback_url" IS NOT NULL OFFSET 0) AS s ON true
    CROSS JOIN LATERAL (
        SELECT json_strip_nulls(json_build_object('id', f."id", 'type', f."type", 'status', f."status",
            'retries', f."retries", 'max_retries', f."max_retries", 'created_at', "api_time"(f."created_at"),
            'updated_at', "api_time"(f."finished_at"), 'tags', f."tags",
            'error', CASE WHEN f."status" = 'failed' THEN json_build_object('code', f."error_code", 'message', coalesce(f."error_message", '')) END))::text
            AS "data") AS d
    WHERE s."callback_url" IS NOT NULL OR (f."is_quiet" IS NOT TRUE AND EXISTS (
        SELECT 1 FROM "webhooks" w
        WHERE w."org_id" = f."org_id" AND w."enabled" AND w."events" && ARRAY[e."type", 'job.*', '*']));
    RETURN NULL;
END
$$;

CREATE FUNCTION "write_bulk_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "created_at")
    SELECT NEW."org_id", 'bulk.done', json_strip_nulls(json_build_object('id', NEW."id", 'action', NEW."action", 'filter', NEW."filter",
            'status', NEW."status", 'total', NEW."total", 'done', NEW."done", 'skipped', NEW."skipped", 'failed', NEW."failed",
            'events', CASE WHEN NOT NEW."events" THEN false END,
            'created_at', "api_time"(NEW."created_at"), 'finished_at', "api_time"(NEW."finished_at"))),
        NEW."finished_at"
    WHERE "has_webhook_for"(NEW."org_id", 'bulk.done');
    RETURN NULL;
END
$$;

CREATE TRIGGER "bulk_actions_events" AFTER UPDATE ON "bulk_actions"
    FOR EACH ROW WHEN (OLD."finished_at" IS NULL AND NEW."finished_at" IS NOT NULL) EXECUTE FUNCTION "write_bulk_event"();
