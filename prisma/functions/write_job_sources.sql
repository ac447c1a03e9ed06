-- Keeps the rows of job_sources: those of the files and jobs that an unfinished job takes bytes from. The conditions of the triggers
-- keep statements about jobs without sources free of work for them.
CREATE FUNCTION "write_job_sources"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM "job_sources" WHERE "org_id" = OLD."org_id" AND "source" = ANY (OLD."sources") AND "job_key" = OLD."key";
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO "job_sources" ("org_id", "source", "job_key")
        SELECT DISTINCT NEW."org_id", source, NEW."key" FROM unnest(NEW."sources") AS source;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "live_jobs_with_sources" AFTER INSERT ON "live_jobs"
    FOR EACH ROW WHEN (NEW."sources" IS NOT NULL) EXECUTE FUNCTION "write_job_sources"();
CREATE TRIGGER "live_jobs_other_sources" AFTER UPDATE OF "sources" ON "live_jobs"
    FOR EACH ROW WHEN (OLD."sources" IS DISTINCT FROM NEW."sources") EXECUTE FUNCTION "write_job_sources"();
CREATE TRIGGER "live_jobs_without_sources" AFTER DELETE ON "live_jobs"
    FOR EACH ROW WHEN (OLD."sources" IS NOT NULL) EXECUTE FUNCTION "write_job_sources"();
