-- Settles the conditions on the job of a payment once nothing is left to do for the payment. A row in unsettled_jobs has jobs start that
-- have failed because of an earlier end.
CREATE FUNCTION "settle_after_payment"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM "job_conditions" c WHERE c."after_key" = NEW."job_key" AND c."state" <> 'met') THEN
        PERFORM "settle_conditions"(ARRAY[NEW."job_key"], 200, false);
        INSERT INTO "unsettled_jobs" ("key", "org_id") VALUES (NEW."job_key", NEW."org_id")
        ON CONFLICT ("key") DO UPDATE SET "org_id" = excluded."org_id";
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "payments_settle" AFTER UPDATE ON "payments"
    FOR EACH ROW WHEN (OLD."check_at" IS NOT NULL AND NEW."check_at" IS NULL) EXECUTE FUNCTION "settle_after_payment"();
