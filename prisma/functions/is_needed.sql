-- Whether an unfinished job needs the finished job with this key: it waits for it, or its payload refers to it. It sees what was committed
-- before it is called, so a statement that calls it for a row that it has locked sees every job that was stored under an earlier lock.
CREATE FUNCTION "is_needed"("key" UUID) RETURNS BOOLEAN LANGUAGE plpgsql SET "enable_seqscan" = off AS $$
BEGIN
    RETURN EXISTS (
        SELECT 1 FROM "job_conditions" c JOIN "live_jobs" w ON w."key" = c."job_key"
        WHERE c."after_key" = $1 AND (c."refers" OR c."state" = 'waiting'));
END
$$;
