-- Whether a job is under a limit, and whether one of its limits is ordered. Functions instead of subqueries, because Postgres prepares
-- a subquery in each statement that contains it, also if no job of the statement needs it. They see what their statement sees.
CREATE FUNCTION "under_limit"("org_id" UUID, "limit_name" TEXT, "type" TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM "operator_limits") OR EXISTS (
        SELECT 1 FROM "limits" l WHERE l."org_id" = $1 AND (l."name" = $2 OR $3 = ANY (l."types")));
END
$$;
CREATE FUNCTION "under_ordered_limit"("org_id" UUID, "limit_name" TEXT, "type" TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (
        SELECT 1 FROM "limits" l WHERE l."org_id" = $1 AND (l."name" = $2 OR $3 = ANY (l."types")) AND l."ordered");
END
$$;
