-- Whether held jobs wait that a new job with the same properties must not overtake: those of its lane, and those that are parked on one of
-- its limits. Reads one lane of each limit.
CREATE FUNCTION "has_held_before"("org_id" UUID, "queue" TEXT, "type" TEXT, "limit_name" TEXT, "limit_key" TEXT) RETURNS BOOLEAN
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (
            SELECT 1 FROM "limit_lanes" l
            WHERE l."lane" = "lane_of"($1, $2, $3, $4, $5) AND l."parked_on" IS NULL AND l."idle_since" IS NULL AND l."wake_at" > now())
        OR EXISTS (
            SELECT 1 FROM (
                SELECT '*' UNION ALL SELECT $4 UNION ALL
                SELECT t."name" FROM "limit_types" t WHERE t."org_id" = $1 AND t."type" = $3) AS n("name"), LATERAL (
                SELECT 1 FROM "limit_lanes" l WHERE l."org_id" = $1 AND l."parked_on" IS NOT NULL AND l."parked_on" = n."name"
                ORDER BY l."org_id", l."parked_on", l."head_priority" DESC, l."head_at" LIMIT 1) AS parked);
END
$$;
