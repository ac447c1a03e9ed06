import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../harness/index.js';
import { createFaultyPlace, type FaultyPlace, finishUnderFaults } from './limit-faults.js';

const JOBS = 150;
/** Of these jobs no worker has a handler, so they fail. */
const FAILING = 30;

let place: FaultyPlace;
beforeEach(async () => {
  place = await createFaultyPlace(2, 5);
});
afterEach(() => place.end());

async function submit(count: number, job: object): Promise<string[]> {
  const { status, body, text } = await place.person.post('/jobs/batch', {
    jobs: Array.from({ length: count }, () => job),
  });
  if (status !== 202) throw new Error(text);
  return body.jobs.map(({ id }: { id: string }) => id);
}

it('no fault loses the event of a job that has finished, or reports the end of one that has not', async () => {
  const url = `${place.receiver.url}/events/hook`;
  expect((await place.person.post('/org/webhooks', { url, events: ['job.*'] })).status).toBe(201);
  const call = { type: 'webhook', payload: { url: `${place.receiver.url}/jobs/x`, payload: {} }, max_retries: 20 };
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const open = await submit(20, { ...call, run_at: later });
  const done = await submit(JOBS - FAILING, call);
  const failed = await submit(FAILING, { type: 'no.handler', payload: {} });
  await finishUnderFaults(place, JOBS, 30);

  const events = () => place.receiver.bodies.map((text) => JSON.parse(text));
  const reported = (type: string) => new Set(events().flatMap((event) => (event.type === type ? [event.data.id] : [])));
  await until('every end to be reported', () => reported('job.done').size + reported('job.failed').size >= JOBS);
  expect(reported('job.done')).toEqual(new Set(done));
  expect(reported('job.failed')).toEqual(new Set(failed));
  expect(events().filter(({ data }) => open.includes(data.id))).toEqual([]);
  // Repetitions have the id of their event.
  expect(new Set(events().map(({ id }) => id)).size).toBe(JOBS);
});
