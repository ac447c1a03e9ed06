import type { OrgId } from '@jobline/contracts';
import { createDb } from '@jobline/db';
import {
  createEnqueue,
  createEvents,
  createProducer,
  createPublishedTypes,
  createRoutes,
  createSubmissions,
  createWindow,
  type Producer,
} from '@jobline/engine';
import { createCatalogue, QUEUES } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, HANG_MS, type Person, register, submitJob, until, type World } from '../../harness/index.js';

const events = createEvents();
let world: World;
let person: Person;
let other: Person;
let producer: Producer;

beforeAll(async () => {
  world = await createWorld();
  // One process: all submissions share its statements.
  const { call } = await world.alone.api();
  [person, other] = [await register(call), await register(call)];
  producer = createProducer({ redisUrl: world.redisUrl, prefix: world.prefix, events });
});
afterAll(async () => {
  await producer.close();
  await world.end();
});

/**
 * Keeps an id of the person in use, by a transaction of another process, until the returned function commits it or rolls it
 * back.
 */
async function holdId(id: string): Promise<(end?: 'commit' | 'rollback') => Promise<void>> {
  const db = createDb({ url: world.databaseUrl, poolSize: 1, onIdleError: () => undefined });
  let end: (how: 'commit' | 'rollback') => void = () => undefined;
  const ending = new Promise<'commit' | 'rollback'>((resolve) => {
    end = resolve;
  });
  let isHeld = false;
  const ended = db.$transaction(
    async (tx) => {
      const now = new Date();
      const key = crypto.randomUUID();
      const times = { runAt: now, createdAt: now, updatedAt: now };
      await tx.job.create({
        data: { key, orgId: person.orgId, id, type: 'held', queue: 'io', payload: {}, place: 'waiting', ...times },
      });
      isHeld = true;
      if ((await ending) === 'rollback') await tx.$executeRaw`ROLLBACK`;
    },
    { timeout: HANG_MS },
  );
  await until('the id to be in use', () => isHeld);
  return async (how = 'commit') => {
    end(how);
    await ended;
    await db.$disconnect();
  };
}

/** The start of each transaction that waits for a lock. */
async function waitingSince(): Promise<string[]> {
  const rows = await world.db.$queryRaw<{ since: string }[]>`
    SELECT xact_start::text AS since FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%lock_timeout%'`;
  return rows.map(({ since }) => since);
}

/** Submits jobs of the person in this process: those of one moment share a statement. */
function createOwnSubmit(options: { idWaitMs?: number } = {}): (id: string) => Promise<unknown> {
  const submissions = createSubmissions({
    db: world.db,
    hot: world.hot,
    routes: createRoutes({
      catalogue: createCatalogue(),
      published: createPublishedTypes({ db: world.db, events, leaseMs: 15_000 }),
    }),
    producer,
    window: createWindow(QUEUES, producer),
    events,
    enqueue: createEnqueue({ producer, events }),
    ...options,
  });
  const submission = { type: 'webhook', payload: {}, maxRetries: 0, priority: 0, runAt: null };
  // The cast: the API returned it.
  return (id) => submissions.submit(person.orgId as OrgId, { id, ...submission }, { key: null });
}

async function postBatch(path: string, ids: readonly string[]): Promise<void> {
  const { status, text } = await person.post(path, {
    jobs: ids.map((id) => ({ id, type: 'custom.type', payload: {} })),
  });
  expect(status, text).toBeLessThan(300);
}

describe('an id that another transaction is storing', () => {
  it("does not delay another organization's submissions, with an id or without", async () => {
    const end = await holdId('held');
    const waiting: Promise<{ status: number }>[] = [];
    // More than the number of concurrent statements.
    for (let n = 0; n < 8; n++) {
      waiting.push(person.post('/jobs', { id: 'held', type: 'custom.type', payload: {} }));
      await until('one to wait', async () => (await waitingSince()).length > 0);
    }

    await submitJob(other, 'custom.type', {});
    await submitJob(other, 'custom.type', {}, { id: 'held' });
    await submitJob(person, 'custom.type', {});

    await end();
    // The other job has different content.
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([409]));
  });

  it('delays a batch, which releases its own ids repeatedly while it waits', async () => {
    const end = await holdId('last');
    const jobs = ['first', 'last'].map((id) => ({ id, type: 'custom.type', payload: {} }));

    const answer = person.post('/jobs/batch', { jobs });
    const [first] = await until('the batch to wait', async () => {
      const since = await waitingSince();
      return since.length > 0 && since;
    });
    await until('the batch to wait again', async () => {
      const since = await waitingSince();
      return since.length > 0 && !since.includes(first ?? '');
    });
    await end();

    expect((await answer).status).toBe(409);
  });

  it.each([
    { name: 'single jobs', submit: (ids: string[]) => Promise.all(ids.map(createOwnSubmit())) },
    { name: 'a batch', submit: (ids: string[]) => postBatch('/jobs/batch', ids) },
    { name: 'the jobs of a batch one by one', submit: (ids: string[]) => postBatch('/jobs/batch?mode=each', ids) },
  ])('stores $name whose id becomes free after it was found to be in use', async ({ name, submit }) => {
    const [deleted = '', held = ''] = [`a ${name}`, `z ${name}`].map((id) => id.replaceAll(' ', '-'));
    await submitJob(person, 'custom.type', {}, { id: deleted });
    await person.post(`/jobs/${deleted}/cancel`);
    const end = await holdId(held);

    const submitted = submit([deleted, held]);
    await until('the statement to wait', async () => (await waitingSince()).length > 0);
    expect((await person.delete(`/jobs/${deleted}`)).status).toBe(204);
    await end('rollback');

    await submitted;
    for (const id of [deleted, held]) expect((await person.get(`/jobs/${id}`)).body.status).toBe('pending');
  });

  it('fails a submission with 409 when that takes too long', async () => {
    const submit = createOwnSubmit({ idWaitMs: 0 });
    const end = await holdId('for-long');

    const refused = submit('for-long');

    await expect(refused).rejects.toMatchObject({ code: 'conflict', status: 409 });
    await end();
  });
});
