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
  submissionsKey,
} from '@jobline/engine';
import { createCatalogue, QUEUES } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, HANG_MS, type Person, register, until, type World } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  const { call } = await world.api();
  person = await register(call);
});
afterAll(() => world.end());

const submit = (key: string) =>
  person.post('/jobs', { type: 'custom.type', payload: {} }, { headers: { 'Idempotency-Key': key } });

describe('a request with an Idempotency-Key that a concurrent request uses', () => {
  const other = { contentHash: new Uint8Array(32), jobKeys: [], answer: [] };

  /** Keeps a key in use by another process's transaction, until the returned function commits it or rolls it back. */
  async function holdKey(key: string, what: object = other): Promise<(isCommitted: boolean) => Promise<void>> {
    const db = createDb({ url: world.databaseUrl, poolSize: 1, onIdleError: () => undefined });
    let end: (isCommitted: boolean) => void = () => undefined;
    const ending = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    let isHeld = false;
    const ended = db
      .$transaction(
        async (tx) => {
          const times = { createdAt: new Date(), expiresAt: new Date() };
          await tx.idempotencyKey.create({ data: { ...other, ...what, orgId: person.orgId, key, ...times } });
          isHeld = true;
          if (!(await ending)) throw new Error('rolled back');
        },
        { timeout: HANG_MS },
      )
      .catch((error: Error) => expect(error.message).toBe('rolled back'));
    await until('the key to be in use', () => isHeld);
    return async (isCommitted) => {
      end(isCommitted);
      await ended;
      await db.$disconnect();
    };
  }

  /** The start of the transaction that waits now. */
  async function waitingSince(): Promise<string | undefined> {
    const [row] = await world.db.$queryRaw<{ since: string }[]>`
      SELECT xact_start::text AS since FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%idempotency_keys%'`;
    return row?.since;
  }

  it('waits for it repeatedly, and is done when the other is rolled back', async () => {
    const end = await holdKey('duplicate-1');
    const answer = submit('duplicate-1');
    const first = await until('the request to wait', waitingSince);
    await until('the request to wait again', async () => {
      const since = await waitingSince();
      return since !== undefined && since !== first;
    });
    await end(false);

    const { status, headers } = await answer;

    expect([status, headers.get('idempotent-replayed')]).toEqual([202, null]);
  });

  it('waits for it and gets its response', async () => {
    const made = await submit('model');
    const { contentHash, jobKeys, answer } = await world.db.idempotencyKey.findFirstOrThrow({
      where: { key: 'model' },
    });
    const end = await holdKey('duplicate-2', { contentHash, jobKeys, answer });
    const duplicate = submit('duplicate-2');
    await until('the request to wait', waitingSince);
    await end(true);

    const { status, body, headers } = await duplicate;

    expect([status, body, headers.get('idempotent-replayed')]).toEqual([202, made.body, 'true']);
  });

  it('waits for it and is rejected when the other has different content', async () => {
    const end = await holdKey('duplicate-3');
    const duplicate = submit('duplicate-3');
    await until('the request to wait', waitingSince);
    await end(true);

    expectError(await duplicate, 422, 'idempotency_key_reused');
  });

  it('is rejected with 409 when that takes too long', async () => {
    const events = createEvents();
    const producer = createProducer({ redisUrl: world.redisUrl, prefix: world.prefix, events });
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
      duplicateWaitMs: 100,
    });
    const end = await holdKey('duplicate-4');

    const job = { type: 'a', payload: {}, maxRetries: 0, priority: 0, runAt: null };
    const key = submissionsKey('/jobs', 'duplicate-4', [job]);
    const refused = submissions.submit(person.orgId as OrgId, job, { key });

    await expect(refused).rejects.toMatchObject({ code: 'conflict', status: 409 });
    await end(false);
    await producer.close();
  });
});
