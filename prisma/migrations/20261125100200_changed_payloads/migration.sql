-- The size of a payload that replaced the submitted one. Null for most jobs, and a null costs nothing.
ALTER TABLE "live_jobs" ADD COLUMN "changed_payload_bytes" INTEGER;
