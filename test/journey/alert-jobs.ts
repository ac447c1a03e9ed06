import type { AlertKind, AlertSettings, JobErrorCode, OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { checkAlerts, createEvents } from '@jobline/engine';
import { expect } from 'vitest';
import type { Person } from '../harness/index.js';

/** Jobs of an organization in the states that alerts are about, and the checks of them. */

export async function choose(person: Person, alerts: Partial<AlertSettings>): Promise<void> {
  const answer = await person.patch('/org/settings', { alerts });
  expect(answer.status, answer.text).toBe(200);
}

export interface StoredEnded {
  done?: number;
  failed?: number;
  minutesAgo?: number;
  type?: string;
  code?: JobErrorCode;
}

/** Stores jobs that finished so many minutes ago. */
export async function storeEnded(
  db: Db,
  orgId: string,
  { done = 0, failed = 0, minutesAgo = 1, type = 'webhook', code = 'handler_error' }: StoredEnded,
): Promise<void> {
  await db.$executeRaw`
    INSERT INTO jobs (key, org_id, id, type, queue, payload, status, run_at, created_at, updated_at, error_code)
    SELECT key, ${orgId}::uuid, key::text, ${type}, 'io', '{}', status::job_status, at, at, at,
      CASE status WHEN 'failed' THEN ${code} END
    FROM (SELECT gen_random_uuid() AS key, CASE WHEN n <= ${failed}::int THEN 'failed' ELSE 'done' END AS status,
      now() - ${minutesAgo}::float8 * interval '1 minute' AS at FROM generate_series(1, ${done + failed}::int) AS n) AS j`;
}

export interface StoredPending {
  /** How long it has been due; negative: it is not due yet. */
  dueForS: number;
  stage?: 'scheduled' | 'waiting' | 'enqueued' | 'held';
  priority?: number;
  retries?: number;
  type?: string;
}

/** Stores a pending job that was accepted an hour ago. */
export async function storePending(db: Db, orgId: string, job: StoredPending): Promise<void> {
  const { dueForS, stage = 'waiting', priority = 0, retries = 0, type = 'webhook' } = job;
  await db.$executeRaw`
    INSERT INTO jobs (key, org_id, id, type, queue, payload, status, place, priority, retries, run_at, created_at, updated_at, limit_name)
    SELECT key, ${orgId}::uuid, key::text, ${type}, 'io', '{}', 'pending', ${stage}::job_place, ${priority}::int, ${retries}::int,
      now() - ${dueForS}::float8 * interval '1 second', now() - interval '1 hour', now(), ${stage === 'held' ? 'slow' : null}
    FROM gen_random_uuid() AS key`;
}

/** Makes the jobs of an organization end earlier. */
export async function endEarlier(db: Db, orgId: string, minutes: number): Promise<void> {
  await db.$executeRaw`
    UPDATE finished_jobs SET finished_at = finished_at - ${minutes}::int * interval '1 minute' WHERE org_id = ${orgId}::uuid`;
}

/** Checks the alerts of all organizations once. Returns how many checks failed. */
export async function checkAll(db: Db): Promise<number> {
  const events = createEvents();
  let failed = 0;
  events.on('step.failed', () => void failed++);
  let after: OrgId | null = null;
  do after = await checkAlerts({ db, events, publicUrl: 'https://jobs.example.com' }, after);
  while (after !== null);
  return failed;
}

export interface StoredAlert {
  kind: AlertKind;
  threshold: number;
  value: number;
  resolvedAt: Date | null;
  isMailDue: boolean;
}

/** The alerts of an organization, the oldest first. */
export async function alertsOf(db: Db, { orgId }: Person): Promise<StoredAlert[]> {
  const rows = await db.alert.findMany({ where: { orgId }, orderBy: { id: 'asc' } });
  return rows.map(({ kind, threshold, value, resolvedAt, isMailDue }) => ({
    kind,
    threshold,
    value,
    resolvedAt,
    isMailDue,
  }));
}
