-- Whether one of the limits of a job is ordered. A function for the same reason as under_limit.
CREATE FUNCTION "under_ordered_limit"("org_id" UUID, "limit_name" TEXT, "type" TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM "limits" l WHERE l."org_id" = $1 AND l."name" = $2 AND l."ordered")
        OR EXISTS (
            SELECT 1 FROM "limit_types" t JOIN "limits" l ON l."org_id" = t."org_id" AND l."name" = t."name"
            WHERE t."org_id" = $1 AND t."type" = $3 AND l."ordered");
END
$$;
