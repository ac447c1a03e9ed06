-- Numbers of finished jobs, for GET /stats/jobs: one row for each organization, step of time, type and status. Workers write a step after
-- it has ended.
CREATE TABLE "job_counts" (
    "org_id" UUID NOT NULL,
    "step_minutes" SMALLINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "type" TEXT NOT NULL,
    "status" "job_status" NOT NULL,
    "n" INTEGER NOT NULL
);
-- Statistics read this index alone.
CREATE UNIQUE INDEX "job_counts_key" ON "job_counts" ("org_id", "step_minutes", "at", "type", "status") INCLUDE ("n");

-- What must be added to job_counts, because jobs were deleted or retried after their step was counted, or before. Only inserts, so that no
-- statement waits for another one. A worker adds them up later.
CREATE TABLE "job_count_corrections" (
    "org_id" UUID NOT NULL,
    "step_minutes" SMALLINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "type" TEXT NOT NULL,
    "status" "job_status" NOT NULL,
    "n" INTEGER NOT NULL
);
CREATE INDEX "job_count_corrections_org_id_step_minutes_at_idx" ON "job_count_corrections" ("org_id", "step_minutes", "at");

-- job_counts contains the steps from counted_from to counted_until, without those that are older than kept_minutes. Workers are counting the
-- steps from counted_until to counting_until; the organizations up to after_org are counted already.
CREATE TABLE "job_count_progress" (
    "step_minutes" SMALLINT NOT NULL,
    "kept_minutes" INTEGER NOT NULL,
    "counted_from" TIMESTAMPTZ(3) NOT NULL,
    "counted_until" TIMESTAMPTZ(3) NOT NULL,
    "counting_until" TIMESTAMPTZ(3) NOT NULL,
    "after_org" UUID,
    CONSTRAINT "job_count_progress_pkey" PRIMARY KEY ("step_minutes")
);
-- Workers count the jobs that have finished so far, beginning with the oldest step.
INSERT INTO "job_count_progress" ("step_minutes", "kept_minutes", "counted_from", "counted_until", "counting_until")
SELECT s."step", s."kept", b."since", b."since", b."since"
FROM (VALUES (1, 2 * 60), (30, 30 * 60), (180, 8 * 24 * 60)) AS s("step", "kept"),
    LATERAL (SELECT date_bin(s."step" * interval '1 min', now() - s."kept" * interval '1 min', 'epoch') AS "since") AS b;

-- Jobs older than the counted steps need no correction, so retention writes none.
CREATE FUNCTION "correct_job_counts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "job_count_corrections" ("org_id", "step_minutes", "at", "type", "status", "n")
    SELECT g."org_id", p."step_minutes", date_bin(p."step_minutes" * interval '1 min', g."finished_at", 'epoch'), g."type", g."status", -count(*)
    FROM "gone" g JOIN "job_count_progress" p ON g."finished_at" >= p."counted_until" - p."kept_minutes" * interval '1 min'
    GROUP BY 1, 2, 3, 4, 5;
    RETURN NULL;
END
$$;
CREATE TRIGGER "finished_jobs_counts" AFTER DELETE ON "finished_jobs" REFERENCING OLD TABLE AS "gone"
    FOR EACH STATEMENT EXECUTE FUNCTION "correct_job_counts"();
