-- What an organization has chosen for its alerts in addition to channels and thresholds: {min_jobs, types, chat}, each only if it is set.
ALTER TABLE "organization_settings" ADD COLUMN "alert_options" JSONB NOT NULL DEFAULT '{}';
-- An alert within an hour of another one that was sent is listed only.
ALTER TABLE "alerts" ADD COLUMN "is_silent" BOOLEAN NOT NULL DEFAULT false;
