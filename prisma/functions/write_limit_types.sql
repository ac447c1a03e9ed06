-- Writes the types of a limit (limit_types), from which statements find the limits of a type.
CREATE FUNCTION "write_limit_types"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM "limit_types" t WHERE t."org_id" = NEW."org_id" AND t."name" = NEW."name" AND t."type" <> ALL (NEW."types");
    INSERT INTO "limit_types" ("org_id", "name", "type")
    SELECT NEW."org_id", NEW."name", unnest(NEW."types") ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

CREATE TRIGGER "limits_types" AFTER INSERT OR UPDATE OF "types" ON "limits"
    FOR EACH ROW EXECUTE FUNCTION "write_limit_types"();
