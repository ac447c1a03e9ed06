-- The span that submitted a job, so that its attempts continue its trace. Null where nobody traces: then it takes no room.
ALTER TABLE "jobs" ADD COLUMN "traceparent" TEXT;
