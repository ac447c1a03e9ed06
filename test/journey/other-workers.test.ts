import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  OPERATOR,
  OPERATOR_HEADERS,
  type Person,
  readExposition,
  register,
  sampleOf,
  submitJob,
  type World,
} from '../harness/index.js';

const JOBS = 10;

let world: World;
let person: Person;
let healthPort: number;

const rare = defineHandler({ type: 'rare', run: async () => undefined });
const other = defineHandler({ type: 'other', run: async () => undefined });

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
  const place = { queues: ['io'] as const, health: { WORKER_PORT: 0, ...OPERATOR } };
  const worker = await world.alone.worker({ catalogue: createCatalogue([other]), ...place });
  if (worker.healthPort === null) throw new Error('the worker serves no health');
  healthPort = worker.healthPort;
  await world.alone.worker({ catalogue: createCatalogue([rare]), ...place });
});
afterAll(() => world.end());

it('an idle worker gets a job that only it can run, although another idle worker asks for entries too', async () => {
  for (let n = 0; n < JOBS; n++) {
    expect((await finishedJob(person, await submitJob(person, 'rare', {}))).job.status).toBe('done');
  }
  // The first jobs may reach the other worker several times. Then it lets this worker ask first.
  expect(await deliveries()).toBeLessThanOrEqual(2 * JOBS);
});

/** How many jobs were delivered to the worker that has only one of the two handlers. */
async function deliveries(): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${healthPort}/metrics`, { headers: OPERATOR_HEADERS });
  const metrics = readExposition(await answer.text());
  return sampleOf(metrics, 'jobline_batch_size_sum', { step: 'claim' }) ?? 0;
}
