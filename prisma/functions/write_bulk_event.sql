-- When a bulk action has finished or was stopped, writes an event (webhook_events) if a webhook has chosen it: the action as the API shows it.
CREATE FUNCTION "write_bulk_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "created_at")
    SELECT NEW."org_id", 'bulk.done', json_strip_nulls(json_build_object('id', NEW."id", 'action', NEW."action", 'filter', NEW."filter",
            'status', NEW."status", 'total', NEW."total", 'done', NEW."done", 'skipped', NEW."skipped", 'failed', NEW."failed",
            'events', CASE WHEN NOT NEW."events" THEN false END,
            'created_at', "api_time"(NEW."created_at"), 'finished_at', "api_time"(NEW."finished_at"))),
        NEW."finished_at"
    WHERE "has_webhook_for"(NEW."org_id", 'bulk.done');
    RETURN NULL;
END
$$;

CREATE TRIGGER "bulk_actions_events" AFTER UPDATE ON "bulk_actions"
    FOR EACH ROW WHEN (OLD."finished_at" IS NULL AND NEW."finished_at" IS NOT NULL) EXECUTE FUNCTION "write_bulk_event"();
