import type { Db } from '@jobline/db';

const SUBMITTED = ['key', 'org_id', 'id', 'type', 'payload', 'content_hash', 'priority', 'max_retries', 'traceparent'];
const COPIED = ['key', 'org_id', 'id', 'type', 'max_retries', 'created_at', 'tags', 'limit_key', 'expires_at'];
const STATE = [
  ...['queue', 'status', 'retries', 'attempt', 'crash_count', 'run_at', 'enqueue_seq', 'claim_token', 'error_code'],
  ...['error_message', 'started_at', 'duration_ms', 'cancel_requested_at'],
];
const TABLES = {
  submitted_jobs: [
    ...SUBMITTED,
    'created_at',
    'xid',
    'tags',
    'limit_key',
    'rerun_of',
    'callback_url',
    'limit_name',
    'schedule_id',
    'planned_at',
  ],
  live_jobs: [
    ...COPIED,
    ...STATE,
    'priority',
    'place',
    'chunk_key',
    'enqueued_at',
    'worker_id',
    'updated_at',
    'limit_name',
    'schedule_id',
  ],
  finished_jobs: [...COPIED, ...STATE, 'result', 'finished_at'],
};
type Table = keyof typeof TABLES;

/** Values of a row that an INSERT leaves out. */
const DEFAULTS: Record<string, string> = {
  status: "'pending'",
  priority: '0',
  max_retries: '0',
  retries: '0',
  attempt: '0',
  crash_count: '0',
  place: "'enqueued'",
  enqueue_seq: '0',
  finished_at: 'NEW.updated_at',
  xid: 'pg_current_xact_id()',
};

/**
 * Lets tests write jobs in any state: the view `jobs` then takes INSERT, UPDATE and DELETE. An update writes only the
 * columns that it changes, and moves the job between the tables if it changes the status so.
 */
export async function allowJobWrites(db: Db): Promise<void> {
  await db.$executeRawUnsafe(`
    CREATE FUNCTION write_job() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      was_live bool := TG_OP <> 'INSERT' AND OLD.status IN ('pending', 'processing');
      is_live bool := TG_OP <> 'DELETE' AND coalesce(NEW.status, 'pending') IN ('pending', 'processing');
    BEGIN
      IF TG_OP = 'INSERT' THEN
        ${insertInto('submitted_jobs')}
      ELSIF TG_OP = 'UPDATE' THEN
        ${update('submitted_jobs')}
      ELSE
        DELETE FROM submitted_jobs WHERE key = OLD.key;
      END IF;
      IF TG_OP = 'UPDATE' AND was_live = is_live THEN
        ${update('live_jobs')}
        ${update('finished_jobs')}
        RETURN NEW;
      END IF;
      IF TG_OP <> 'INSERT' THEN
        DELETE FROM live_jobs WHERE key = OLD.key;
        DELETE FROM finished_jobs WHERE key = OLD.key;
      END IF;
      IF TG_OP = 'DELETE' THEN
        RETURN OLD;
      END IF;
      IF is_live THEN
        ${insertInto('live_jobs')}
      ELSE
        ${insertInto('finished_jobs')}
      END IF;
      RETURN NEW;
    END
    $$`);
  await db.$executeRawUnsafe(`
    CREATE TRIGGER write_job INSTEAD OF INSERT OR UPDATE OR DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION write_job()`);
}

function insertInto(table: Table): string {
  const values = TABLES[table].map((name) =>
    DEFAULTS[name] ? `coalesce(NEW.${name}, ${DEFAULTS[name]})` : `NEW.${name}`,
  );
  return `INSERT INTO ${table} (${TABLES[table].join()}) VALUES (${values.join()});`;
}

function update(table: Table): string {
  const sets = TABLES[table].map(
    (name) =>
      `${name} = CASE WHEN NEW.${name}::text IS DISTINCT FROM OLD.${name}::text THEN NEW.${name} ELSE j.${name} END`,
  );
  return `UPDATE ${table} j SET ${sets.join()} WHERE j.key = OLD.key;`;
}
