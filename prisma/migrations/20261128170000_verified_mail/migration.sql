-- The link that verifies an address, and when the latest emails of each kind were sent to it: the limits are counted here.
ALTER TABLE "users"
    ADD COLUMN "proof_hash" BYTEA,
    ADD COLUMN "proof_mailed_at" TIMESTAMPTZ(3),
    ADD COLUMN "alert_mails" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
    ADD COLUMN "webhook_mails" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[];
CREATE UNIQUE INDEX "users_proof_hash_key" ON "users" ("proof_hash");

ALTER TABLE "webhooks" ADD COLUMN "mailed_at" TIMESTAMPTZ(3);

-- Notices are taken in turns by organization. The previous version finds its rows with these indexes, too.
CREATE INDEX "webhooks_org_mail_due_idx" ON "webhooks" ("org_id", "id") WHERE "is_mail_due";
CREATE INDEX "alerts_org_mail_due_idx" ON "alerts" ("org_id", "id") WHERE "is_mail_due";
DROP INDEX "webhooks_mail_due_idx";
DROP INDEX "alerts_mail_due_idx";
