import { createCatalogue } from '@jobline/handlers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorld, type Person, register, submitJob, until, type World } from '../harness/index.js';
import { createNamedJobs } from './named-jobs.js';

let world: World;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterEach(() => world.end());

async function submitAll(names: readonly string[], priority = 0): Promise<void> {
  for (let n = 0; n < names.length; n += 1_000) {
    const part = names.slice(n, n + 1_000);
    const jobs = part.map((name) => ({ type: 'first', payload: { name }, key: name.split(':')[1], priority }));
    expect((await person.post('/jobs/batch', { jobs })).status).toBe(202);
  }
}

it('a new job of a key does not start before an older one that waited already when its limit became ordered', async () => {
  const jobs = createNamedJobs(['first', 'second']);
  await world.worker({ catalogue: createCatalogue(jobs.handlers), queues: ['io'], concurrency: 50 });
  jobs.isHeld = true;
  for (let n = 0; n < 50; n++) await submitJob(person, 'second', { name: `blocker:${n}` });
  await until('the slots to be used', () => jobs.running.size === 50);
  const keys = Array.from({ length: 300 }, (_, n) => `${n}`);
  // The oldest jobs have one key, so the others need not wait for many keys before them.
  await submitAll(Array.from({ length: 2_000 }, () => 'first:one'));
  await submitAll(keys.map((key) => `older:${key}`));
  const limit = { types: ['first'], per: 'key', concurrency: 1, ordered: true };
  expect((await person.put('/org/limits/lane', limit)).status).toBe(200);
  jobs.isHeld = false;
  const last = keys.slice(-50);
  await submitAll(
    last.map((key) => `newer:${key}`),
    9,
  );

  await until('the newer jobs to have run', () => last.every((key) => jobs.started.includes(`newer:${key}`)));
  const place = (name: string) => jobs.started.indexOf(name);
  const isEarly = (key: string) => place(`older:${key}`) < 0 || place(`newer:${key}`) < place(`older:${key}`);
  expect(last.filter(isEarly)).toEqual([]);
});
