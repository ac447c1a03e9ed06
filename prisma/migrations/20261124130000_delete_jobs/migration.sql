-- A message whose job was deleted stays in the history without its text.
ALTER TABLE "messages" ALTER COLUMN "body" DROP NOT NULL;

-- The last status of a job that was deleted on request: a repeated request with its idempotency key gets it.
CREATE TABLE "deleted_statuses" (
    "key" UUID NOT NULL,
    "status" "job_status" NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "deleted_statuses_pkey" PRIMARY KEY ("key")
);
CREATE INDEX "deleted_statuses_deleted_at_idx" ON "deleted_statuses"("deleted_at");
