import type { OrgId } from '@jobline/contracts';
import { createDb } from '@jobline/db';
import {
  createEnqueue,
  createEvents,
  createProducer,
  createRoutes,
  createSubmitBatch,
  createWindow,
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

describe('a request with an Idempotency-Key whose twin is still under way', () => {
  const other = { contentHash: new Uint8Array(32), jobKeys: [], answer: [] };

  /** Has a key in use, by a transaction of another process, until it is let go. */
  async function holdKey(key: string, what: object = other): Promise<(isUsedUp: boolean) => Promise<void>> {
    const db = createDb({ url: world.databaseUrl, poolSize: 1, onIdleError: () => undefined });
    let letGo: (isUsedUp: boolean) => void = () => undefined;
    const isLetGo = new Promise<boolean>((resolve) => {
      letGo = resolve;
    });
    let isHeld = false;
    const ended = db
      .$transaction(
        async (tx) => {
          const times = { createdAt: new Date(), expiresAt: new Date() };
          await tx.idempotencyKey.create({ data: { ...other, ...what, orgId: person.orgId, key, ...times } });
          isHeld = true;
          if (!(await isLetGo)) throw new Error('taken back');
        },
        { timeout: HANG_MS },
      )
      .catch((error: Error) => expect(error.message).toBe('taken back'));
    await until('the key to be held', () => isHeld);
    return async (isUsedUp) => {
      letGo(isUsedUp);
      await ended;
      await db.$disconnect();
    };
  }

  /** Since when it has waited this time. */
  async function waitingSince(): Promise<string | undefined> {
    const [row] = await world.db.$queryRaw<{ since: string }[]>`
      SELECT xact_start::text AS since FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%idempotency_keys%'`;
    return row?.since;
  }

  it('waits for it, however often, and is done when the other is taken back', async () => {
    const letGo = await holdKey('twin-1');
    const answer = submit('twin-1');
    const first = await until('it to wait', waitingSince);
    await until('it to wait anew', async () => {
      const since = await waitingSince();
      return since !== undefined && since !== first;
    });
    await letGo(false);

    const { status, headers } = await answer;

    expect([status, headers.get('idempotent-replayed')]).toEqual([202, null]);
  });

  it('waits for it and is given its answer', async () => {
    const made = await submit('model');
    const { contentHash, jobKeys, answer } = await world.db.idempotencyKey.findFirstOrThrow({
      where: { key: 'model' },
    });
    const letGo = await holdKey('twin-2', { contentHash, jobKeys, answer });
    const twin = submit('twin-2');
    await until('it to wait', waitingSince);
    await letGo(true);

    const { status, body, headers } = await twin;

    expect([status, body, headers.get('idempotent-replayed')]).toEqual([202, made.body, 'true']);
  });

  it('waits for it and is refused when the other has asked for something else', async () => {
    const letGo = await holdKey('twin-3');
    const twin = submit('twin-3');
    await until('it to wait', waitingSince);
    await letGo(true);

    expectError(await twin, 422, 'idempotency_key_reused');
  });

  it('is refused with 409 when that takes too long', async () => {
    const events = createEvents();
    const producer = createProducer({ redisUrl: world.redisUrl, prefix: world.prefix, queues: QUEUES, events });
    const submitBatch = createSubmitBatch({
      db: world.db,
      routes: createRoutes({ db: world.db, catalogue: createCatalogue(), events }),
      producer,
      window: createWindow(QUEUES, producer),
      events,
      enqueue: createEnqueue({ producer, events }),
      duplicateWaitMs: 100,
    });
    const letGo = await holdKey('twin-4');

    const refused = submitBatch(person.orgId as OrgId, {
      endpoint: '/jobs',
      submissions: [{ type: 'a', payload: {}, maxRetries: 0, priority: 0, runAt: null }],
      idempotencyKey: 'twin-4',
      pathOfId: () => 'id',
    });

    await expect(refused).rejects.toMatchObject({ code: 'conflict', status: 409 });
    await letGo(false);
    await producer.close();
  });
});
