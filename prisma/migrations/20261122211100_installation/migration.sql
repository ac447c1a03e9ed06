-- Which installation this database belongs to: its processes find by it that another one uses the same keys of Redis.
CREATE TABLE "installation" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);
INSERT INTO "installation" DEFAULT VALUES;
