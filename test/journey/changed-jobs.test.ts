import type { JobKey, OrgId } from '@jobline/contracts';
import { changePending, insertJobs, listWaiting } from '@jobline/db/job-transitions';
import { createDispatcher, createEvents, createProducer, type LeasedTask, type Producer } from '@jobline/engine';
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
  chunkKey?: JobKey | null;
  key?: JobKey;
  priority?: number;
}

/** Stores a job of the type `echo`, without an entry. Its id is its key. */
async function store(orgId: OrgId, { hasCapacity = false, chunkKey = null, priority = 0, ...more }: NewOne = {}) {
  const key = more.key ?? (newId() as JobKey); // The cast: the job is created here.
  await insertJobs(world.hot, [
    {
      ...{ key, orgId, id: key, type: 'echo', queue: 'io', payload: '{}', contentHash: null, priority, maxRetries: 0 },
      ...{ runAt: null, traceparent: null, hasCapacity, chunkKey },
    },
  ]);
  return key;
}

describe('with a worker', () => {
  let api: TestApi;
  let person: Person;
  let orgId: OrgId;
  let runs: object[];
  const echo = defineHandler({ type: 'echo', run: async (payload) => void runs.push(payload) });

  beforeEach(async () => {
    runs = [];
    api = await world.api();
    person = await register(api.call);
    orgId = person.orgId as OrgId; // The cast: it is the id of an organization.
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

  it('a job of a chunk that is put off leaves the chunk, and the others run', async () => {
    const first = await store(orgId, { hasCapacity: true });
    const chunk = [first, newId() as JobKey, newId() as JobKey]; // The cast: these jobs are created here.
    for (const key of chunk.slice(1)) await store(orgId, { key, hasCapacity: true, chunkKey: first });
    await producer.add([{ queue: 'io', id: `${first}-c1`, keys: chunk, delayMs: 0 }]);
    await change(first, { run_at: inAnHour().toISOString() });
    await startWorker();
    for (const key of chunk.slice(1)) await finishedJob(person, key);
    await until('the chunk to leave Redis', () => hasNoEntry(first));
    expect((await person.get(`/jobs/${first}`)).body.status).toBe('pending');

    await change(first, { run_at: null });
    expect((await finishedJob(person, first)).attempts).toHaveLength(1);
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

describe('the dispatcher', () => {
  let dispatcher: LeasedTask;
  beforeEach(() => {
    const id = newId();
    const events = createEvents();
    dispatcher = createDispatcher({
      ...world,
      producer,
      events,
      lease: { id: () => id },
      queues: ['io'],
      orgMaxRunning: null,
      window: 1_000,
    });
  });
  afterEach(() => dispatcher.end());

  /** Runs rounds until the entry of this number waits. */
  async function untilEntry(key: JobKey, seq: number): Promise<void> {
    await until(`the entry ${seq}`, async () => {
      await dispatcher.round();
      return (await waitingEntries(redis, world.prefix)).includes(`${key}-${seq}`);
    });
  }

  it('adds a new entry of a job that was put off and brought forward while its old one is in Redis', async () => {
    const orgId = newId() as OrgId; // The cast: the organization needs no row.
    const key = await store(orgId);
    await untilEntry(key, 1);
    await changePending(world.db, orgId, key, { runAt: inAnHour() }, 'changed');
    await dispatcher.round();
    await changePending(world.db, orgId, key, { runAt: null }, 'changed');

    await untilEntry(key, 3);
    expect(await waitingEntries(redis, world.prefix)).toContain(`${key}-1`);
  });

  it('takes waiting jobs in the order of their new priorities and times', async () => {
    const orgId = newId() as OrgId; // The cast: as above.
    const [a, b, c] = [await store(orgId), await store(orgId), await store(orgId, { priority: 5 })];
    await changePending(world.db, orgId, b, { priority: 9 }, 'changed');
    await changePending(world.db, orgId, c, { priority: 0, runAt: new Date(0) }, 'changed');
    await changePending(world.db, orgId, a, { runAt: null }, 'changed');

    const from = [{ orgId, after: null, limit: 10 }];
    const rows = await listWaiting(world.hot, 'io', from, { limit: 10, except: { entries: [], types: [] } });
    expect(rows.map(({ key }) => key)).toEqual([b, a, c]);
  });
});
