-- When a message gets a new status, writes an event (webhook_events) if a webhook has chosen it: the message without its text, and redacted if
-- its job has ended long enough ago.
CREATE FUNCTION "write_message_event"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "job" UUID := coalesce(NEW."job_key", (SELECT m."job_key" FROM "messages" m WHERE m."id" = NEW."copy_of"));
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "job_key", "created_at")
    SELECT NEW."org_id", 'message.' || NEW."status", "redact_event"(
            json_build_object('id', NEW."id", 'channel', NEW."channel", 'status', NEW."status",
            'to', NEW."recipient", 'copied_as', NEW."copied_as", 'from', NEW."sender", 'provider', NEW."provider", 'provider_message_id', NEW."provider_message_id",
            'job_id', (SELECT b."id" FROM "submitted_jobs" b WHERE b."key" = "job"),
            'error', CASE WHEN NEW."error_code" IS NOT NULL THEN json_build_object('code', NEW."error_code", 'message', coalesce(NEW."error_message", '')) END,
            'created_at', "api_time"(NEW."created_at"), 'updated_at', "api_time"(NEW."updated_at")),
            "redacted_keys"(NEW."org_id", "job")),
        "job", date_trunc('milliseconds', clock_timestamp())
    WHERE "has_webhook_for"(NEW."org_id", 'message.' || NEW."status");
    RETURN NULL;
END
$$;

CREATE TRIGGER "messages_events" AFTER UPDATE ON "messages"
    FOR EACH ROW WHEN (OLD."status" <> NEW."status" AND NEW."status" <> 'queued') EXECUTE FUNCTION "write_message_event"();
