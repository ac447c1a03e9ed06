-- The messages that exist already. Jobs need no such step: their positions begin before the first one.
INSERT INTO "search_queue" ("org_id", "kind", "key") SELECT "org_id", 'message', "id" FROM "messages" ORDER BY "id";
