-- Those of the names that are keys of a payload, at any depth, and that decide what is redacted of copies of its values; empty: it has only
-- other ones; null: none. With a template, subject and body of a message may contain any value, so they are added. Searches the text,
-- because the functions for json refuse U+0000. Payloads are stored without spaces, so a key follows a brace or a comma; inside a string,
-- its quotation marks would be escaped. A payload of more than max_bytes is not searched: it counts as having every key.
CREATE FUNCTION "keys_to_redact"("payload" JSON, "names" TEXT[], "max_bytes" INTEGER DEFAULT NULL) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "copied" TEXT[] := '{to,cc,bcc,from,subject,body,html,text,message,phone,amount,ref}';
    "content" TEXT;
    "pattern" TEXT;
BEGIN
    IF octet_length("payload"::text) > "max_bytes" THEN
        RETURN "names" || '{subject,body}'::text[];
    END IF;
    -- One search for all names, whose time does not grow with their number. A regular expression that captures nothing takes linear time.
    "pattern" := (
        SELECT '[{,](?:' || string_agg(regexp_replace(to_json(n."name")::text, '([^A-Za-z0-9"])', '\\\1', 'g'), '|') || '):'
        FROM unnest("names") AS n("name"));
    -- The operator makes a copy, which is decompressed only once.
    "content" := "payload"::text || '';
    IF ("content" ~ "pattern") IS NOT TRUE THEN
        RETURN NULL;
    END IF;
    RETURN ARRAY(
        SELECT n."name" FROM unnest("copied") AS n("name")
        WHERE n."name" = ANY ("names")
            AND (strpos("content", '{"' || n."name" || '":') > 0 OR strpos("content", ',"' || n."name" || '":') > 0))
        || CASE WHEN strpos("content", '"template":') > 0 THEN '{subject,body}'::text[] END;
END
$$;
