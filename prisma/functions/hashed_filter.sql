-- The filter of a bulk action as it is kept after its end: what may name a person is a hash.
CREATE FUNCTION "hashed_filter"("org" UUID, "filter" JSON) RETURNS JSON LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_object_agg(e."key", CASE
        WHEN e."key" IN ('key', 'message') THEN to_json('hash:' || "keyed_hash"("org" || ':' || ("filter" ->> e."key")))
        WHEN e."key" = 'ids' THEN (
            SELECT json_agg('hash:' || "keyed_hash"("org" || ':' || i)) FROM json_array_elements_text(e."value") AS i)
        ELSE e."value" END), '{}')
    FROM json_each("filter") AS e
$$;
