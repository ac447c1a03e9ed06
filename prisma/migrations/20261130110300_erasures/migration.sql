-- Erasures of what an organization stores about an address or a key. The previous version knows nothing of them.
CREATE TABLE "erasures" (
    "id" UUID NOT NULL,
    "org_id" UUID NOT NULL,
    "address" TEXT,
    "key" TEXT,
    "lifts_suppressions" BOOLEAN NOT NULL,
    "schedules" TEXT[],
    "jobs" INTEGER NOT NULL DEFAULT 0,
    "messages" INTEGER NOT NULL DEFAULT 0,
    "files" INTEGER NOT NULL DEFAULT 0,
    "suppressions" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    CONSTRAINT "erasures_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "erasures" ADD CONSTRAINT "erasures_org_id_fkey" FOREIGN KEY ("org_id") REFERENCES "organizations" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "erasures" ADD CONSTRAINT "erasures_forget_when_done" CHECK ("finished_at" IS NULL OR ("address" IS NULL AND "key" IS NULL AND "next_at" IS NULL));
CREATE INDEX "erasures_org_id_created_at_id_idx" ON "erasures" ("org_id", "created_at" DESC, "id" DESC);
CREATE INDEX "erasures_finished_at_idx" ON "erasures" ("finished_at");
CREATE INDEX "erasures_due_idx" ON "erasures" ("org_id", "next_at") WHERE "next_at" IS NOT NULL;

-- Hashes of erased addresses and messages, so that late feedback on them is dropped.
CREATE TABLE "erased_hashes" (
    "hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "erased_hashes_pkey" PRIMARY KEY ("hash")
);
CREATE INDEX "erased_hashes_expires_at_idx" ON "erased_hashes" ("expires_at");

ALTER TABLE "installation" ADD COLUMN "hash_key" BYTEA;
UPDATE "installation" SET "hash_key" = decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');
ALTER TABLE "installation" ALTER COLUMN "hash_key" SET NOT NULL;

-- A hash of a text that only this installation can compute. It stands for what was erased.
CREATE FUNCTION "keyed_hash"("value" TEXT) RETURNS TEXT LANGUAGE sql STABLE AS $$
    SELECT encode(sha256("hash_key" || convert_to("value", 'UTF8')), 'hex') FROM "installation"
$$;

-- The addresses, and what stands in suppressions for those whose data was erased.
CREATE FUNCTION "suppressed_as"("org" UUID, "addresses" TEXT[]) RETURNS TEXT[] LANGUAGE sql STABLE AS $$
    SELECT "addresses" || ARRAY(SELECT 'erased:' || "keyed_hash"("org" || ':' || a) FROM unnest("addresses") AS a)
$$;

-- The filter of a bulk action as it is kept after its end: what may name a person is a hash.
CREATE FUNCTION "hashed_filter"("org" UUID, "filter" JSON) RETURNS JSON LANGUAGE sql STABLE AS $$
    SELECT coalesce(json_object_agg(e."key", CASE
        WHEN e."key" IN ('key', 'message') THEN to_json('hash:' || "keyed_hash"("org" || ':' || ("filter" ->> e."key")))
        WHEN e."key" = 'ids' THEN (
            SELECT json_agg('hash:' || "keyed_hash"("org" || ':' || i)) FROM json_array_elements_text(e."value") AS i)
        ELSE e."value" END), '{}')
    FROM json_each("filter") AS e
$$;
