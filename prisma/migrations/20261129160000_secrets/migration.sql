-- Secrets that jobs send to receivers. The previous version neither reads nor writes any.
CREATE TABLE "secrets" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "hosts" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "secrets_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "secrets_org_id_name_key" ON "secrets" ("org_id", "name");
ALTER TABLE "secrets" ADD CONSTRAINT "secrets_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
