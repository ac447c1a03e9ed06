-- The lane of a held job: jobs of one lane are under the same limits with the same key. None of the parts contains a line break. A
-- function instead of a generated column, because Postgres prepares the expression of a column again in each statement that writes
-- live jobs, also if none of them is held.
CREATE FUNCTION "lane_of"("org_id" UUID, "queue" TEXT, "type" TEXT, "limit_name" TEXT, "limit_key" TEXT) RETURNS UUID
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT md5("org_id"::text || E'\n' || "queue" || E'\n' || "type" || E'\n' || coalesce("limit_name", '') || E'\n' || coalesce("limit_key", ''))::uuid
$$;
