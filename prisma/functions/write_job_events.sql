-- When jobs finish, writes an event (webhook_events) for each of them that a webhook has chosen or that has a callback URL. The end of a
-- quiet job is for its callback URL only. A done job has its result, unless that alone is too large for an event. One trigger for all
-- statements that end jobs. It is called once for each statement; OFFSET 0 keeps the lookup of each job by its key.
CREATE FUNCTION "write_job_events"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "job_key", "callback_url", "is_quiet", "created_at")
    SELECT f."org_id", e."type", (CASE WHEN f."status" <> 'done' THEN d."data"
            WHEN octet_length(f."result"::text) > 65536 THEN left(d."data", -1) || ',"result_omitted":true}'
            ELSE left(d."data", -1) || ',"result":' || coalesce(f."result"::text, 'null') || '}' END)::json,
        f."key", s."callback_url", coalesce(f."is_quiet", false), f."finished_at"
    FROM "ended" f CROSS JOIN LATERAL (
        SELECT CASE f."status" WHEN 'done' THEN 'job.done' ELSE 'job.failed' END AS "type") AS e
    LEFT JOIN LATERAL (
        SELECT b."callback_url" FROM "submitted_jobs" b WHERE b."key" = f."key" AND b."callback_url" IS NOT NULL OFFSET 0) AS s ON true
    CROSS JOIN LATERAL (
        SELECT json_strip_nulls(json_build_object('id', f."id", 'type', f."type", 'status', f."status",
            'retries', f."retries", 'max_retries', f."max_retries", 'created_at', "api_time"(f."created_at"),
            'updated_at', "api_time"(f."finished_at"), 'tags', f."tags",
            'error', CASE WHEN f."status" = 'failed' THEN json_build_object('code', f."error_code", 'message', coalesce(f."error_message", '')) END))::text
            AS "data") AS d
    WHERE s."callback_url" IS NOT NULL OR (f."is_quiet" IS NOT TRUE AND EXISTS (
        SELECT 1 FROM "event_subscribers" w
        WHERE w."org_id" = f."org_id" AND w."enabled" AND w."events" && ARRAY[e."type", 'job.*', '*']));
    RETURN NULL;
END
$$;

CREATE TRIGGER "finished_jobs_events" AFTER INSERT ON "finished_jobs" REFERENCING NEW TABLE AS "ended"
    FOR EACH STATEMENT EXECUTE FUNCTION "write_job_events"();
