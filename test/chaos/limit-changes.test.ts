import { createCatalogue } from '@jobline/handlers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorld, type Person, register, until, type World } from '../harness/index.js';
import { createNamedJobs } from '../journey/named-jobs.js';

const JOBS = 1_200;
let world: World;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterEach(() => world.end());

it('the jobs of a changed limit are adapted by a worker, also if the API died after the change was stored', async () => {
  const later = new Date(Date.now() + 3_600_000).toISOString();
  for (let n = 0; n < JOBS; n += 400) {
    const jobs = Array.from({ length: 400 }, (_, i) => ({
      type: 'first',
      payload: { name: `a:${n + i}` },
      run_at: later,
      key: `${i % 3}`,
    }));
    expect((await person.post('/jobs/batch', { jobs })).status).toBe(202);
  }
  const limit = { types: ['first'], per: 'key', concurrency: 1, ordered: true };
  expect((await person.put('/org/limits/lane', limit)).status).toBe(200);
  const heldCount = () => world.db.liveJob.count({ where: { place: 'held' } });
  // No worker has run yet, and the API does nothing after its response.
  expect(await heldCount()).toBe(500);

  await world.worker({ catalogue: createCatalogue(createNamedJobs(['first']).handlers), queues: ['io'] });

  await until('all jobs to be held', async () => (await heldCount()) === JOBS);
  // Once more, after every statement has ended that did not see the change.
  await until('the repetition to be planned', async () => {
    const [change] = await world.db.limitChange.findMany();
    return change && change.dueAt > change.changedAt;
  });
  await world.db.$executeRaw`UPDATE live_jobs SET place = 'scheduled' WHERE id IN (SELECT id FROM live_jobs LIMIT 5)`;
  await world.db.$executeRaw`UPDATE limit_changes SET due_at = now(), changed_at = now() - interval '40 s'`;
  await until('all jobs to be held', async () => (await heldCount()) === JOBS);
  await until('the change to be forgotten', async () => (await world.db.limitChange.count()) === 0);
});
