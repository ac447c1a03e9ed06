-- Files that callers upload for their jobs, and what unfinished jobs take bytes from. The previous version neither reads nor writes
-- any of it; its workers end jobs with sources like all others, and the trigger forgets their sources.
CREATE TABLE "files" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size" INTEGER NOT NULL DEFAULT 0,
    "sha256" BYTEA,
    "parts" INTEGER NOT NULL DEFAULT 0,
    "is_in_store" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "files_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "files_org_id_created_at_id_idx" ON "files" ("org_id", "created_at" DESC, "id" DESC);
CREATE INDEX "files_expires_at_idx" ON "files" ("expires_at");
ALTER TABLE "files" ADD CONSTRAINT "files_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "file_parts" (
    "file_id" UUID NOT NULL,
    "n" INTEGER NOT NULL,
    "bytes" BYTEA NOT NULL,
    CONSTRAINT "file_parts_pkey" PRIMARY KEY ("file_id", "n")
);
ALTER TABLE "file_parts" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
ALTER TABLE "file_parts" ADD CONSTRAINT "file_parts_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "files" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "job_sources" (
    "org_id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "job_key" UUID NOT NULL,
    CONSTRAINT "job_sources_pkey" PRIMARY KEY ("org_id", "source", "job_key")
);
ALTER TABLE "job_sources" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

ALTER TABLE "live_jobs" ADD COLUMN "sources" TEXT[];
ALTER TABLE "finished_jobs" ADD COLUMN "sources" TEXT[];

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

-- Which of these sources of a job do not exist any more: `file:<id>` or `job:<id>`.
CREATE FUNCTION "gone_sources"("org" UUID, "sources" TEXT[]) RETURNS TEXT[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(source), '{}') FROM unnest("sources") AS source
    WHERE NOT CASE WHEN source LIKE 'file:%' THEN EXISTS (
            SELECT FROM "files" f WHERE f."id" = substr(source, 6)::uuid AND f."org_id" = "org" AND f."sha256" IS NOT NULL
                AND (f."expires_at" > now() OR EXISTS (SELECT FROM "job_sources" s WHERE s."org_id" = "org" AND s."source" = source)))
        ELSE EXISTS (SELECT FROM "submitted_jobs" j WHERE j."org_id" = "org" AND j."id" = substr(source, 5)) END
$$;
