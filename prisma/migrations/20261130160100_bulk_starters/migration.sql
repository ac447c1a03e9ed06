-- Who started a bulk action: a user, or an API key. Rows of the previous version have neither.
ALTER TABLE "bulk_actions" ADD COLUMN "created_by" UUID, ADD COLUMN "api_key" UUID;
