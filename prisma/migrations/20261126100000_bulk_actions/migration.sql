CREATE TYPE "bulk_kind" AS ENUM ('retry', 'cancel', 'delete', 'rerun');
CREATE TYPE "bulk_status" AS ENUM ('running', 'done', 'stopped');

-- Actions on all jobs of an organization that match a filter.
CREATE TABLE "bulk_actions" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "action" "bulk_kind" NOT NULL,
    "filter" JSON NOT NULL,
    "per_second" INTEGER,
    "status" "bulk_status" NOT NULL,
    "total" INTEGER NOT NULL,
    "done" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    CONSTRAINT "bulk_actions_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "bulk_actions_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "bulk_actions_running_has_next" CHECK (("status" = 'running') = ("next_at" IS NOT NULL)),
    CONSTRAINT "bulk_actions_running_has_no_end" CHECK (("status" = 'running') = ("finished_at" IS NULL))
);
CREATE INDEX "bulk_actions_org_id_created_at_id_idx" ON "bulk_actions" ("org_id", "created_at" DESC, "id" DESC);
-- The actions whose next step is due first.
CREATE INDEX "bulk_actions_next_at_idx" ON "bulk_actions" ("next_at") WHERE "next_at" IS NOT NULL;

-- The jobs that matched when the action was accepted, in parts of equal size. Deleted when the action has finished.
CREATE TABLE "bulk_parts" (
    "bulk_id" UUID NOT NULL,
    "n" INTEGER NOT NULL,
    "keys" UUID[],
    CONSTRAINT "bulk_parts_pkey" PRIMARY KEY ("bulk_id", "n"),
    CONSTRAINT "bulk_parts_bulk_id_fkey" FOREIGN KEY ("bulk_id") REFERENCES "bulk_actions" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
