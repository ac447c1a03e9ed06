-- CreateTable
CREATE TABLE "artifacts" (
    "job_key" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "sha256" BYTEA NOT NULL,
    "bytes" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "artifacts_pkey" PRIMARY KEY ("job_key","name")
);

-- Files are compressed as they come. Kept out of line as they are, a part can be read without the whole.
ALTER TABLE "artifacts" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
