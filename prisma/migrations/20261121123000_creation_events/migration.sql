-- Events: a job's creation is one too, and has its place in the stream. Jobs of before are older than every reader.
ALTER TABLE "jobs" ADD COLUMN "xid" xid8 NOT NULL DEFAULT '0';
ALTER TABLE "jobs" ALTER COLUMN "xid" SET DEFAULT pg_current_xact_id();
CREATE INDEX "jobs_created_idx" ON "jobs"("org_id", "xid");
