-- Those of the names that are keys of a payload, at any depth, and that decide what is redacted of copies of its values; empty: it has only
-- other ones; null: none. With a template, subject and body of a message may contain any value, so they are added. Searches the text,
-- because the functions for json refuse U+0000. Payloads are stored without spaces, so a key follows a brace or a comma; inside a string,
-- its quotation marks would be escaped. A payload of more than max_bytes is not searched: it counts as having every key.
CREATE OR REPLACE FUNCTION "keys_to_redact"("payload" JSON, "names" TEXT[], "max_bytes" INTEGER DEFAULT NULL) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "copied" TEXT[] := '{to,from,subject,body,message,phone,amount,ref}';
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

-- The keys to redact of those of these finished jobs that have some, from the time at which their organization wants it, until their values
-- are deleted. It searches the payloads in the order of the keys, each up to max_bytes, until it has read total_bytes; what comes after
-- counts as having every key.
CREATE FUNCTION "redacted_keys_of"("org_id" UUID, "job_keys" UUID[], "max_bytes" INTEGER, "total_bytes" INTEGER)
RETURNS TABLE ("job_key" UUID, "keys" TEXT[]) LANGUAGE plpgsql STABLE AS $$
DECLARE
    "settings" "organization_settings";
    "job" RECORD;
    "bytes_left" INTEGER := "total_bytes";
BEGIN
    SELECT * INTO "settings" FROM "organization_settings" o WHERE o."org_id" = $1 AND o."redact_keys" <> '{}';
    IF NOT FOUND THEN
        RETURN;
    END IF;
    FOR "job" IN
        SELECT s."key", s."payload" FROM unnest("job_keys") WITH ORDINALITY AS n("key", "position")
            JOIN "finished_jobs" f ON f."key" = n."key" JOIN "submitted_jobs" s ON s."key" = n."key"
        WHERE f."finished_at" <= clock_timestamp() - "settings"."redact_after_days" * interval '1 day'
            AND f."finished_at" >= coalesce("settings"."redacted_until", '-infinity')
        ORDER BY n."position"
    LOOP
        "job_key" := "job"."key";
        -- The payload of a row is decompressed only here.
        "keys" := CASE WHEN "bytes_left" > 0 THEN "keys_to_redact"("job"."payload", "settings"."redact_keys", "max_bytes")
            ELSE "settings"."redact_keys" || '{subject,body}'::text[] END;
        IF "bytes_left" > 0 THEN
            "bytes_left" := "bytes_left" - octet_length("job"."payload"::text);
        END IF;
        IF "keys" IS NOT NULL THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END
$$;
