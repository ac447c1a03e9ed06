import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../harness/index.js';
import { type FullApi, startFullApi } from './full-api.js';
import {
  listOperations,
  measurePrices,
  methodOf,
  type Operation,
  prepare,
  requestOf,
  shownPath,
  table,
} from './price-list.js';

const { operations, uncalled } = listOperations();
/** Each operation that takes turns, with one of its calls that do. */
const inTurn = [
  ...new Map(
    operations
      .filter(({ call }) => call.takesTurns === 'always' || call.takesTurns === 'page')
      .map((one) => [one.name, one]),
  ).values(),
];

let full: FullApi;

beforeAll(async () => {
  full = await startFullApi();
});
afterAll(() => full.end());

test('every operation of the API document has a call with its price', () => {
  expect(uncalled, 'add the dearest calls of each to test/prices').toEqual([]);
});

test('no request costs much time of the database or of the event loop at full quotas', async () => {
  const prices = await measurePrices(full, operations);
  process.stdout.write(`${table(prices)}\n`);

  expect(prices.flatMap(({ what, unexpected }) => (unexpected === null ? [] : [`${what}: ${unexpected}`]))).toEqual([]);
  expect(prices.filter(({ isDear }) => isDear)).toEqual([]);
});

test.each(inTurn.map((one) => ({ what: `${methodOf(one)} ${shownPath(one)}`, one })))(
  '$what takes turns with the other expensive requests of an organization',
  async ({ one }) => {
    expect(await countWaiting(one)).toBe(1);
  },
);

test('the documents name each operation that takes turns', async () => {
  const always = inTurn.filter(({ call }) => call.takesTurns === 'always');
  const named = always.map((one) => `\`${methodOf(one)} ${shownPath(one)}\``);

  const document = await readFile(new URL('../../docs/measurements/isolation.md', import.meta.url), 'utf8');
  const [, section = ''] = document.split('## Operations that take turns');

  expect(named.filter((name) => !section.includes(name))).toEqual([]);
});

/** How many of three requests of the organization read its data at the same time. */
async function countWaiting(one: Operation): Promise<number> {
  const { client } = full;
  await prepare(full, one.call, 0);
  await until('the tables to be locked', lockTables);
  const responses = [0, 1, 2].map((n) => send(requestOf(full, one, n)));
  const waiting = async () => {
    // Within a transaction, Postgres shows the statements of the first look.
    await client.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await client.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' GROUP BY query ORDER BY 1 DESC`,
    );
    return rows[0]?.n;
  };
  try {
    await until('a request to read', waiting);
    // It comes after all of them.
    await full.owner.get('/auth/me');
    return (await waiting()) ?? 0;
  } finally {
    await client.query('ROLLBACK');
    await Promise.all(responses);
  }
}

/**
 * Locks all tables but those of credentials, and that of leases: several tasks of the API wait for it with the same statement. A task
 * may lock them in another order: then it is tried once more.
 */
async function lockTables(): Promise<boolean> {
  try {
    await full.client.query(`BEGIN; DO $$ BEGIN
      EXECUTE (SELECT 'LOCK TABLE ' || string_agg(quote_ident(relname), ', ') FROM pg_class
        WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
          AND relname <> ALL ('{organizations,users,memberships,sessions,leases}')); END $$`);
    return true;
  } catch (error) {
    await full.client.query('ROLLBACK');
    if (error instanceof Error && 'code' in error && error.code === '40P01') return false;
    throw error;
  }
}

async function send({ method, path, headers, body }: ReturnType<typeof requestOf>): Promise<void> {
  const response = await fetch(full.url + path, { method, headers, ...(body !== undefined && { body }) });
  await response.arrayBuffer();
}
