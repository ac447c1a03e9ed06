-- What a log entry reports, as data: `message` of an engine's entry is its reason or error alone.
CREATE TYPE "log_kind" AS ENUM ('started', 'log', 'succeeded', 'failed', 'released', 'worker_lost', 'canceled', 'expired', 'note');
ALTER TABLE "job_logs"
  ADD COLUMN "kind" "log_kind" NOT NULL DEFAULT 'log',
  ADD COLUMN "duration_ms" INTEGER,
  ADD COLUMN "next_attempt_at" TIMESTAMPTZ(3),
  ADD COLUMN "error_code" TEXT,
  ALTER COLUMN "message" DROP NOT NULL;

-- Entries of the versions before, which wrote sentences. Only an entry with a status, or of a cancel, was the engine's.
UPDATE "job_logs" AS l SET
  "kind" = n.kind,
  "message" = n.message,
  "duration_ms" = CASE WHEN n.ends THEN coalesce(
    n.took, greatest(0, round(extract(epoch FROM l.at - s.at) * 1000))::int, 0) END,
  "next_attempt_at" = l.at + n.delay_ms * interval '1 ms',
  "error_code" = CASE
    WHEN n.kind = 'canceled' AND l.status = 'failed' THEN 'canceled'
    WHEN n.kind = 'worker_lost' AND l.status = 'failed' THEN 'worker_lost'
    WHEN n.kind = 'failed' THEN CASE
      WHEN l.message LIKE 'no handler is registered for type %' THEN 'no_handler'
      WHEN l.status = 'failed' THEN coalesce(
        (SELECT j.error_code FROM jobs j WHERE j.key = l.job_key AND j.attempt = l.attempt), 'handler_error')
      ELSE 'handler_error' END
  END
FROM (
  SELECT job_key, id, attempt, kind, ends, took, delay_ms, message FROM (
    SELECT *,
      CASE
        WHEN text ~ '^attempt \d+ started$' THEN 'started'
        WHEN text ~ '^attempt \d+ succeeded in \d+ ms$' THEN 'succeeded'
        WHEN text ~ '^attempt \d+ failed: the job was canceled; ' OR text ~ '^attempt \d+ ended: ' THEN 'canceled'
        WHEN text ~ '^attempt \d+ failed: ' OR text ~ '^attempt \d+ ended, but ' THEN 'failed'
        WHEN text ~ '^no handler is registered for type ' THEN 'failed'
        WHEN text ~ '^attempt \d+ handed back: ' THEN 'released'
        WHEN text ~ '^the worker was lost during attempt ' THEN 'worker_lost'
        WHEN text IN ('the job was canceled', 'somebody asked to cancel the job') THEN 'canceled'
        ELSE 'note'
      END::log_kind AS kind,
      text ~ '^attempt \d+ (succeeded|failed|ended|handed back)' OR text ~ '^the worker was lost during attempt '
        OR text ~ '^no handler is registered for type ' AS ends,
      substring(text FROM '^attempt \d+ succeeded in (\d{1,9}) ms$')::int AS took,
      substring(text FROM '; the next attempt is due in (\d{1,10}) ms$')::float8 AS delay_ms,
      CASE
        WHEN text ~ '^attempt \d+ (started|succeeded in \d+ ms)$' THEN NULL
        WHEN text ~ '^attempt \d+ (failed|ended): the job was canceled; ' THEN NULL
        WHEN text ~ '^the worker was lost during attempt ' THEN substring(text FROM '; (.*), no attempt follows$')
        WHEN text = 'somebody asked to cancel the job' THEN 'cancellation requested'
        ELSE regexp_replace(
          regexp_replace(text, '^attempt \d+ (failed|ended|handed back): ', ''),
          '(; the next attempt is due in \d+ ms|; no attempt follows|; the job was canceled, no attempt follows)$', '')
      END AS message
    FROM (SELECT job_key, id, attempt, "message" AS text FROM "job_logs"
      WHERE "status" IS NOT NULL OR "message" = 'somebody asked to cancel the job') AS engine
  ) AS read
) AS n LEFT JOIN LATERAL (
  SELECT s.at FROM "job_logs" s
  WHERE s.job_key = n.job_key AND s.attempt = n.attempt AND s."message" = 'attempt ' || n.attempt || ' started' LIMIT 1) AS s ON true
WHERE l.job_key = n.job_key AND l.id = n.id;
