-- Settles the conditions on jobs that have ended, on the spot as far as they are few. A row in unsettled_jobs has those settled that name jobs
-- which are live again, or gone. Without conditions it costs one index lookup for each job, whatever the statistics of the
-- tables are when it is planned.
CREATE FUNCTION "settle_after"() RETURNS trigger LANGUAGE plpgsql SET "enable_seqscan" = off AS $$
DECLARE
    "awaited" UUID[];
BEGIN
    "awaited" := ARRAY(
        SELECT e."key" FROM "changed" e, LATERAL (
            SELECT 1 FROM "job_conditions" c WHERE c."after_key" = e."key" AND c."state" <> 'met' LIMIT 1) AS w);
    IF "awaited" = '{}' THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'INSERT' THEN
        PERFORM "settle_conditions"("awaited", 200, false);
        RETURN NULL;
    END IF;
    -- Locks a row that exists: whoever settles it does so after this transaction.
    INSERT INTO "unsettled_jobs" ("key", "org_id")
    SELECT e."key", e."org_id" FROM "changed" e WHERE e."key" = ANY ("awaited") ORDER BY e."key"
    ON CONFLICT ("key") DO UPDATE SET "org_id" = excluded."org_id";
    RETURN NULL;
END
$$;

CREATE TRIGGER "finished_jobs_settle" AFTER INSERT ON "finished_jobs" REFERENCING NEW TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "settle_after"();
CREATE TRIGGER "finished_jobs_gone_settle" AFTER DELETE ON "finished_jobs" REFERENCING OLD TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "settle_after"();
