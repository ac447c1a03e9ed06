-- Jobs that start after others. The previous version stores no conditions, and the triggers cost it one index lookup for each job that ends.
CREATE TYPE "condition_until" AS ENUM ('done', 'ended', 'paid');
CREATE TYPE "condition_state" AS ENUM ('waiting', 'met', 'failed');

CREATE TABLE "job_conditions" (
    "job_key" UUID NOT NULL,
    "n" SMALLINT NOT NULL,
    "org_id" UUID NOT NULL,
    "after_key" UUID NOT NULL,
    "after_id" TEXT NOT NULL,
    "until" "condition_until" NOT NULL,
    "state" "condition_state" NOT NULL DEFAULT 'waiting',
    "refers" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "id" TEXT NOT NULL,
    CONSTRAINT "job_conditions_pkey" PRIMARY KEY ("job_key", "n")
);
ALTER TABLE "job_conditions" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000);
-- What a job that ends, or is retried, settles.
CREATE INDEX "job_conditions_open_idx" ON "job_conditions" ("after_key", "job_key") WHERE "state" <> 'met';
-- For lists of the jobs that name a job.
CREATE INDEX "job_conditions_after_key_created_at_id_idx" ON "job_conditions" ("after_key", "created_at" DESC, "id" DESC);

-- The jobs on which conditions are left to settle.
CREATE TABLE "unsettled_jobs" (
    "key" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    CONSTRAINT "unsettled_jobs_pkey" PRIMARY KEY ("key")
);
CREATE INDEX "unsettled_jobs_org_id_key_idx" ON "unsettled_jobs" ("org_id", "key");

-- Null: the job was submitted without `after`. Otherwise whether its payload has references.
ALTER TABLE "submitted_jobs" ADD COLUMN "refers" BOOLEAN;
ALTER TABLE "live_jobs" ADD COLUMN "refers" BOOLEAN;
-- Whether other jobs may wait for the job.
ALTER TABLE "live_jobs" ADD COLUMN "is_awaited" BOOLEAN NOT NULL DEFAULT false;

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

-- Writes what has become of the conditions on these jobs, and moves the jobs that have them: when the last condition is met, a job is due,
-- and when one has failed, it is failing, and so are those that wait until it is done. Without `again` it leaves conditions that have failed.
-- About `max` conditions are written; a row in unsettled_jobs stands for those that are left, and for those of jobs that another transaction
-- has locked. Returns the finished jobs whose conditions have changed.
CREATE FUNCTION "settle_conditions"("keys" UUID[], "max" INTEGER, "again" BOOLEAN) RETURNS UUID[] LANGUAGE plpgsql AS $$
DECLARE
    "changed" INTEGER;
    "waiting" UUID[];
    "live" UUID[];
    "finished" UUID[];
    "left" UUID[] := '{}';
    "ended" UUID[] := '{}';
    "at" TIMESTAMPTZ := date_trunc('milliseconds', clock_timestamp());
BEGIN
    WHILE cardinality("keys") > 0 AND "max" > 0 LOOP
        SELECT count(*), array_agg(DISTINCT d."job_key") INTO "changed", "waiting" FROM (
            SELECT c."job_key" FROM unnest("keys") AS k("key"), unnest(enum_range(NULL::"condition_until")) AS u("until"),
                LATERAL (SELECT "condition_state"(k."key", u."until") AS "state" OFFSET 0) AS s,
                LATERAL (
                    SELECT i."job_key" FROM "job_conditions" i
                    WHERE i."after_key" = k."key" AND i."state" <> 'met' AND ("again" OR i."state" = 'waiting')
                        AND i."until" = u."until" AND i."state" <> s."state"
                    ORDER BY i."job_key" LIMIT "max" + 1) AS c
            LIMIT "max" + 1) AS d;
        EXIT WHEN "changed" = 0;
        -- Locked before their conditions are read again: of two transactions that meet the last two conditions of a job, the second one sees both.
        "live" := ARRAY(SELECT j."key" FROM "live_jobs" j WHERE j."key" = ANY ("waiting") ORDER BY j."key" FOR NO KEY UPDATE SKIP LOCKED);
        "finished" := ARRAY(SELECT f."key" FROM "finished_jobs" f WHERE f."key" = ANY ("waiting") ORDER BY f."key" FOR NO KEY UPDATE SKIP LOCKED);
        "ended" := "ended" || "finished";
        UPDATE "job_conditions" c SET "state" = s."state"
        FROM unnest("keys") AS k("key"), unnest(enum_range(NULL::"condition_until")) AS u("until"),
            LATERAL (SELECT "condition_state"(k."key", u."until") AS "state" OFFSET 0) AS s
        WHERE c."job_key" = ANY ("live" || "finished") AND c."after_key" = k."key" AND c."state" <> 'met' AND ("again" OR c."state" = 'waiting')
            AND c."until" = u."until" AND c."state" <> s."state";
        IF "changed" > "max" OR cardinality("live") + cardinality("finished") < cardinality("waiting") THEN
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
            WHERE j."key" = ANY ("live") AND j."key" = s."job_key" AND w."key" = j."key" AND j."status"::text = 'pending'
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

-- Whether an unfinished job needs the finished job with this key: it waits for it, or its payload refers to it. It sees what was committed
-- before it is called, so a statement that calls it for a row that it has locked sees every job that was stored under an earlier lock.
CREATE FUNCTION "is_needed"("key" UUID) RETURNS BOOLEAN LANGUAGE plpgsql SET "enable_seqscan" = off AS $$
BEGIN
    RETURN EXISTS (
        SELECT 1 FROM "job_conditions" c JOIN "live_jobs" w ON w."key" = c."job_key"
        WHERE c."after_key" = $1 AND (c."refers" OR c."state" = 'waiting'));
END
$$;

-- Called at the end of a transaction that has stored conditions on these jobs. Locks the jobs and their payments, so that each ends, is
-- retried or is paid either before it or after its end, and settles the conditions on those that have ended. Returns the jobs for which
-- more than `max` pending jobs wait, and those that were deleted meanwhile.
CREATE FUNCTION "begin_waiting"("keys" UUID[], "max" INTEGER, OUT "crowded" UUID[], OUT "gone" UUID[]) LANGUAGE plpgsql AS $$
DECLARE
    "live" UUID[];
    "finished" UUID[];
BEGIN
    -- A job that is moved between the two tables meanwhile is found in neither.
    FOR "n" IN 1..10 LOOP
        "live" := ARRAY(SELECT j."key" FROM "live_jobs" j WHERE j."key" = ANY ("keys") ORDER BY j."key" FOR NO KEY UPDATE);
        "finished" := ARRAY(SELECT f."key" FROM "finished_jobs" f WHERE f."key" = ANY ("keys") ORDER BY f."key" FOR NO KEY UPDATE);
        EXIT WHEN cardinality("live") + cardinality("finished") >= cardinality("keys");
    END LOOP;
    "gone" := ARRAY(SELECT k."key" FROM unnest("keys") AS k("key") WHERE k."key" <> ALL ("live" || "finished"));
    PERFORM 1 FROM "payments" p WHERE p."job_key" = ANY ("keys") ORDER BY p."job_key" FOR SHARE;
    UPDATE "live_jobs" j SET "is_awaited" = true WHERE j."key" = ANY ("live") AND NOT j."is_awaited";
    -- As many as one request can store.
    PERFORM "settle_conditions"("keys", 20000, false);
    "crowded" := ARRAY(
        SELECT k."key" FROM unnest("keys") AS k("key") WHERE (
            SELECT count(*) FROM (
                SELECT 1 FROM "job_conditions" c JOIN "live_jobs" j ON j."key" = c."job_key"
                WHERE c."after_key" = k."key" AND c."state" <> 'met' AND c."state" = 'waiting' LIMIT "max" + 1) AS w) > "max");
END
$$;

-- Settles the conditions on jobs that have ended, on the spot as far as they are few. A row in unsettled_jobs has those settled that name jobs
-- which are live again, or gone. Without conditions it costs one index lookup for each job, whatever the statistics of the
-- tables are when it is planned.
CREATE FUNCTION "settle_after"() RETURNS trigger LANGUAGE plpgsql SET "enable_seqscan" = off AS $$
DECLARE
    "awaited" UUID[];
BEGIN
    "awaited" := ARRAY(
        SELECT e."key" FROM "changed" e, LATERAL (
            SELECT 1 FROM "job_conditions" c WHERE c."after_key" = e."key" AND c."state" <> 'met' LIMIT 1) AS w);
    IF "awaited" = '{}' THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'INSERT' THEN
        PERFORM "settle_conditions"("awaited", 200, false);
        RETURN NULL;
    END IF;
    -- Locks a row that exists: whoever settles it does so after this transaction.
    INSERT INTO "unsettled_jobs" ("key", "org_id")
    SELECT e."key", e."org_id" FROM "changed" e WHERE e."key" = ANY ("awaited") ORDER BY e."key"
    ON CONFLICT ("key") DO UPDATE SET "org_id" = excluded."org_id";
    RETURN NULL;
END
$$;

CREATE TRIGGER "finished_jobs_settle" AFTER INSERT ON "finished_jobs" REFERENCING NEW TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "settle_after"();
CREATE TRIGGER "finished_jobs_gone_settle" AFTER DELETE ON "finished_jobs" REFERENCING OLD TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "settle_after"();

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
