import type { JobKey } from '@jobline/contracts';
import type { Db, HotDb } from '@jobline/db';
import { randomId } from '@jobline/runtime';
import { expect, test } from 'vitest';
import type { Producer } from '../queue/producer.js';
import { createEvents } from '../reporting/events.js';
import { createLease } from '../start/lease.js';
import { createClaims } from './claim.js';
import { createCrashIsolation } from './crash-isolation.js';
import { createRuns } from './runs.js';

/** Answers each statement with the rows that `rowsFor` returns for its values. */
function dbOf(rowsFor: (values: readonly unknown[]) => Promise<object[]>): HotDb {
  return {
    // The cast: the rows have what the test reads of them.
    query: async <Row>(_statement: TemplateStringsArray, ...values: readonly unknown[]) =>
      (await rowsFor(values)) as Row[],
    close: async () => undefined,
  };
}

test('a claim that is answered after its worker was declared dead does not start the job', async () => {
  const events = createEvents();
  const runs = createRuns();
  const crashIsolation = createCrashIsolation();
  const lease = createLease({
    db: dbOf(async () => [{ at: new Date(0) }]),
    ...{ events, name: 'test', leaseMs: 10_000, types: new Map(), queues: new Map(), onLost: () => undefined },
  });
  await lease.beat();
  const dead = lease.id();
  const hot = dbOf(async (values) => {
    lease.lose(dead);
    await lease.beat();
    // The cast: the statement is in parts, and each part has its own values.
    const all = (values as { strings?: unknown; values: unknown[] }[]).flatMap((part) =>
      part.strings ? part.values : [part],
    );
    const [[key] = [], [token] = []] = all.filter(Array.isArray);
    return [{ delivery: token, key, token, crashCount: 1, isAlive: true }];
  });
  // The casts: only claims of held jobs use them.
  const producer = {} as Producer;
  const claims = createClaims({
    db: {} as Db,
    hot,
    producer,
    events,
    runs,
    lease,
    crashIsolation,
    types: [],
    leaseMs: 10_000,
  });
  const free = crashIsolation.reserve();
  crashIsolation.confirm(free, []);

  // The cast: ids are branded only in our types.
  const answer = await claims.claim(randomId() as JobKey, { queue: 'io' });

  expect(answer).toEqual({ kind: 'worker-dead', workerId: dead });
  expect(lease.registeredId()).not.toBe(dead);
  expect(runs.size()).toBe(0);
  expect(crashIsolation.reserve()).toEqual(free);
});
