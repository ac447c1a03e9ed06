-- The organization to which the deliveries of another one belong, so that they are not among its jobs.
ALTER TABLE "organizations" ADD COLUMN "delivers_for" UUID;
CREATE UNIQUE INDEX "organizations_delivers_for_key" ON "organizations" ("delivers_for");
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_delivers_for_fkey" FOREIGN KEY ("delivers_for") REFERENCES "organizations" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Addresses to which an organization has its events sent.
CREATE TABLE "webhooks" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "description" TEXT,
    "enabled" BOOLEAN NOT NULL,
    "failing_since" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "is_mail_due" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhooks_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "webhooks_org_id_created_at_id_idx" ON "webhooks" ("org_id", "created_at" DESC, "id" DESC);
CREATE INDEX "webhooks_mail_due_idx" ON "webhooks" ("id") WHERE "is_mail_due";

ALTER TABLE "webhook_secrets" ADD COLUMN "webhook_id" UUID;
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX "webhook_secrets_webhook_id_idx" ON "webhook_secrets" ("webhook_id");

-- What has happened in an organization that has webhooks, or to a job that has a callback URL. Written in the transaction that it reports.
CREATE TABLE "webhook_events" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "org_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSON NOT NULL,
    "webhook_id" UUID,
    "job_key" UUID,
    "callback_url" TEXT,
    "is_planned" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "webhook_events_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_events_unplanned_idx" ON "webhook_events" ("org_id", "created_at") WHERE NOT "is_planned";
CREATE INDEX "webhook_events_created_at_idx" ON "webhook_events" ("created_at");
ALTER TABLE "webhook_events" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TYPE "delivery_status" AS ENUM ('pending', 'delivered', 'failed');

CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "webhook_id" UUID,
    "job_key" UUID,
    "callback_url" TEXT,
    "status" "delivery_status" NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "attempts_left" SMALLINT NOT NULL,
    "last_status" INTEGER,
    "last_error" TEXT,
    "next_attempt_at" TIMESTAMPTZ(3),
    "is_repeat_due" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhook_deliveries_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "webhook_events" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "webhook_deliveries_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "webhook_deliveries_one_receiver" CHECK (("webhook_id" IS NULL) <> ("callback_url" IS NULL))
);
CREATE INDEX "webhook_deliveries_event_id_idx" ON "webhook_deliveries" ("event_id");
CREATE INDEX "webhook_deliveries_webhook_id_created_at_id_idx" ON "webhook_deliveries" ("webhook_id", "created_at" DESC, "id" DESC);
CREATE INDEX "webhook_deliveries_status_idx" ON "webhook_deliveries" ("webhook_id", "status", "created_at" DESC, "id" DESC);
CREATE INDEX "webhook_deliveries_repeat_idx" ON "webhook_deliveries" ("org_id", "created_at") WHERE "is_repeat_due";
CREATE INDEX "webhook_deliveries_callback_idx" ON "webhook_deliveries" ("job_key", "created_at" DESC, "id" DESC) WHERE "job_key" IS NOT NULL;
ALTER TABLE "webhook_deliveries" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE "webhook_tries" (
    "delivery_id" UUID NOT NULL,
    "n" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "status" INTEGER,
    "error" TEXT,
    "answer" TEXT,
    "ms" INTEGER NOT NULL,
    CONSTRAINT "webhook_tries_pkey" PRIMARY KEY ("delivery_id", "n"),
    CONSTRAINT "webhook_tries_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_deliveries" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- A time as the API writes it.
CREATE FUNCTION "api_time"("at" TIMESTAMPTZ) RETURNS TEXT LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT to_char("at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Whether an enabled webhook of an organization has chosen an event.
CREATE FUNCTION "has_webhook_for"("org_id" UUID, "type" TEXT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (
        SELECT 1 FROM "webhooks" w
        WHERE w."org_id" = $1 AND w."enabled" AND w."events" && ARRAY[$2, split_part($2, '.', 1) || '.*', '*']);
END
$$;

-- One trigger for all statements that end jobs. It is called once for each statement; OFFSET 0 keeps the lookup of each job by its key.
CREATE FUNCTION "write_job_events"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "job_key", "callback_url", "created_at")
    SELECT f."org_id", e."type", json_strip_nulls(json_build_object('id', f."id", 'type', f."type", 'status', f."status",
            'retries', f."retries", 'max_retries', f."max_retries", 'created_at', "api_time"(f."created_at"),
            'updated_at', "api_time"(f."finished_at"), 'tags', f."tags",
            'error', CASE WHEN f."status" = 'failed' THEN json_build_object('code', f."error_code", 'message', coalesce(f."error_message", '')) END)),
        f."key", s."callback_url", f."finished_at"
    FROM "ended" f CROSS JOIN LATERAL (
        SELECT CASE f."status" WHEN 'done' THEN 'job.done' ELSE 'job.failed' END AS "type") AS e
    LEFT JOIN LATERAL (
        SELECT b."callback_url" FROM "submitted_jobs" b WHERE b."key" = f."key" AND b."callback_url" IS NOT NULL OFFSET 0) AS s ON true
    WHERE s."callback_url" IS NOT NULL OR EXISTS (
        SELECT 1 FROM "webhooks" w
        WHERE w."org_id" = f."org_id" AND w."enabled" AND w."events" && ARRAY[e."type", 'job.*', '*']);
    RETURN NULL;
END
$$;
CREATE TRIGGER "finished_jobs_events" AFTER INSERT ON "finished_jobs" REFERENCING NEW TABLE AS "ended"
    FOR EACH STATEMENT EXECUTE FUNCTION "write_job_events"();

-- A message without its text.
CREATE FUNCTION "write_message_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "created_at")
    SELECT NEW."org_id", 'message.' || NEW."status", json_build_object('id', NEW."id", 'channel', NEW."channel", 'status', NEW."status",
            'to', NEW."recipient", 'from', NEW."sender", 'provider', NEW."provider", 'provider_message_id', NEW."provider_message_id",
            'job_id', (SELECT b."id" FROM "submitted_jobs" b WHERE b."key" = NEW."job_key"),
            'error', CASE WHEN NEW."error_code" IS NOT NULL THEN json_build_object('code', NEW."error_code", 'message', coalesce(NEW."error_message", '')) END,
            'created_at', "api_time"(NEW."created_at"), 'updated_at', "api_time"(NEW."updated_at")),
        date_trunc('milliseconds', clock_timestamp())
    WHERE "has_webhook_for"(NEW."org_id", 'message.' || NEW."status");
    RETURN NULL;
END
$$;
CREATE TRIGGER "messages_events" AFTER UPDATE ON "messages"
    FOR EACH ROW WHEN (OLD."status" <> NEW."status" AND NEW."status" <> 'queued') EXECUTE FUNCTION "write_message_event"();

CREATE FUNCTION "write_payment_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "created_at")
    SELECT NEW."org_id", 'payment.' || NEW."status", json_build_object('id', NEW."id",
            'job_id', (SELECT b."id" FROM "submitted_jobs" b WHERE b."key" = NEW."job_key"), 'status', NEW."status",
            'amount', NEW."amount", 'ref', NEW."ref", 'receipt', NEW."receipt", 'result_code', NEW."result_code",
            'result_message', NEW."result_message"),
        date_trunc('milliseconds', clock_timestamp())
    WHERE "has_webhook_for"(NEW."org_id", 'payment.' || NEW."status");
    RETURN NULL;
END
$$;
CREATE TRIGGER "payments_events" AFTER UPDATE ON "payments"
    FOR EACH ROW WHEN (OLD."status" <> NEW."status" AND NEW."status" IN ('paid', 'failed')) EXECUTE FUNCTION "write_payment_event"();

CREATE FUNCTION "write_schedule_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "webhook_events" ("org_id", "type", "data", "created_at")
    SELECT NEW."org_id", 'schedule.skipped', json_build_object('id', NEW."id", 'name', NEW."name",
            'skipped', NEW."skipped" - OLD."skipped", 'last_job_id', NEW."last_job_id"),
        date_trunc('milliseconds', clock_timestamp())
    WHERE "has_webhook_for"(NEW."org_id", 'schedule.skipped');
    RETURN NULL;
END
$$;
CREATE TRIGGER "schedules_events" AFTER UPDATE ON "schedules"
    FOR EACH ROW WHEN (NEW."skipped" > OLD."skipped") EXECUTE FUNCTION "write_schedule_event"();
