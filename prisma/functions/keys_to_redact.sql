-- Which of the names are keys of a payload, at any depth; null: none. With a template, subject and body of a message may contain any value,
-- so they are added. Searches the text, because the functions for json refuse U+0000. Payloads are stored without spaces, so a key follows
-- a brace or a comma; inside a string, its quotation marks would be escaped. A payload of more than max_bytes is not searched: it counts as
-- having every key.
CREATE FUNCTION "keys_to_redact"("payload" JSON, "names" TEXT[], "max_bytes" INTEGER DEFAULT NULL) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "content" TEXT;
    "keys" TEXT[];
BEGIN
    IF octet_length("payload"::text) > "max_bytes" THEN
        RETURN "names" || '{subject,body}'::text[];
    END IF;
    -- The operator makes a copy, which is decompressed only once.
    "content" := "payload"::text || '';
    -- Most names are not found by the first search.
    "keys" := (
        SELECT array_agg(n."name") FROM unnest("names") AS n("name"), CAST(to_json(n."name") AS TEXT) AS j("key")
        WHERE strpos("content", j."key" || ':') > 0
            AND (strpos("content", '{' || j."key" || ':') > 0 OR strpos("content", ',' || j."key" || ':') > 0));
    RETURN CASE WHEN "keys" IS NOT NULL AND strpos("content", '"template":') > 0 THEN "keys" || '{subject,body}'::text[] ELSE "keys" END;
END
$$;
