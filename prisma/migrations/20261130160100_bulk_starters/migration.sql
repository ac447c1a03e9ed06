-- Who started a bulk action: a user, or an API key. Rows of the previous version have neither.
ALTER TABLE "bulk_actions" ADD COLUMN "created_by" UUID, ADD COLUMN "api_key" UUID;

CREATE OR REPLACE FUNCTION "write_bulk_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "created_at")
    SELECT NEW."org_id", 'bulk.done', json_strip_nulls(json_build_object('id', NEW."id", 'action', NEW."action", 'filter', NEW."filter",
            'status', NEW."status", 'total', NEW."total", 'done', NEW."done", 'skipped', NEW."skipped", 'failed', NEW."failed",
            'events', CASE WHEN NOT NEW."events" THEN false END, 'created_by', NEW."created_by", 'api_key', NEW."api_key",
            'created_at', "api_time"(NEW."created_at"), 'finished_at', "api_time"(NEW."finished_at"))),
        NEW."finished_at"
    WHERE "has_webhook_for"(NEW."org_id", 'bulk.done');
    RETURN NULL;
END
$$;
