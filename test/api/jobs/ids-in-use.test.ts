import type { OrgId } from '@jobline/contracts';
import { createDb } from '@jobline/db';
import {
  createEnqueue,
  createEvents,
  createProducer,
  createPublishedTypes,
  createRoutes,
  createSubmit,
  createWindow,
} from '@jobline/engine';
import { createCatalogue, QUEUES } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, HANG_MS, type Person, register, submitJob, until, type World } from '../../harness/index.js';

let world: World;
let person: Person;
let other: Person;

beforeAll(async () => {
  world = await createWorld();
  // One process: all submissions share its statements.
  const { call } = await world.alone.api();
  [person, other] = [await register(call), await register(call)];
});
afterAll(() => world.end());

/** Keeps an id of the person in use, by a transaction of another process, until the returned function ends it. */
async function holdId(id: string): Promise<() => Promise<void>> {
  const db = createDb({ url: world.databaseUrl, poolSize: 1, onIdleError: () => undefined });
  let end: () => void = () => undefined;
  const ending = new Promise<void>((resolve) => {
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
      await ending;
    },
    { timeout: HANG_MS },
  );
  await until('the id to be in use', () => isHeld);
  return async () => {
    end();
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

  it('fails a submission with 409 when that takes too long', async () => {
    const events = createEvents();
    const producer = createProducer({ redisUrl: world.redisUrl, prefix: world.prefix, queues: QUEUES, events });
    const submit = createSubmit({
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
      idWaitMs: 0,
    });
    const end = await holdId('for-long');
    const submission = { id: 'for-long', type: 'a', payload: {}, maxRetries: 0, priority: 0, runAt: null };

    // The cast: the API returned it.
    const refused = submit(person.orgId as OrgId, submission);

    await expect(refused).rejects.toMatchObject({ code: 'conflict', status: 409 });
    await end();
    await producer.close();
  });
});
