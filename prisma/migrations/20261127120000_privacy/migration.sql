-- What an organization chooses about the time for which its data is kept. Redaction has examined the jobs that ended before redacted_until,
-- and of those that ended then, the jobs up to redacted_until_key.
ALTER TABLE "organization_settings" ADD COLUMN "retention_days" INTEGER, ADD COLUMN "redact_keys" TEXT[] DEFAULT ARRAY[]::TEXT[],
    ADD COLUMN "redact_after_days" SMALLINT NOT NULL DEFAULT 0, ADD COLUMN "redacted_until" TIMESTAMPTZ(3), ADD COLUMN "redacted_until_key" UUID;
-- The organizations of which jobs must be deleted or redacted.
CREATE INDEX "organization_settings_retention_idx" ON "organization_settings" ("org_id") WHERE "retention_days" IS NOT NULL;
CREATE INDEX "organization_settings_redact_idx" ON "organization_settings" ("org_id") WHERE "redact_keys" <> '{}';

ALTER TABLE "finished_jobs" ADD COLUMN "redacted_at" TIMESTAMPTZ(3);
-- Null once it is redacted.
ALTER TABLE "payments" ALTER COLUMN "amount" DROP NOT NULL;

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
    coalesce(l."expires_at", f."expires_at") AS "expires_at", s."callback_url", s."limit_name", s."schedule_id", s."planned_at", f."redacted_at"
FROM "submitted_jobs" s LEFT JOIN "live_jobs" l ON l."key" = s."key" LEFT JOIN "finished_jobs" f ON f."key" = s."key";

-- Which of the names are keys of a payload, at any depth; null: none. With a template, subject and body of a message may contain any value,
-- so they are added. Searches the text, because the functions for json refuse U+0000. Payloads are stored without spaces, so a key follows
-- a brace or a comma; inside a string, its quotation marks would be escaped. A payload of more than max_bytes is not searched: it counts as
-- having every key.
CREATE FUNCTION "keys_to_redact"("payload" JSON, "names" TEXT[], "max_bytes" INTEGER DEFAULT NULL) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "content" TEXT;
    "keys" TEXT[];
BEGIN
    IF octet_length("payload"::text) > "max_bytes" THEN
        RETURN "names" || '{subject,body}'::text[];
    END IF;
    -- The operator makes a copy, which is decompressed only once.
    "content" := "payload"::text || '';
    -- Most names are not found by the first search.
    "keys" := (
        SELECT array_agg(n."name") FROM unnest("names") AS n("name"), CAST(to_json(n."name") AS TEXT) AS j("key")
        WHERE strpos("content", j."key" || ':') > 0
            AND (strpos("content", '{' || j."key" || ':') > 0 OR strpos("content", ',' || j."key" || ':') > 0));
    RETURN CASE WHEN "keys" IS NOT NULL AND strpos("content", '"template":') > 0 THEN "keys" || '{subject,body}'::text[] ELSE "keys" END;
END
$$;

-- The keys to redact of a finished job, from the time at which its organization wants it; null: none, or their values are deleted already.
CREATE FUNCTION "redacted_keys"("org_id" UUID, "job_key" UUID, "max_bytes" INTEGER DEFAULT NULL) RETURNS TEXT[] LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    "settings" "organization_settings";
BEGIN
    SELECT * INTO "settings" FROM "organization_settings" o WHERE o."org_id" = $1 AND o."redact_keys" <> '{}';
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    RETURN (
        SELECT "keys_to_redact"(s."payload", "settings"."redact_keys", "max_bytes")
        FROM "finished_jobs" f JOIN "submitted_jobs" s ON s."key" = f."key"
        WHERE f."key" = $2 AND f."finished_at" <= clock_timestamp() - "settings"."redact_after_days" * interval '1 day'
            AND f."finished_at" >= coalesce("settings"."redacted_until", '-infinity'));
END
$$;

-- The data of an event about a message or a payment, in which fields that have the name and the value of a redacted key are redacted.
CREATE FUNCTION "redact_event"("data" JSON, "keys" TEXT[]) RETURNS JSON LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN "keys" && '{to,from,amount,ref}' THEN (
        SELECT json_object_agg(e."key", CASE WHEN e."key" = ANY ("keys") AND e."key" IN ('to', 'from', 'amount', 'ref') THEN '"[redacted]"'::json
            ELSE e."value" END)
        FROM json_each("data") AS e)
    ELSE "data" END
$$;

-- As before, with the key of the job, and redacted if it has ended long enough ago.
CREATE OR REPLACE FUNCTION "write_message_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "job_key", "created_at")
    SELECT NEW."org_id", 'message.' || NEW."status", "redact_event"(
            json_build_object('id', NEW."id", 'channel', NEW."channel", 'status', NEW."status",
            'to', NEW."recipient", 'from', NEW."sender", 'provider', NEW."provider", 'provider_message_id', NEW."provider_message_id",
            'job_id', (SELECT b."id" FROM "submitted_jobs" b WHERE b."key" = NEW."job_key"),
            'error', CASE WHEN NEW."error_code" IS NOT NULL THEN json_build_object('code', NEW."error_code", 'message', coalesce(NEW."error_message", '')) END,
            'created_at', "api_time"(NEW."created_at"), 'updated_at', "api_time"(NEW."updated_at")),
            "redacted_keys"(NEW."org_id", NEW."job_key")),
        NEW."job_key", date_trunc('milliseconds', clock_timestamp())
    WHERE "has_webhook_for"(NEW."org_id", 'message.' || NEW."status");
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION "write_payment_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "job_key", "created_at")
    SELECT NEW."org_id", 'payment.' || NEW."status", "redact_event"(
            json_build_object('id', NEW."id",
            'job_id', (SELECT b."id" FROM "submitted_jobs" b WHERE b."key" = NEW."job_key"), 'status', NEW."status",
            'amount', coalesce(to_json(NEW."amount"), '"[redacted]"'), 'ref', NEW."ref", 'receipt', NEW."receipt", 'result_code', NEW."result_code",
            'result_message', NEW."result_message"),
            "redacted_keys"(NEW."org_id", NEW."job_key")),
        NEW."job_key", date_trunc('milliseconds', clock_timestamp())
    WHERE "has_webhook_for"(NEW."org_id", 'payment.' || NEW."status");
    RETURN NULL;
END
$$;
