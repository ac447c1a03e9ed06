-- The settings of an organization. A missing row means the defaults.
CREATE TABLE "organization_settings" (
    "org_id" UUID NOT NULL,
    "alerts_by_email" BOOLEAN NOT NULL DEFAULT false,
    "alerts_by_webhook" BOOLEAN NOT NULL DEFAULT false,
    "failure_rate_percent" SMALLINT,
    "oldest_waiting_seconds" INTEGER,
    CONSTRAINT "organization_settings_pkey" PRIMARY KEY ("org_id"),
    CONSTRAINT "organization_settings_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
-- The organizations to check.
CREATE INDEX "organization_settings_alerts_idx" ON "organization_settings" ("org_id")
    WHERE ("alerts_by_email" OR "alerts_by_webhook") AND ("failure_rate_percent" IS NOT NULL OR "oldest_waiting_seconds" IS NOT NULL);

CREATE TYPE "alert_kind" AS ENUM ('failure_rate', 'oldest_waiting');

CREATE TABLE "alerts" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "kind" "alert_kind" NOT NULL,
    "threshold" INTEGER NOT NULL,
    "value" DOUBLE PRECISION NOT NULL,
    "raised_at" TIMESTAMPTZ(3) NOT NULL,
    "resolved_at" TIMESTAMPTZ(3),
    "is_mail_due" BOOLEAN NOT NULL,
    CONSTRAINT "alerts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "alerts_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
-- No two processes raise the same alert.
CREATE UNIQUE INDEX "alerts_unresolved_key" ON "alerts" ("org_id", "kind") WHERE "resolved_at" IS NULL;
CREATE INDEX "alerts_mail_due_idx" ON "alerts" ("id") WHERE "is_mail_due";
CREATE INDEX "alerts_org_id_kind_raised_at_idx" ON "alerts" ("org_id", "kind", "raised_at");
CREATE INDEX "alerts_resolved_at_idx" ON "alerts" ("resolved_at");
