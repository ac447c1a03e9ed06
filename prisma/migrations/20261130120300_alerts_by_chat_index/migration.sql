-- The organizations whose alerts are posted to a team chat.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "organization_settings_chat_idx" ON "organization_settings" ("org_id")
WHERE ("alert_options" -> 'chat') IS NOT NULL;
