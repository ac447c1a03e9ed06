-- When finished jobs are deleted, or become pending again, writes corrections of the counts of finished jobs (job_count_corrections).
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
