-- The first job of the chunk whose entry carries the job. Only the insert writes it.
ALTER TABLE "jobs" ADD COLUMN "chunk_key" UUID;
