-- Whether an enabled webhook of an organization has chosen an event, or a stream receives all of its events.
CREATE FUNCTION "has_webhook_for"("org_id" UUID, "type" TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (
        SELECT 1 FROM "event_subscribers" w
        WHERE w."org_id" = $1 AND w."enabled" AND w."events" && ARRAY[$2, split_part($2, '.', 1) || '.*', '*']);
END
$$;
