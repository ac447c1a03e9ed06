import type { JobKey, OrgId } from '@jobline/contracts';
import { registerWorker } from '@jobline/db';
import { changePending, claimWaiting, insertJobs } from '@jobline/db/job-transitions';
import { createEvents, createProducer, type Producer } from '@jobline/engine';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  keysLike,
  openRedis,
  type Person,
  register,
  runToEnd,
  submitJob,
  type TestApi,
  until,
  type World,
  waitingEntries,
} from '../harness/index.js';

let world: World;
let redis: ReturnType<typeof openRedis>;
let producer: Producer;

beforeEach(async () => {
  world = await createWorld();
  redis = openRedis(world.redisUrl);
  const options = { redisUrl: world.redisUrl, prefix: world.prefix, queues: ['io'], events: createEvents() };
  producer = createProducer(options);
});
afterEach(async () => {
  await producer.close();
  redis.disconnect();
  await world.end();
});

const inAnHour = () => new Date(Date.now() + 3_600_000);

interface NewOne {
  hasCapacity?: boolean;
  key?: JobKey;
  priority?: number;
}

/** Stores a job of the type `echo`, without an entry. Its id is its key. */
async function store(orgId: OrgId, { hasCapacity = false, priority = 0, ...more }: NewOne = {}) {
  const key = more.key ?? (newId() as JobKey); // The cast: the job is created here.
  await insertJobs(world.hot, [
    {
      ...{ key, orgId, id: key, type: 'echo', queue: 'io', payload: '{}', contentHash: null, priority, maxRetries: 0 },
      ...{ runAt: null, traceparent: null, hasCapacity },
    },
  ]);
  return key;
}

describe('with a worker', () => {
  let api: TestApi;
  let person: Person;
  let runs: object[];
  const echo = defineHandler({ type: 'echo', run: async (payload) => void runs.push(payload) });

  beforeEach(async () => {
    runs = [];
    api = await world.api();
    person = await register(api.call);
  });

  async function change(id: string, body: object): Promise<void> {
    const answer = await api.call('PATCH', `/jobs/${id}`, { token: person.token, body });
    expect(answer.status, answer.text).toBe(200);
  }

  /** Starts a worker. Resolves when it has taken everything that was in Redis before. */
  async function startWorker(): Promise<void> {
    await world.worker({ catalogue: createCatalogue([echo]) });
    await until('Redis to be empty', async () => (await waitingEntries(redis, world.prefix)).length === 0);
    await runToEnd(person, 'echo', { last: true });
  }

  /** No entry of the job is in Redis, in any list. */
  const hasNoEntry = async (id: string) => (await keysLike(redis, `*${world.prefix}*${id}*`)).length === 0;

  it('an enqueued job that is put off does not run at its old time, and runs once at its new time', async () => {
    const id = await submitJob(person, 'echo', { v: 1 });
    await until('its entry', async () => (await waitingEntries(redis, world.prefix)).length === 1);
    await change(id, { run_at: inAnHour().toISOString(), payload: { v: 2 } });
    await startWorker();
    expect(await hasNoEntry(id)).toBe(true);
    expect((await person.get(`/jobs/${id}`)).body.status).toBe('pending');

    await change(id, { run_at: null });
    expect((await finishedJob(person, id)).attempts).toHaveLength(1);
    expect(runs).toEqual([{ last: true }, { v: 2 }]);
  });

  it('an old entry that is delivered after the change is harmless', async () => {
    const id = await submitJob(person, 'echo', { v: 1 });
    await change(id, { run_at: inAnHour().toISOString() });
    await until('its entry to be gone', async () => (await waitingEntries(redis, world.prefix)).length === 0);
    await world.addEntry(id, 1);
    await startWorker();
    await until('the old entry to be gone', () => hasNoEntry(id));
    await change(id, { run_at: null, payload: { v: 2 } });
    expect((await finishedJob(person, id)).attempts).toHaveLength(1);
    expect(runs).toEqual([{ last: true }, { v: 2 }]);
  });
});

it('waiting jobs start in the order of their new priorities and times', async () => {
  const orgId = newId() as OrgId; // The cast: the organization needs no row.
  const [a, b, c] = [await store(orgId), await store(orgId), await store(orgId, { priority: 5 })];
  await changePending(world.db, orgId, b, { priority: 9 }, 'changed');
  await changePending(world.db, orgId, c, { priority: 0, runAt: new Date(0) }, 'changed');
  await changePending(world.db, orgId, a, { runAt: null }, 'changed');

  const started: JobKey[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const { claims } = await claimNext(orgId);
    started.push(...claims.map(({ key }) => key));
  }

  expect(started).toEqual([b, a, c]);
});

/** Claims the next waiting job of an organization, like a worker that has a ticket. */
async function claimNext(orgId: OrgId) {
  const id = newId();
  const types = new Map([['echo', { queue: 'io', timeoutMs: 1_000, schema: null }]]);
  await registerWorker(world.hot, { id, name: 'w', types, queues: new Map([['io', 1]]) });
  const worker = { id, types: ['echo'], leaseMs: 60_000, capacity: { crashedOnce: 0, isolated: 0 } };
  return claimWaiting(world.hot, worker, {
    queue: 'io',
    requests: [{ orgId, after: null, count: 1 }],
    tokens: [newId()],
  });
}
