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
