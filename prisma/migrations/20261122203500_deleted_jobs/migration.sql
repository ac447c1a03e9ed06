-- Jobs that retention has deleted, until their logs and files are deleted too.
CREATE TABLE "deleted_jobs" (
    "key" UUID NOT NULL,
    "has_files" BOOLEAN NOT NULL,

    CONSTRAINT "deleted_jobs_pkey" PRIMARY KEY ("key")
);
