import { createCatalogue } from '@jobline/handlers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type HeldLock,
  holdLock,
  type Person,
  register,
  submitJob,
  type TestApi,
  type World,
} from '../harness/index.js';
import { createNamedJobs } from '../journey/named-jobs.js';

let world: World;
let api: TestApi;
let first: Person;
let second: Person;
let lock: HeldLock;
let outages: number;
const jobs = createNamedJobs(['first']);

beforeEach(async () => {
  world = await createWorld();
  api = await world.api();
  [first, second] = [await register(api.call), await register(api.call)];
  outages = 0;
});
afterEach(async () => {
  await lock.release();
  await jobs.reset();
  await world.end();
});

async function startWorker(): Promise<void> {
  const worker = await world.worker({ catalogue: createCatalogue(jobs.handlers), queues: ['io'], concurrency: 20 });
  worker.events.on('database.lost', () => {
    outages++;
  });
}

const submit = (person: Person, name: string) => submitJob(person, 'first', { name });
const statusOf = async (person: Person, id: string) => (await person.get(`/jobs/${id}`)).body.status;

it('while one organization is locked, the limited jobs of another start, and its own start afterwards', async () => {
  for (const person of [first, second]) {
    const answer = await person.put('/org/limits/some', { types: ['first'], concurrency: 5 });
    expect(answer.status).toBe(200);
  }
  lock = await holdLock(
    world.db,
    (tx) => tx.$queryRaw`SELECT 1 FROM organizations WHERE id = ${first.orgId}::uuid FOR NO KEY UPDATE`,
  );

  await startWorker();
  const locked = [await submit(first, 'a:0'), await submit(first, 'a:1')];
  for (let n = 0; n < 20; n++) await finishedJob(second, await submit(second, `b:${n}`));

  for (const id of locked) expect(await statusOf(first, id)).toBe('pending');
  await lock.release();
  for (const id of locked) expect((await finishedJob(first, id)).job.status).toBe('done');
  expect(outages).toBe(0);
});

it('a job whose row is locked delays no other job and is no outage of Postgres', async () => {
  const locked = await submit(first, 'a:0');
  lock = await holdLock(world.db, (tx) => tx.$executeRaw`UPDATE live_jobs SET priority = 1`);
  const others = [await submit(second, 'b:0'), await submit(first, 'b:1')];

  await startWorker();

  for (const [i, id] of others.entries()) await finishedJob(i === 0 ? second : first, id);
  expect(await statusOf(first, locked)).toBe('pending');
  await lock.release();
  expect((await finishedJob(first, locked)).job.status).toBe('done');
  expect(outages).toBe(0);
});
