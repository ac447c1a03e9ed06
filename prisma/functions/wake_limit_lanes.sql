-- Writes the lanes of held jobs (limit_lanes). A job that becomes held gets its lane, or gives the lane its higher priority. When a held job
-- is changed or deleted (it was canceled, or has expired), the lanes of its organization with the same key are due at once: with an
-- ordered limit, their jobs may have waited for this one.
CREATE FUNCTION "wake_limit_lanes"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "held_lane" UUID;
BEGIN
    IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND OLD."place" = 'held') THEN
        UPDATE "limit_lanes" SET "wake_at" = now(), "idle_since" = NULL
        WHERE "org_id" = OLD."org_id" AND "limit_key" = coalesce(OLD."limit_key", '') AND "parked_on" IS NULL
            AND "wake_at" > now();
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN NULL;
    END IF;
    "held_lane" := "lane_of"(NEW."org_id", NEW."queue", NEW."type", NEW."limit_name", NEW."limit_key");
    PERFORM 1 FROM "limit_lanes" WHERE "lane" = "held_lane" AND "idle_since" IS NULL AND "head_priority" >= NEW."priority";
    IF NOT FOUND THEN
        INSERT INTO "limit_lanes" ("lane", "org_id", "queue", "type", "limit_name", "limit_key", "wake_at", "head_priority", "head_at")
        VALUES ("held_lane", NEW."org_id", NEW."queue", NEW."type", coalesce(NEW."limit_name", ''), coalesce(NEW."limit_key", ''), now(),
            NEW."priority", NEW."run_at")
        ON CONFLICT ("lane") DO UPDATE SET "idle_since" = NULL,
            "head_priority" = greatest("limit_lanes"."head_priority", excluded."head_priority"),
            "wake_at" = CASE WHEN "limit_lanes"."idle_since" IS NULL THEN "limit_lanes"."wake_at" ELSE now() END;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "live_jobs_held" AFTER INSERT OR UPDATE ON "live_jobs"
    FOR EACH ROW WHEN (NEW."place" = 'held') EXECUTE FUNCTION "wake_limit_lanes"();
CREATE TRIGGER "live_jobs_held_ended" AFTER DELETE ON "live_jobs"
    FOR EACH ROW WHEN (OLD."place" = 'held') EXECUTE FUNCTION "wake_limit_lanes"();
