-- Notes what must be indexed for searches: new messages, failed jobs, and jobs with another payload. New jobs are found by their transactions,
-- so that their submission costs no more.
CREATE FUNCTION "queue_for_search"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'messages' THEN
        INSERT INTO "search_queue" ("org_id", "kind", "key") VALUES (NEW."org_id", 'message', NEW."id");
    ELSE
        INSERT INTO "search_queue" ("org_id", "kind", "key") VALUES (NEW."org_id", 'job', NEW."key");
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "messages_searched" AFTER INSERT ON "messages"
    FOR EACH ROW EXECUTE FUNCTION "queue_for_search"();
CREATE TRIGGER "finished_jobs_searched" AFTER INSERT ON "finished_jobs"
    FOR EACH ROW WHEN (NEW."status" = 'failed') EXECUTE FUNCTION "queue_for_search"();
CREATE TRIGGER "submitted_jobs_searched" AFTER UPDATE OF "payload" ON "submitted_jobs"
    FOR EACH ROW EXECUTE FUNCTION "queue_for_search"();
