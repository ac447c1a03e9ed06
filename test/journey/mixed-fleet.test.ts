import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  openRedis,
  type Person,
  register,
  submitJob,
  until,
  type World,
  waitingEntries,
} from '../harness/index.js';

const RARE = 300;
const WINDOW = 30;
/** How many jobs the API enqueues before it knows the window, and the limit of a type. */
const MOST_IN_REDIS = 150;
const SLOTS_OF_RARE = 2;
const SLOTS_OF_LIGHT = 4;

let world: World;
let person: Person;
let isHeld = true;
let begun = 0;

const rare = defineHandler({
  type: 'rare',
  async run() {
    begun++;
    await until('the job to be released', () => !isHeld);
  },
});
const light = defineHandler({ type: 'light', run: async () => undefined });

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
  const queues = ['io'] as const;
  await world.alone.worker({
    catalogue: createCatalogue([rare, light]),
    concurrency: SLOTS_OF_RARE,
    window: WINDOW,
    queues,
  });
  await world.alone.worker({
    catalogue: createCatalogue([light]),
    concurrency: SLOTS_OF_LIGHT,
    window: WINDOW,
    queues,
  });
  await dispatcherToKnow(SLOTS_OF_RARE + SLOTS_OF_LIGHT);
});
afterAll(async () => {
  isHeld = false;
  await world.end();
});

it('jobs whose workers are all busy do not block later jobs of their organization', async () => {
  const jobs = Array.from({ length: RARE }, () => ({ type: 'rare', payload: {} }));
  expect((await person.post('/jobs/batch', { jobs })).status).toBe(202);
  await until('the slots to be taken', () => begun === SLOTS_OF_RARE);

  const ids = [];
  for (let n = 0; n < 5; n++) ids.push(await submitJob(person, 'light', {}));
  for (const id of ids) expect((await finishedJob(person, id)).job.status).toBe('done');

  expect(begun).toBe(SLOTS_OF_RARE);
  expect(await entriesInRedis()).toBeLessThanOrEqual(MOST_IN_REDIS);
  isHeld = false;
  await until('others of them to run', () => begun > SLOTS_OF_RARE + 10);
});

/** Until the dispatcher knows the second worker, it assumes that all workers have the handler, and limits no type. */
async function dispatcherToKnow(slots: number): Promise<void> {
  const redis = openRedis(world.redisUrl);
  try {
    await until('the dispatcher to know both workers', async () =>
      (await redis.get(`{${world.prefix}-io}:window`))?.startsWith(`${WINDOW} ${slots} 1;`),
    );
  } finally {
    redis.disconnect();
  }
}

async function entriesInRedis(): Promise<number> {
  const redis = openRedis(world.redisUrl);
  const list = (name: string) => `{${world.prefix}-io}:io:${name}`;
  try {
    const waiting = await waitingEntries(redis, world.prefix);
    return waiting.length + (await redis.llen(list('active'))) + (await redis.zcard(list('delayed')));
  } finally {
    redis.disconnect();
  }
}
