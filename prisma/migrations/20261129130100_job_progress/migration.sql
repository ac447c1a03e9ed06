-- The latest progress of each job that reports some. The previous version writes none.
CREATE TABLE "job_progress" (
    "job_key" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "percent" DOUBLE PRECISION NOT NULL,
    "text" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT "job_progress_pkey" PRIMARY KEY ("job_key")
);
-- Streams of an organization read what is new in this order.
CREATE INDEX "job_progress_org_id_xid_job_key_idx" ON "job_progress" ("org_id", "xid", "job_key");
ALTER TABLE "job_progress" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
