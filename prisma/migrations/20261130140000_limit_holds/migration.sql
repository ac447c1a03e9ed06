-- Limits that hold themselves. A table of its own, because the state of a hold is not a change of the limit, and because statements that
-- record attempts write only the rows of these limits.
CREATE TABLE "limit_holds" (
    "org_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "after" INTEGER NOT NULL,
    "probe_seconds" INTEGER NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "held_since" TIMESTAMPTZ(3),
    "probed_at" TIMESTAMPTZ(3),

    CONSTRAINT "limit_holds_pkey" PRIMARY KEY ("org_id", "name"),
    CONSTRAINT "limit_holds_org_id_name_fkey" FOREIGN KEY ("org_id", "name") REFERENCES "limits" ("org_id", "name") ON DELETE CASCADE ON UPDATE CASCADE
);
