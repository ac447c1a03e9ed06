-- About how many bytes an organization's jobs, logs, files and messages take. Counted by the workers.
ALTER TABLE "organizations" ADD COLUMN "stored_bytes" BIGINT NOT NULL DEFAULT 0;
