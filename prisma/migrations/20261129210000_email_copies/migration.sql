-- An email to several recipients has a row for each: one for the `to`, and copies. The previous version reads and writes only emails with one
-- recipient; of those with copies, it deletes and redacts only the first row.
CREATE TYPE "copy_kind" AS ENUM ('cc', 'bcc');
ALTER TABLE "messages" ADD COLUMN "copy_of" UUID, ADD COLUMN "copied_as" "copy_kind";

-- Those of the names that are keys of a payload, at any depth, and that decide what is redacted of copies of its values; empty: it has only
-- other ones; null: none. With a template, subject and body of a message may contain any value, so they are added. Searches the text,
-- because the functions for json refuse U+0000. Payloads are stored without spaces, so a key follows a brace or a comma; inside a string,
-- its quotation marks would be escaped. A payload of more than max_bytes is not searched: it counts as having every key.
CREATE OR REPLACE FUNCTION "keys_to_redact"("payload" JSON, "names" TEXT[], "max_bytes" INTEGER DEFAULT NULL) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "copied" TEXT[] := '{to,cc,bcc,from,subject,body,html,text,message,phone,amount,ref}';
    "content" TEXT;
    "pattern" TEXT;
BEGIN
    IF octet_length("payload"::text) > "max_bytes" THEN
        RETURN "names" || '{subject,body}'::text[];
    END IF;
    -- One search for all names, whose time does not grow with their number. A regular expression that captures nothing takes linear time.
    "pattern" := (
        SELECT '[{,](?:' || string_agg(regexp_replace(to_json(n."name")::text, '([^A-Za-z0-9"])', '\\\1', 'g'), '|') || '):'
        FROM unnest("names") AS n("name"));
    -- The operator makes a copy, which is decompressed only once.
    "content" := "payload"::text || '';
    IF ("content" ~ "pattern") IS NOT TRUE THEN
        RETURN NULL;
    END IF;
    RETURN ARRAY(
        SELECT n."name" FROM unnest("copied") AS n("name")
        WHERE n."name" = ANY ("names")
            AND (strpos("content", '{"' || n."name" || '":') > 0 OR strpos("content", ',"' || n."name" || '":') > 0))
        || CASE WHEN strpos("content", '"template":') > 0 THEN '{subject,body}'::text[] END;
END
$$;

-- The data of an event about a message or a payment, in which fields that have the name and the value of a redacted key are redacted. The
-- recipient of a copy has the name "cc" or "bcc".
CREATE OR REPLACE FUNCTION "redact_event"("data" JSON, "keys" TEXT[]) RETURNS JSON LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN "keys" && '{to,cc,bcc,from,amount,ref}' THEN (
        SELECT json_object_agg(e."key", CASE WHEN e."key" IN ('to', 'from', 'amount', 'ref')
            AND CASE e."key" WHEN 'to' THEN coalesce("data"->>'copied_as', 'to') ELSE e."key" END = ANY ("keys") THEN '"[redacted]"'::json
            ELSE e."value" END)
        FROM json_each("data") AS e)
    ELSE "data" END
$$;

-- When a message gets a new status, writes an event (webhook_events) if a webhook has chosen it: the message without its text, and redacted if
-- its job has ended long enough ago.
CREATE OR REPLACE FUNCTION "write_message_event"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "job" UUID := coalesce(NEW."job_key", (SELECT m."job_key" FROM "messages" m WHERE m."id" = NEW."copy_of"));
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "job_key", "created_at")
    SELECT NEW."org_id", 'message.' || NEW."status", "redact_event"(
            json_build_object('id', NEW."id", 'channel', NEW."channel", 'status', NEW."status",
            'to', NEW."recipient", 'copied_as', NEW."copied_as", 'from', NEW."sender", 'provider', NEW."provider", 'provider_message_id', NEW."provider_message_id",
            'job_id', (SELECT b."id" FROM "submitted_jobs" b WHERE b."key" = "job"),
            'error', CASE WHEN NEW."error_code" IS NOT NULL THEN json_build_object('code', NEW."error_code", 'message', coalesce(NEW."error_message", '')) END,
            'created_at', "api_time"(NEW."created_at"), 'updated_at', "api_time"(NEW."updated_at")),
            "redacted_keys"(NEW."org_id", "job")),
        "job", date_trunc('milliseconds', clock_timestamp())
    WHERE "has_webhook_for"(NEW."org_id", 'message.' || NEW."status");
    RETURN NULL;
END
$$;
