-- Whether one of the limits of a job is ordered. A function for the same reason as under_limit.
CREATE FUNCTION "under_ordered_limit"("org_id" UUID, "limit_name" TEXT, "type" TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (
        SELECT 1 FROM "limits" l WHERE l."org_id" = $1 AND (l."name" = $2 OR $3 = ANY (l."types")) AND l."ordered");
END
$$;
