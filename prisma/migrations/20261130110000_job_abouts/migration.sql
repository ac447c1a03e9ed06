-- What jobs of built-in types are about. Null for all others, and a null costs nothing. The previous version writes none.
ALTER TABLE "submitted_jobs" ADD COLUMN "abouts" TEXT[];

CREATE TABLE "job_abouts" (
    "org_id" UUID NOT NULL,
    "about" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "id" TEXT NOT NULL,
    "key" UUID NOT NULL,
    CONSTRAINT "job_abouts_pkey" PRIMARY KEY ("org_id", "about", "created_at", "id")
);
ALTER TABLE "job_abouts" SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000000
);

-- The version of the worker of the latest attempt. Null for workers that name no version. The previous version writes none.
ALTER TABLE "live_jobs" ADD COLUMN "worker_version" TEXT;
ALTER TABLE "finished_jobs" ADD COLUMN "worker_version" TEXT;

-- The name of the template that a message was made from.
ALTER TABLE "messages" ADD COLUMN "template" TEXT;

-- Deletes the rows of job_abouts with a job, and replaces them if its payload has changed. The statement that stores a job writes them itself:
-- a trigger for each row would take longer. The conditions of the triggers keep statements about other jobs free of work for them.
CREATE FUNCTION "write_job_abouts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM "job_abouts"
    WHERE "org_id" = OLD."org_id" AND "about" = ANY (OLD."abouts") AND "created_at" = OLD."created_at" AND "id" = OLD."id";
    IF TG_OP = 'UPDATE' THEN
        INSERT INTO "job_abouts" SELECT NEW."org_id", about, NEW."created_at", NEW."id", NEW."key" FROM unnest(NEW."abouts") AS about;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "submitted_jobs_other_about" AFTER UPDATE OF "abouts" ON "submitted_jobs"
    FOR EACH ROW WHEN (OLD."abouts" IS DISTINCT FROM NEW."abouts") EXECUTE FUNCTION "write_job_abouts"();
CREATE TRIGGER "submitted_jobs_without_about" AFTER DELETE ON "submitted_jobs"
    FOR EACH ROW WHEN (OLD."abouts" IS NOT NULL) EXECUTE FUNCTION "write_job_abouts"();
