-- The data of an event about a message or a payment, in which fields that have the name and the value of a redacted key are redacted. The
-- recipient of a copy has the name "cc" or "bcc".
CREATE FUNCTION "redact_event"("data" JSON, "keys" TEXT[]) RETURNS JSON LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN "keys" && '{to,cc,bcc,from,amount,ref}' THEN (
        SELECT json_object_agg(e."key", CASE WHEN e."key" IN ('to', 'from', 'amount', 'ref')
            AND CASE e."key" WHEN 'to' THEN coalesce("data"->>'copied_as', 'to') ELSE e."key" END = ANY ("keys") THEN '"[redacted]"'::json
            ELSE e."value" END)
        FROM json_each("data") AS e)
    ELSE "data" END
$$;
