-- Settles the conditions of new jobs in less time: only those on jobs that have ended, are failing or paid, and each of them is read once.
-- Called at the end of a transaction that has stored conditions on these jobs. Locks the jobs and their payments, so that each ends, is
-- retried or is paid either before it or after its end, and settles the conditions on those that have ended. Returns the jobs for which
-- more than `max` pending jobs wait, and those that were deleted meanwhile.
CREATE OR REPLACE FUNCTION "begin_waiting"("keys" UUID[], "max" INTEGER, OUT "crowded" UUID[], OUT "gone" UUID[]) LANGUAGE plpgsql AS $$
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

-- Writes what has become of the conditions on these jobs, and moves the jobs that have them: when the last condition is met, a job is due,
-- and when one has failed, it is failing, and so are those that wait until it is done. Without `again` it leaves conditions that have failed.
-- About `max` conditions are written; a row in unsettled_jobs stands for those that are left, and for those of jobs that another transaction
-- has locked. Returns the finished jobs whose conditions have changed.
CREATE OR REPLACE FUNCTION "settle_conditions"("keys" UUID[], "max" INTEGER, "again" BOOLEAN) RETURNS UUID[] LANGUAGE plpgsql AS $$
DECLARE
    "changed" INTEGER;
    -- The conditions whose state changes, and how many jobs have them.
    "waiting" UUID[];
    "places" INTEGER[];
    "states" "condition_state"[];
    "jobs" INTEGER;
    "live" UUID[];
    "finished" UUID[];
    "left" UUID[] := '{}';
    "ended" UUID[] := '{}';
    "at" TIMESTAMPTZ := date_trunc('milliseconds', clock_timestamp());
BEGIN
    WHILE cardinality("keys") > 0 AND "max" > 0 LOOP
        SELECT array_agg(d."job_key"), array_agg(d."n"), array_agg(d."state"), count(DISTINCT d."job_key")
        INTO "waiting", "places", "states", "jobs" FROM (
            SELECT c."job_key", c."n", s."state" FROM unnest("keys") AS k("key"), unnest(enum_range(NULL::"condition_until")) AS u("until"),
                LATERAL (
                    SELECT "condition_state"(k."key", u."until") AS "state" WHERE EXISTS (
                        SELECT 1 FROM "job_conditions" i
                        WHERE i."after_key" = k."key" AND i."state" <> 'met' AND ("again" OR i."state" = 'waiting') AND i."until" = u."until")
                    OFFSET 0) AS s,
                LATERAL (
                    SELECT i."job_key", i."n" FROM "job_conditions" i
                    WHERE i."after_key" = k."key" AND i."state" <> 'met' AND ("again" OR i."state" = 'waiting')
                        AND i."until" = u."until" AND i."state" <> s."state"
                    ORDER BY i."job_key" LIMIT "max" + 1) AS c
            LIMIT "max" + 1) AS d;
        "changed" := coalesce(cardinality("waiting"), 0);
        EXIT WHEN "changed" = 0;
        -- Locked before their conditions are read again: of two transactions that meet the last two conditions of a job, the second one sees both.
        "live" := ARRAY(SELECT j."key" FROM "live_jobs" j WHERE j."key" = ANY ("waiting") ORDER BY j."key" FOR NO KEY UPDATE SKIP LOCKED);
        "finished" := ARRAY(SELECT f."key" FROM "finished_jobs" f WHERE f."key" = ANY ("waiting") ORDER BY f."key" FOR NO KEY UPDATE SKIP LOCKED);
        "ended" := "ended" || "finished";
        UPDATE "job_conditions" c SET "state" = d."state"
        FROM unnest("waiting", "places", "states") AS d("job_key", "n", "state"), unnest("live" || "finished") AS l("key")
        WHERE l."key" = d."job_key" AND c."job_key" = d."job_key" AND c."n" = d."n"
            AND c."state" <> 'met' AND ("again" OR c."state" = 'waiting');
        IF "changed" > "max" OR cardinality("live") + cardinality("finished") < "jobs" THEN
            "left" := "left" || "keys";
        END IF;
        -- What waits for one job after the other takes as long as ten conditions each.
        "max" := "max" - greatest("changed", 10);
        WITH "moved" AS (
            UPDATE "live_jobs" j SET
                "place" = (CASE
                    WHEN s."failed" THEN 'failing'
                    WHEN s."waiting" THEN 'blocked'
                    WHEN "under_limit"(j."org_id", j."limit_name", j."type")
                        AND (j."run_at" <= "at" OR "under_ordered_limit"(j."org_id", j."limit_name", j."type")) THEN 'held'
                    WHEN j."run_at" > "at" THEN 'scheduled'
                    ELSE 'waiting' END)::"job_place",
                "run_at" = CASE WHEN s."failed" OR s."waiting" THEN j."run_at" ELSE greatest(j."run_at", "at") END,
                "accepted_at" = CASE WHEN s."failed" OR s."waiting" THEN j."accepted_at" ELSE "at" END
            FROM (
                SELECT c."job_key", bool_or(c."state" = 'failed') AS "failed", bool_or(c."state" = 'waiting') AS "waiting"
                FROM "job_conditions" c WHERE c."job_key" = ANY ("live") GROUP BY c."job_key") AS s,
                "live_jobs" w
            WHERE j."key" = s."job_key" AND w."key" = j."key" AND j."status"::text = 'pending'
                AND j."place" IN ('blocked', 'failing')
            RETURNING j."key", (w."place" = 'failing') <> (j."place" = 'failing') AS "turns")
        SELECT coalesce(array_agg(m."key"), '{}') INTO "keys" FROM "moved" m WHERE m."turns";
    END LOOP;
    IF "max" <= 0 THEN
        "left" := "left" || "keys";
    END IF;
    IF "left" <> '{}' THEN
        -- Locks a row that exists: whoever settles it does so after this transaction.
        INSERT INTO "unsettled_jobs" ("key", "org_id")
        SELECT s."key", s."org_id" FROM "submitted_jobs" s
        WHERE s."key" = ANY ("left") AND EXISTS (SELECT 1 FROM "job_conditions" c WHERE c."after_key" = s."key" AND c."state" <> 'met')
        ORDER BY s."key"
        ON CONFLICT ("key") DO UPDATE SET "org_id" = excluded."org_id";
    END IF;
    RETURN "ended";
END
$$;
