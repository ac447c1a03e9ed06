import type { Db } from '@jobline/db';
import { createEvents, createPublishedTypes, createRoutes } from '@jobline/engine';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorld, finishedJob, type Person, register, submitJob, type World } from '../harness/index.js';

// Only the workers know this type: the API has only the built-in ones.
const shrink = defineHandler({ type: 'shrink', queue: 'cpu', run: async () => 'small' });

let world: World;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  person = await register((await world.alone.api()).call);
});
afterEach(() => world.end());

const queueOf = async (id: string) => (await world.db.job.findFirstOrThrow({ where: { id } })).queue;

it('a job of a type that only workers know goes to the queue that they have published, from the first job on', async () => {
  await world.worker({ catalogue: createCatalogue([shrink]) });

  const id = await submitJob(person, 'shrink', {});

  expect(await queueOf(id)).toBe('cpu');
  expect((await finishedJob(person, id)).job.status).toBe('done');
});

it('each job of a batch goes to its own queue', async () => {
  await world.worker({ catalogue: createCatalogue([shrink]) });

  const jobs = ['shrink', 'unknown-type', 'compress_image'].map((type) => ({
    type,
    payload: { url: 'https://a.example' },
  }));
  const answer = await person.post('/jobs/batch', { jobs });

  expect(answer.status).toBe(202);
  expect(await Promise.all(answer.body.jobs.map(({ id }: { id: string }) => queueOf(id)))).toEqual([
    'cpu',
    'io',
    'cpu',
  ]);
});

it('a job of an unpublished type goes to the default queue', async () => {
  expect(await queueOf(await submitJob(person, 'unknown-type', {}))).toBe('io');
});

it('a route outlives the restart of the workers that published it', async () => {
  const worker = await world.worker({ catalogue: createCatalogue([shrink]) });
  await submitJob(person, 'shrink', {});

  await worker.stop();
  expect(await world.db.worker.count()).toBe(0);

  expect(await queueOf(await submitJob(person, 'shrink', {}))).toBe('cpu');
});

it('a route is known to an API that starts while the workers that published it are stopped', async () => {
  await (await world.worker({ catalogue: createCatalogue([shrink]) })).stop();
  const restarted = await world.alone.api();

  const body = { type: 'shrink', payload: {} };
  const answer = await restarted.call('POST', '/jobs', { token: person.token, body });

  expect(await queueOf(answer.body.id)).toBe('cpu');
});

it('a thousand submissions ask the database for routes once', async () => {
  await world.worker({ catalogue: createCatalogue([shrink]) });
  let asked = 0;
  const counting = {
    $queryRaw: (...query: Parameters<Db['$queryRaw']>) => {
      asked++;
      return world.db.$queryRaw(...query);
    },
  };
  // The cast: reading routes uses nothing else of a client.
  const routes = createRoutes({
    catalogue: createCatalogue(),
    published: createPublishedTypes({ db: counting as Db, events: createEvents(), leaseMs: 15_000 }),
  });

  const types = ['shrink', 'webhook', 'unknown-type', 'greet'];
  const queues = await Promise.all(Array.from({ length: 1_000 }, (_, n) => routes.queueFor(types[n % 4] ?? '')));

  expect(queues.slice(0, 4)).toEqual(['cpu', 'io', 'io', 'io']);
  expect(asked).toBe(1);
});
