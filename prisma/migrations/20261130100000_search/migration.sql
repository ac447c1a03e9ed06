-- What GET /search finds jobs and messages by. A task of the workers writes it, some time after the rows of jobs and messages are stored. The
-- previous version neither reads nor writes it: what its processes store is indexed by the next worker of this version.
CREATE TYPE "search_kind" AS ENUM ('job', 'message');

CREATE TABLE "search_positions" (
    "org_id" UUID NOT NULL,
    "xid" xid8 NOT NULL DEFAULT '0',
    "key" UUID NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    "batch" INTEGER NOT NULL DEFAULT 0,
    "n" SMALLINT NOT NULL DEFAULT 0,
    CONSTRAINT "search_positions_pkey" PRIMARY KEY ("org_id")
);
ALTER TABLE "search_positions" ADD CONSTRAINT "search_positions_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "search_entries" (
    "org_id" UUID NOT NULL,
    "batch" INTEGER NOT NULL,
    "n" SMALLINT NOT NULL,
    "kind" "search_kind" NOT NULL,
    "key" UUID NOT NULL,
    CONSTRAINT "search_entries_pkey" PRIMARY KEY ("org_id", "batch", "n")
);
CREATE INDEX "search_entries_key_idx" ON "search_entries" ("key");

CREATE TABLE "search_postings" (
    "org_id" UUID NOT NULL,
    "word" TEXT COLLATE "C" NOT NULL,
    "batch" INTEGER NOT NULL,
    "n" SMALLINT,
    "bits" BIT(1024),
    CONSTRAINT "search_postings_value_check" CHECK (num_nonnulls("n", "bits") = 1)
);
CREATE UNIQUE INDEX "search_postings_key" ON "search_postings" ("org_id", "word", "batch" DESC);
CREATE INDEX "search_postings_org_id_batch_idx" ON "search_postings" ("org_id", "batch");
-- Each word of a batch is changed while the batch is filled, and then never again.
ALTER TABLE "search_postings" SET (fillfactor = 90);

CREATE TABLE "search_queue" (
    "id" BIGSERIAL NOT NULL,
    "org_id" UUID NOT NULL,
    "kind" "search_kind" NOT NULL,
    "key" UUID NOT NULL,
    CONSTRAINT "search_queue_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "search_queue_org_id_id_idx" ON "search_queue" ("org_id", "id");
ALTER TABLE "search_queue" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Notes what must be indexed for searches: new messages, failed jobs, and jobs with another payload. New jobs are found by their transactions,
-- so that their submission costs no more.
CREATE FUNCTION "queue_for_search"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'messages' THEN
        INSERT INTO "search_queue" ("org_id", "kind", "key") VALUES (NEW."org_id", 'message', NEW."id");
    ELSE
        INSERT INTO "search_queue" ("org_id", "kind", "key") VALUES (NEW."org_id", 'job', NEW."key");
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "messages_searched" AFTER INSERT ON "messages"
    FOR EACH ROW EXECUTE FUNCTION "queue_for_search"();
CREATE TRIGGER "finished_jobs_searched" AFTER INSERT ON "finished_jobs"
    FOR EACH ROW WHEN (NEW."status" = 'failed') EXECUTE FUNCTION "queue_for_search"();
CREATE TRIGGER "submitted_jobs_searched" AFTER UPDATE OF "payload" ON "submitted_jobs"
    FOR EACH ROW EXECUTE FUNCTION "queue_for_search"();
