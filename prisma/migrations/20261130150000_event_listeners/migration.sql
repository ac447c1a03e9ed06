-- Organizations whose events a stream of `GET /org/events` receives, or has received a moment ago: all of their events are written until then.
CREATE TABLE "event_listeners" (
    "org_id" UUID NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "event_listeners_pkey" PRIMARY KEY ("org_id"),
    CONSTRAINT "event_listeners_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- The transaction that has written an event: streams send events in the order of their transactions.
ALTER TABLE "webhook_events" ADD COLUMN "xid" xid8 NOT NULL DEFAULT pg_current_xact_id();

-- What chooses the events that are written.
CREATE VIEW "event_subscribers" AS
    SELECT "org_id", "enabled", "events" FROM "webhooks"
    UNION ALL SELECT "org_id", true, ARRAY['*'] FROM "event_listeners" WHERE "expires_at" > now();

-- Both functions look at all subscribers; nothing else in them changes.
DO $$
DECLARE "name" TEXT;
BEGIN
    FOREACH "name" IN ARRAY ARRAY['has_webhook_for', 'write_job_events'] LOOP
        EXECUTE replace(pg_get_functiondef("name"::regproc), 'SELECT 1 FROM "webhooks" w', 'SELECT 1 FROM "event_subscribers" w');
    END LOOP;
END
$$;
