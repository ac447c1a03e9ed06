-- When somebody asked to cancel the job.
ALTER TABLE "jobs" ADD COLUMN "cancel_requested_at" TIMESTAMPTZ(3);

-- Whatever makes a job pending again must first see that nobody asked to cancel it: such a job never runs again.
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_canceled_never_pending" CHECK ("status" <> 'pending' OR "cancel_requested_at" IS NULL);
