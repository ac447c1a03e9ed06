import type { OrgId } from '@jobline/contracts';
import { createDb } from '@jobline/db';
import { createEnqueue, createEvents, createProducer, createRoutes, createSubmit, createWindow } from '@jobline/engine';
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

/** Has an id of the person's in use, by a transaction of another process, until it is let go. */
async function holdId(id: string): Promise<() => Promise<void>> {
  const db = createDb({ url: world.databaseUrl, poolSize: 1, onIdleError: () => undefined });
  let letGo: () => void = () => undefined;
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
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
      await isLetGo;
    },
    { timeout: HANG_MS },
  );
  await until('the id to be held', () => isHeld);
  return async () => {
    letGo();
    await ended;
    await db.$disconnect();
  };
}

/** When those that wait for a lock began to. */
async function waitingSince(): Promise<string[]> {
  const rows = await world.db.$queryRaw<{ since: string }[]>`
    SELECT xact_start::text AS since FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%lock_timeout%'`;
  return rows.map(({ since }) => since);
}

describe('an id that another transaction is storing', () => {
  it("holds up no other organization's submissions, with an id or without", async () => {
    const letGo = await holdId('held');
    const waiting: Promise<{ status: number }>[] = [];
    // More than there are statements under way at once.
    for (let n = 0; n < 8; n++) {
      waiting.push(person.post('/jobs', { id: 'held', type: 'custom.type', payload: {} }));
      await until('one to wait', async () => (await waitingSince()).length > 0);
    }

    await submitJob(other, 'custom.type', {});
    await submitJob(other, 'custom.type', {}, { id: 'held' });
    await submitJob(person, 'custom.type', {});

    await letGo();
    // The other job has other content.
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([409]));
  });

  it('is waited for by a batch that lets go of its own ids again and again', async () => {
    const letGo = await holdId('last');
    const jobs = ['first', 'last'].map((id) => ({ id, type: 'custom.type', payload: {} }));

    const answer = person.post('/jobs/batch', { jobs });
    const [first] = await until('it to wait', async () => {
      const since = await waitingSince();
      return since.length > 0 && since;
    });
    await until('it to wait anew', async () => {
      const since = await waitingSince();
      return since.length > 0 && !since.includes(first ?? '');
    });
    await letGo();

    expect((await answer).status).toBe(409);
  });

  it('ends a submission with 409 when that takes too long', async () => {
    const events = createEvents();
    const producer = createProducer({ redisUrl: world.redisUrl, prefix: world.prefix, queues: QUEUES, events });
    const submit = createSubmit({
      db: world.db,
      hot: world.hot,
      routes: createRoutes({ db: world.db, catalogue: createCatalogue(), events }),
      producer,
      window: createWindow(QUEUES, producer),
      events,
      enqueue: createEnqueue({ producer, events }),
      idWaitMs: 0,
    });
    const letGo = await holdId('for-long');
    const submission = { id: 'for-long', type: 'a', payload: {}, maxRetries: 0, priority: 0, runAt: null };

    // The cast: the API gave it.
    const refused = submit(person.orgId as OrgId, submission);

    await expect(refused).rejects.toMatchObject({ code: 'conflict', status: 409 });
    await letGo();
    await producer.close();
  });
});
