-- When a payment is paid or fails, writes an event (webhook_events) if a webhook has chosen it, redacted if its job has ended long enough ago.
CREATE FUNCTION "write_payment_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "job_key", "created_at")
    SELECT NEW."org_id", 'payment.' || NEW."status", "redact_event"(
            json_build_object('id', NEW."id",
            'job_id', (SELECT b."id" FROM "submitted_jobs" b WHERE b."key" = NEW."job_key"), 'status', NEW."status",
            'amount', coalesce(to_json(NEW."amount"), '"[redacted]"'), 'ref', NEW."ref", 'receipt', NEW."receipt", 'result_code', NEW."result_code",
            'result_message', NEW."result_message"),
            "redacted_keys"(NEW."org_id", NEW."job_key")),
        NEW."job_key", date_trunc('milliseconds', clock_timestamp())
    WHERE "has_webhook_for"(NEW."org_id", 'payment.' || NEW."status");
    RETURN NULL;
END
$$;

CREATE TRIGGER "payments_events" AFTER UPDATE ON "payments"
    FOR EACH ROW WHEN (OLD."status" <> NEW."status" AND NEW."status" IN ('paid', 'failed')) EXECUTE FUNCTION "write_payment_event"();
