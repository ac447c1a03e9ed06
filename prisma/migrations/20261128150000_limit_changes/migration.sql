-- The limits that were changed and whose waiting jobs a worker still has to adapt.
CREATE TABLE "limit_changes" (
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "limit_changes_pkey" PRIMARY KEY ("org_id", "name"),
    CONSTRAINT "limit_changes_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
