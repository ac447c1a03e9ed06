import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Schemas } from '@jobline/client';
import type { DetailedLogEntryView, LogEntryView } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import type { Person } from './caller.js';
import { until } from './until.js';

/** What the API returns about a finished job. */
export interface Story {
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads
  job: any;
  logs: LogEntryView[];
  /** The entries of the log with their data. */
  entries: DetailedLogEntryView[];
  attempts: Schemas['Attempt'][];
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads
  result: any;
}

/** For this time after a job had to wait in Postgres, other jobs of its organization wait there, too, without entries of their own. */
const WAITS_MS = 500;

/** Resolves when new jobs get entries of their own again, if no job of the organization waits in Postgres. */
export const untilJobsGetEntries = (): Promise<void> => setTimeout(1.5 * WAITS_MS);

/** Submits a job and returns its id. */
export async function submitJob(person: Person, type: string, payload: object, more: object = {}): Promise<string> {
  const answer = await person.post('/jobs', { type, payload, ...more });
  if (answer.status !== 202) throw new Error(`POST /jobs: ${answer.status} ${answer.text}`);
  return answer.body.id;
}

/** Uploads a file and returns its id. */
export async function uploadFile(
  person: Person,
  bytes: Uint8Array<ArrayBuffer>,
  query = 'name=a.bin',
): Promise<string> {
  const headers = { 'content-type': 'application/octet-stream' };
  const answer = await person.post(`/files?${query}`, undefined, { raw: bytes, headers });
  if (answer.status !== 201) throw new Error(`POST /files: ${answer.status} ${answer.text}`);
  return answer.body.id;
}

/** Makes a job that was submitted for later due now, or in `inMs`. Returns the time at which it is due, in ms. */
export async function makeDue(db: Db, id: string, inMs = 0): Promise<number> {
  const [job] = await db.$queryRaw<{ run_at: Date }[]>`
    UPDATE live_jobs SET run_at = date_trunc('milliseconds', clock_timestamp()) + ${inMs}::float8 * interval '1 ms'
    WHERE id = ${id} RETURNING run_at`;
  if (!job) throw new Error(`there is no job ${id}`);
  return job.run_at.getTime();
}

/** Everything about a job, once it is done or failed. */
export async function finishedJob(person: Person, id: string): Promise<Story> {
  const job = await until(`job ${id} to finish`, async () => {
    const { body } = await person.get(`/jobs/${id}`);
    return (body.status === 'done' || body.status === 'failed') && body;
  });
  const [{ body: logs }, { body: entries }, { body: attempts }, { body: result }] = await Promise.all([
    person.get(`/jobs/${id}/logs?limit=1000`),
    person.get(`/jobs/${id}/logs?limit=1000&detail=full`),
    person.get(`/jobs/${id}/attempts?limit=1000`),
    person.get(`/jobs/${id}/result`),
  ]);
  const story: Story = { job, logs, entries, attempts, result };
  checkAttempts(story);
  return story;
}

/** Throws unless the attempts of a job agree with its log. */
function checkAttempts({ entries, attempts }: Story): void {
  if (entries.length >= 1_000) return;
  const ends = new Map<number, object>();
  for (const { attempt, kind, duration_ms, error_code } of entries) {
    if (kind === 'started') ends.set(attempt, { duration_ms: null, outcome: 'running', code: null });
    if (duration_ms !== null) ends.set(attempt, { duration_ms, outcome: kind, code: error_code });
  }
  const fromLog = [...ends].map(([attempt, end]) => ({ attempt, ...end }));
  const fromAttempts = attempts
    .map(({ attempt, duration_ms, outcome, error }) => ({ attempt, duration_ms, outcome, code: error?.code ?? null }))
    // Postgres refused the entry that ended it.
    .map((attempt) => (attempt.duration_ms === null ? { ...attempt, outcome: 'running' } : attempt));
  assert.deepEqual(fromAttempts, fromLog, 'the attempts of a job agree with its log');
}

export async function runToEnd(person: Person, type: string, payload: object, more: object = {}): Promise<Story> {
  return finishedJob(person, await submitJob(person, type, payload, more));
}

/** `attempt level message` of each line, for short comparisons. */
export function linesOf({ logs }: Story): string[] {
  return logs.map(({ attempt, level, message }) => `${attempt} ${level} ${message}`);
}
