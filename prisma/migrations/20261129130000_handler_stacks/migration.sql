-- The stack of the error that a custom handler threw. The previous version writes none.
ALTER TABLE "job_logs" ADD COLUMN "stack" TEXT;
