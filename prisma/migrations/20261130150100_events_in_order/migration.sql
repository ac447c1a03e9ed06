CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_events_org_id_xid_id_idx" ON "webhook_events" ("org_id", "xid", "id");
