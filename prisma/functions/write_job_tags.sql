-- Writes a row of job_tags for each tag of a new job, and deletes these rows with the job. The conditions of the triggers keep
-- statements that store or delete jobs without tags free of work for tags.
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
