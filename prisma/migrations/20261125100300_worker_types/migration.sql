-- What workers publish about each of their job types, in addition to its queue.
CREATE TABLE "worker_types" (
    "worker_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "timeout_ms" INTEGER NOT NULL,
    "schema" JSON,
    "schema_hash" TEXT,
    "schema_bytes" INTEGER,
    CONSTRAINT "worker_types_pkey" PRIMARY KEY ("worker_id", "type")
);
ALTER TABLE "worker_types" ADD CONSTRAINT "worker_types_worker_id_fkey"
    FOREIGN KEY ("worker_id") REFERENCES "workers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
