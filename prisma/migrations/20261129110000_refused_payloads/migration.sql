-- The hashes of the schemas of workers that have refused the payload of a job. Null for most jobs, and a null costs nothing.
ALTER TABLE "live_jobs" ADD COLUMN "refused_by" TEXT[];
