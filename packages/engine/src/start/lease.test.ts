import type { HotDb } from '@jobline/db';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEvents } from '../reporting/events.js';
import { createLease, type Lease } from './lease.js';

const LEASE_MS = 10_000;

/**
 * The answers of Postgres to the next statements: the time of the heartbeat that it wrote, null for no row, or an
 * error.
 */
let answers: (number | null | Error | Promise<number>)[];
/** The ids in the statements so far. */
let asked: unknown[];
let lostCount: number;
let lease: Lease;

const db: HotDb = {
  async query<Row>(_statement: TemplateStringsArray, ...values: readonly unknown[]) {
    asked.push(values.find((value) => typeof value === 'string'));
    const answer = await answers.shift();
    if (answer instanceof Error) throw answer;
    // The cast: both statements of a heartbeat return this row.
    return (answer == null ? [] : [{ at: new Date(answer) }]) as Row[];
  },
  close: async () => undefined,
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  [answers, asked, lostCount] = [[], [], 0];
  const shared = { types: new Map(), queues: new Map(), name: 'test', leaseMs: LEASE_MS };
  lease = createLease({ db, events: createEvents(), onLost: () => lostCount++, ...shared });
});
afterEach(() => vi.useRealTimers());

/** Sends a heartbeat that Postgres writes at `writtenAt`, while the clock of this machine shows `ms`. */
async function beatAt(ms: number, writtenAt = ms): Promise<void> {
  vi.advanceTimersByTime(ms - performance.now());
  answers = [writtenAt];
  await lease.beat();
}

test('a worker does not lose its identity while it registers, even if statements report it as unknown', async () => {
  const id = lease.id();
  let answer: (ms: number) => void = () => undefined;
  answers = [
    new Promise((resolve) => {
      answer = resolve;
    }),
  ];
  const registering = lease.beat();

  for (let n = 0; n < 3; n++) lease.lose(id);
  expect(lease.registeredId()).toBeNull();
  answer(1);
  await registering;

  expect([lease.id(), lease.registeredId(), lostCount]).toEqual([id, id, 0]);
});

test('a worker whose registration failed repeats it under the same identity', async () => {
  answers = [new Error('the answer was lost'), 1];
  await lease.beat();
  await lease.beat();

  expect(asked).toEqual([lease.id(), lease.id()]);
  expect(lease.registeredId()).toBe(lease.id());
});

test('a worker that was declared dead loses its lease once and registers under a new identity', async () => {
  await beatAt(0);
  const dead = lease.id();
  answers = [null, 1];

  await lease.beat();
  lease.lose(dead);
  await lease.beat();

  expect(lostCount).toBe(1);
  expect(lease.id()).not.toBe(dead);
  expect(asked).toEqual([dead, dead, lease.id()]);
});

test('the healthy time of a worker is the time in which its heartbeats had no gap', async () => {
  for (let ms = 0; ms <= LEASE_MS; ms += LEASE_MS / 5) await beatAt(ms);

  expect(lease.steadyForMs()).toBe(LEASE_MS);
});

test('the healthy time of a worker starts again after a failed heartbeat', async () => {
  for (let ms = 0; ms <= LEASE_MS; ms += LEASE_MS / 5) await beatAt(ms);
  answers = [new Error('Postgres is away')];
  await lease.beat();
  expect(lease.steadyForMs()).toBe(0);

  await beatAt(LEASE_MS * 1.2);
  expect(lease.steadyForMs()).toBe(0);
});

test('a worker that was frozen is not healthy before its next heartbeat', async () => {
  for (let ms = 0; ms <= LEASE_MS; ms += LEASE_MS / 5) await beatAt(ms);

  vi.advanceTimersByTime(LEASE_MS * 0.6);

  expect(lease.steadyForMs()).toBe(0);
});

test('the healthy time of a worker starts again after a gap of more than half a lease, by either clock', async () => {
  const gap = LEASE_MS * 0.6;
  await beatAt(0);
  await beatAt(2_000);
  await beatAt(2_000 + gap);
  expect(lease.steadyForMs()).toBe(0);

  const jumped = 2_000 + gap + 2_000;
  await beatAt(jumped);
  expect(lease.steadyForMs()).toBe(2_000);
  await beatAt(jumped + 2_000, jumped + 2_000 + gap);
  expect(lease.steadyForMs()).toBe(0);
});
