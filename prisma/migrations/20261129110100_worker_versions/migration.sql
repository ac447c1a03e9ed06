-- The version of its handlers that a worker names. Null: it names none.
ALTER TABLE "workers" ADD COLUMN "version" TEXT;
-- The worker of an attempt, in the line that starts it. Null for workers that name no version, and a null costs nothing.
ALTER TABLE "job_logs" ADD COLUMN "worker_name" TEXT, ADD COLUMN "worker_version" TEXT;
