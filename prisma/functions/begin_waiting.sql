-- Called at the end of a transaction that has stored conditions on these jobs. Locks the jobs and their payments, so that each ends, is
-- retried or is paid either before it or after its end, and settles the conditions on those that have ended. Returns the jobs for which
-- more than `max` pending jobs wait, and those that were deleted meanwhile.
CREATE FUNCTION "begin_waiting"("keys" UUID[], "max" INTEGER, OUT "crowded" UUID[], OUT "gone" UUID[]) LANGUAGE plpgsql AS $$
DECLARE
    "live" UUID[];
    "finished" UUID[];
    "paid" UUID[];
    "ended" UUID[];
BEGIN
    -- A job that is moved between the two tables meanwhile is found in neither.
    FOR "n" IN 1..10 LOOP
        "live" := ARRAY(SELECT j."key" FROM "live_jobs" j WHERE j."key" = ANY ("keys") ORDER BY j."key" FOR NO KEY UPDATE);
        "finished" := ARRAY(SELECT f."key" FROM "finished_jobs" f WHERE f."key" = ANY ("keys") ORDER BY f."key" FOR NO KEY UPDATE);
        EXIT WHEN cardinality("live") + cardinality("finished") >= cardinality("keys");
    END LOOP;
    "gone" := ARRAY(SELECT unnest("keys") EXCEPT SELECT unnest("live" || "finished"));
    "paid" := ARRAY(SELECT p."job_key" FROM "payments" p WHERE p."job_key" = ANY ("keys") ORDER BY p."job_key" FOR SHARE);
    UPDATE "live_jobs" j SET "is_awaited" = true WHERE j."key" = ANY ("live") AND NOT j."is_awaited";
    -- Conditions on other jobs are neither met nor failed.
    "ended" := ARRAY(
        SELECT unnest("finished" || "paid")
        UNION SELECT j."key" FROM "live_jobs" j WHERE j."key" = ANY ("live") AND j."place" = 'failing');
    -- As many as one request can store.
    PERFORM "settle_conditions"("ended", 20000, false);
    "crowded" := ARRAY(
        SELECT k."key" FROM unnest("keys") AS k("key") WHERE (
            SELECT count(*) FROM (
                SELECT 1 FROM "job_conditions" c JOIN "live_jobs" j ON j."key" = c."job_key"
                WHERE c."after_key" = k."key" AND c."state" <> 'met' AND c."state" = 'waiting' LIMIT "max" + 1) AS w) > "max");
END
$$;
