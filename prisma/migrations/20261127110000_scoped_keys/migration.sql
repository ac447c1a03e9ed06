-- Existing keys keep what they could do.
ALTER TABLE "api_keys"
    ADD COLUMN "scopes" TEXT[] DEFAULT ARRAY['jobs:read', 'jobs:write']::TEXT[],
    ADD COLUMN "types" TEXT[],
    ADD COLUMN "expires_at" TIMESTAMPTZ(3),
    ADD COLUMN "replaced_by" UUID;
CREATE INDEX "api_keys_expires_at_idx" ON "api_keys" ("expires_at");

ALTER TABLE "bulk_actions" ADD COLUMN "types" TEXT[];
