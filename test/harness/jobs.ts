import type { Db } from '@jobline/db';
import type { Person } from './caller.js';
import { until } from './until.js';

/** What the API tells of a finished job. */
export interface Story {
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads
  job: any;
  logs: { attempt: number; level: string; message: string; timestamp: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads
  result: any;
}

/** Submits a job and gives its id. */
export async function submitJob(person: Person, type: string, payload: object, more: object = {}): Promise<string> {
  const answer = await person.post('/jobs', { type, payload, ...more });
  if (answer.status !== 202) throw new Error(`POST /jobs: ${answer.status} ${answer.text}`);
  return answer.body.id;
}

/** Lets a job that was submitted for later be due now, or in so many ms. Returns the time at which it is due, in ms. */
export async function makeDue(db: Db, id: string, inMs = 0): Promise<number> {
  const [job] = await db.$queryRaw<{ run_at: Date }[]>`
    UPDATE jobs SET run_at = date_trunc('milliseconds', clock_timestamp()) + ${inMs}::float8 * interval '1 ms'
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
  const logs = await person.get(`/jobs/${id}/logs?limit=1000`);
  const result = await person.get(`/jobs/${id}/result`);
  return { job, logs: logs.body, result: result.body };
}

export async function runToEnd(person: Person, type: string, payload: object, more: object = {}): Promise<Story> {
  return finishedJob(person, await submitJob(person, type, payload, more));
}

/** `attempt level message` of each line, for comparing at a glance. */
export function linesOf({ logs }: Story): string[] {
  return logs.map(({ attempt, level, message }) => `${attempt} ${level} ${message}`);
}
