-- What has become of a condition on a job: whether it is met, has failed, or neither yet. A payment counts once its job has its result. A job
-- that is failing will not be done.
CREATE FUNCTION "condition_state"("after_key" UUID, "until" "condition_until") RETURNS "condition_state" LANGUAGE plpgsql STABLE AS $$
DECLARE
    "ended" "job_status";
    "payment" RECORD;
BEGIN
    SELECT f."status" INTO "ended" FROM "finished_jobs" f WHERE f."key" = $1;
    IF $2 = 'paid' THEN
        SELECT p."status"::text AS "status", p."check_at" INTO "payment" FROM "payments" p WHERE p."job_key" = $1;
        IF "payment"."check_at" IS NOT NULL THEN
            RETURN 'waiting';
        ELSIF "payment"."status" = 'paid' THEN
            RETURN 'met';
        ELSIF "payment"."status" = 'failed' THEN
            RETURN 'failed';
        END IF;
    ELSIF "ended" = 'done' OR ("ended" = 'failed' AND $2 = 'ended') THEN
        RETURN 'met';
    END IF;
    IF "ended" IS NULL AND EXISTS (SELECT 1 FROM "live_jobs" j WHERE j."key" = $1 AND ($2 <> 'done' OR j."place" <> 'failing')) THEN
        RETURN 'waiting';
    END IF;
    RETURN 'failed';
END
$$;
