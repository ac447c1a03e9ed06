-- The bytes of an artifact are in Postgres, or in a store outside that knows them by a key.
ALTER TABLE "artifacts" ALTER COLUMN "bytes" DROP NOT NULL, ADD COLUMN "store_key" TEXT;
ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_in_one_place" CHECK (("bytes" IS NULL) <> ("store_key" IS NULL));
