-- The addresses, and what stands in suppressions for those whose data was erased.
CREATE FUNCTION "suppressed_as"("org" UUID, "addresses" TEXT[]) RETURNS TEXT[] LANGUAGE sql STABLE AS $$
    SELECT "addresses" || ARRAY(SELECT 'erased:' || "keyed_hash"("org" || ':' || a) FROM unnest("addresses") AS a)
$$;
