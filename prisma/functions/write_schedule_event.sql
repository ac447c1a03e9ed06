-- When a schedule has skipped planned times, writes an event (webhook_events) if a webhook has chosen it.
CREATE FUNCTION "write_schedule_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "created_at")
    SELECT NEW."org_id", 'schedule.skipped', json_build_object('id', NEW."id", 'name', NEW."name",
            'skipped', NEW."skipped" - OLD."skipped", 'last_job_id', NEW."last_job_id"),
        date_trunc('milliseconds', clock_timestamp())
    WHERE "has_webhook_for"(NEW."org_id", 'schedule.skipped');
    RETURN NULL;
END
$$;

CREATE TRIGGER "schedules_events" AFTER UPDATE ON "schedules"
    FOR EACH ROW WHEN (NEW."skipped" > OLD."skipped") EXECUTE FUNCTION "write_schedule_event"();
