-- Numbers of failed attempts, for GET /stats/jobs: they stay when the job is retried or deleted. Statements that record attempts only insert,
-- so that none waits for another one. Workers merge the rows into those of longer steps. Statistics read the first index alone.
CREATE TABLE "failed_attempts" (
    "org_id" UUID NOT NULL,
    "step_minutes" SMALLINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "type" TEXT NOT NULL,
    "n" INTEGER NOT NULL
);
CREATE INDEX "failed_attempts_org_id_at_idx" ON "failed_attempts" ("org_id", "at") INCLUDE ("type", "n");
CREATE INDEX "failed_attempts_step_minutes_at_idx" ON "failed_attempts" ("step_minutes", "at");

-- Until now, failed jobs were counted, when they ended.
INSERT INTO "failed_attempts" ("org_id", "step_minutes", "at", "type", "n")
SELECT c."org_id", c."step_minutes", c."at", c."type", c."n"
FROM "job_counts" c, (SELECT date_bin('3 hours', now() - interval '29 hours', 'epoch') AS "since") AS s
WHERE c."status" = 'failed' AND c."n" > 0
    AND (c."step_minutes" = 30 AND c."at" >= s."since" OR c."step_minutes" = 180 AND c."at" < s."since");
