-- Whether a job is under a limit. A function instead of a subquery, because Postgres prepares a subquery in each statement that contains it,
-- also if no job of the statement needs it. It sees what its statement sees.
CREATE FUNCTION "under_limit"("org_id" UUID, "limit_name" TEXT, "type" TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM "operator_limits")
        OR EXISTS (SELECT 1 FROM "limit_types" t WHERE t."org_id" = $1 AND t."type" = $3)
        OR EXISTS (SELECT 1 FROM "limits" l WHERE l."org_id" = $1 AND l."name" = $2);
END
$$;
