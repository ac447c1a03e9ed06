import { expect } from 'vitest';
import { until } from '../harness/index.js';
import { type FaultyPlace, finishUnderFaults } from './limit-faults.js';

const BATCH = 500;
/** A fifth of the jobs fails, because no worker has a handler for them. */
const FAILING = 1 / 5;
const OPEN = 20;

async function submit(place: FaultyPlace, count: number, job: object): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const jobs = new Array(Math.min(BATCH, count - ids.length)).fill(job);
    const { status, body, text } = await place.person.post('/jobs/batch', { jobs });
    if (status !== 202) throw new Error(text);
    ids.push(...body.jobs.map(({ id }: { id: string }) => id));
  }
  return ids;
}

/** Runs jobs under faults, each after `every` more have finished. Then their ends are in events, and no other end is. */
export async function expectEveryEnd(place: FaultyPlace, total: number, every: number): Promise<{ calls: number }> {
  const url = `${place.receiver.url}/events/hook`;
  expect((await place.person.post('/org/webhooks', { url, events: ['job.*'] })).status).toBe(201);
  const call = { type: 'webhook', payload: { url: `${place.receiver.url}/jobs/x`, payload: {} }, max_retries: 20 };
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const open = await submit(place, OPEN, { ...call, run_at: later });
  const done = await submit(place, total * (1 - FAILING), call);
  const failed = await submit(place, total * FAILING, { type: 'no.handler', payload: {} });
  await finishUnderFaults(place, total, every);

  const events = () => place.receiver.bodies.map((text) => JSON.parse(text));
  const reported = (type: string) => new Set(events().flatMap((event) => (event.type === type ? [event.data.id] : [])));
  await until('every end to be reported', () => reported('job.done').size + reported('job.failed').size >= total);
  expect(reported('job.done')).toEqual(new Set(done));
  expect(reported('job.failed')).toEqual(new Set(failed));
  const pending = new Set(open);
  expect(events().filter(({ data }) => pending.has(data.id))).toEqual([]);
  // Repetitions have the id of their event.
  expect(new Set(events().map(({ id }) => id)).size).toBe(total);
  return { calls: events().length };
}
