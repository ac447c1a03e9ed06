-- The job types that workers have had handlers for: a job of one of them waits while its workers are away.
CREATE TABLE "job_types" (
    "type" TEXT NOT NULL,
    "queue" TEXT NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "job_types_pkey" PRIMARY KEY ("type")
);
INSERT INTO "job_types" ("type", "queue", "last_seen_at")
SELECT DISTINCT ON (t.type) t.type, coalesce(t.queue, w.queues[1]), w.heartbeat_at
FROM "workers" w, unnest(w.types, w.type_queues) AS t(type, queue)
WHERE t.type IS NOT NULL AND coalesce(t.queue, w.queues[1]) IS NOT NULL
ORDER BY t.type, w.heartbeat_at DESC;
