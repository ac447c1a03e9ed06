-- A hash of a text that only this installation can compute. It stands for what was erased.
CREATE FUNCTION "keyed_hash"("value" TEXT) RETURNS TEXT LANGUAGE sql STABLE AS $$
    SELECT encode(sha256("hash_key" || convert_to("value", 'UTF8')), 'hex') FROM "installation"
$$;
