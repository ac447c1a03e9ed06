-- Which of these sources of a job do not exist any more: `file:<id>` or `job:<id>`.
CREATE FUNCTION "gone_sources"("org" UUID, "sources" TEXT[]) RETURNS TEXT[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(source), '{}') FROM unnest("sources") AS source
    WHERE NOT CASE WHEN source LIKE 'file:%' THEN EXISTS (
            SELECT FROM "files" f WHERE f."id" = substr(source, 6)::uuid AND f."org_id" = "org" AND f."sha256" IS NOT NULL
                AND (f."expires_at" > now() OR EXISTS (SELECT FROM "job_sources" s WHERE s."org_id" = "org" AND s."source" = source)))
        ELSE EXISTS (SELECT FROM "submitted_jobs" j WHERE j."org_id" = "org" AND j."id" = substr(source, 5)) END
$$;
