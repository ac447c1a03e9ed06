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
