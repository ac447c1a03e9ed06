-- The types of the limits, by type: whether a job is under a limit is found by an index, however many types an organization's limits
-- list together. A trigger derives the rows from limits.types.
CREATE TABLE "limit_types" (
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    CONSTRAINT "limit_types_pkey" PRIMARY KEY ("org_id", "name", "type"),
    CONSTRAINT "limit_types_org_id_name_fkey" FOREIGN KEY ("org_id", "name") REFERENCES "limits"("org_id", "name") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "limit_types_org_id_type_name_idx" ON "limit_types" ("org_id", "type", "name");

CREATE FUNCTION "write_limit_types"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM "limit_types" t WHERE t."org_id" = NEW."org_id" AND t."name" = NEW."name" AND t."type" <> ALL (NEW."types");
    INSERT INTO "limit_types" ("org_id", "name", "type")
    SELECT NEW."org_id", NEW."name", unnest(NEW."types") ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
-- Its lock keeps other changes of limits out until the rows below are committed.
CREATE TRIGGER "limits_types" AFTER INSERT OR UPDATE OF "types" ON "limits"
    FOR EACH ROW EXECUTE FUNCTION "write_limit_types"();
INSERT INTO "limit_types" ("org_id", "name", "type") SELECT "org_id", "name", unnest("types") FROM "limits" ON CONFLICT DO NOTHING;

CREATE OR REPLACE FUNCTION "under_limit"("org_id" UUID, "limit_name" TEXT, "type" TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM "operator_limits")
        OR EXISTS (SELECT 1 FROM "limit_types" t WHERE t."org_id" = $1 AND t."type" = $3)
        OR EXISTS (SELECT 1 FROM "limits" l WHERE l."org_id" = $1 AND l."name" = $2);
END
$$;
CREATE OR REPLACE FUNCTION "under_ordered_limit"("org_id" UUID, "limit_name" TEXT, "type" TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM "limits" l WHERE l."org_id" = $1 AND l."name" = $2 AND l."ordered")
        OR EXISTS (
            SELECT 1 FROM "limit_types" t JOIN "limits" l ON l."org_id" = t."org_id" AND l."name" = t."name"
            WHERE t."org_id" = $1 AND t."type" = $3 AND l."ordered");
END
$$;
