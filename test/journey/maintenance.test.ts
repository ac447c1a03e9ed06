import type { OrgId } from '@jobline/contracts';
import {
  createDeliver,
  createEnqueue,
  createEvents,
  createMaintenance,
  createProducer,
  createWindow,
} from '@jobline/engine';
import { newId } from '@jobline/runtime';
import pg from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWorld, until, type World } from '../harness/index.js';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await world.end();
});

/** A process with a task that one process at a time does. */
function startProcess(onReleased = vi.fn()) {
  const { db, hot } = world;
  const { task: leases, whileHeld, look } = createMaintenance({ db, hot, names: ['first', 'second'], onReleased });
  const work = vi.fn(async () => 20);
  const onLost = vi.fn();
  const task = whileHeld('second', { name: 'work', round: work, failedMs: 1, onLost });
  const begin = vi.fn();
  task.onWake?.(begin);
  return { leases, task, work, onLost, begin, look, onReleased };
}

it('one process at a time does a task, and another one continues when it has stopped or its lease has ended', async () => {
  const [one, other] = [startProcess(), startProcess()];

  const renewMs = await one.leases.round();
  expect(one.begin).toHaveBeenCalledOnce();
  expect(await one.task.round()).toBe(20);
  // The other one asks when the lease ends: less often than the holder renews it.
  expect(await other.leases.round()).toBeGreaterThan(renewMs);
  expect(await other.task.round()).toBeGreaterThan(renewMs);
  expect([one.work.mock.calls.length, other.work.mock.calls.length]).toEqual([1, 0]);

  await one.leases.end?.();
  expect(one.onReleased).toHaveBeenCalledOnce();
  await other.leases.round();
  expect(other.begin).toHaveBeenCalledOnce();
  await one.task.round();
  await other.task.round();
  expect([one.work.mock.calls.length, other.work.mock.calls.length]).toEqual([1, 1]);
  expect(one.onLost).toHaveBeenCalledOnce();

  await world.db.$executeRaw`UPDATE leases SET expires_at = now() - interval '1 ms'`;
  await one.leases.round();
  await other.leases.round();
  await one.task.round();
  await other.task.round();
  expect([one.work.mock.calls.length, other.work.mock.calls.length]).toEqual([2, 1]);
  await other.leases.end?.();
  expect(other.onReleased).not.toHaveBeenCalled();
  expect(await world.db.lease.count()).toBe(2);
});

it('the change of a job wakes the process that delivers events', async () => {
  const events = createEvents();
  const producer = createProducer({ ...world, events });
  const enqueue = createEnqueue({ producer, events });
  const deliver = createDeliver({ ...world, producer, events, enqueue, window: createWindow(['io'], producer) });
  const wake = vi.fn();
  deliver.onWake?.(wake);

  await deliver.round();
  await until('a message to arrive', () => {
    // The cast: ids are branded only in our types.
    producer.publishEvents(newId() as OrgId);
    return wake.mock.calls.length > 0;
  });

  await deliver.end?.();
  await producer.close();
});

const BEATS = 10;
const STARTING_BEATS = 3;

it('idle workers cost Postgres little more than their heartbeats', async () => {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const textOf = (statement: unknown) => (typeof statement === 'string' ? statement : Object(statement).text) as string;
  const texts = () => query.mock.calls.map(([statement]) => textOf(statement));
  const isBeat = (text: string) => text.includes('UPDATE workers SET heartbeat_at');
  const startWorker = () => world.alone.worker({ leaseMs: 5_000 });
  /** The statements of all processes for each heartbeat of a worker, which are about a second apart. */
  async function count(workers: number): Promise<number> {
    await until('the first statements to end', () => texts().filter(isBeat).length >= STARTING_BEATS * workers);
    query.mockClear();
    await until('some heartbeats', () => texts().filter(isBeat).length >= BEATS * workers);
    return texts().length / BEATS;
  }

  // The statistics of a new installation have no steps to count.
  await world.db.$executeRaw`
    UPDATE job_count_progress SET counted_until = date_bin(step_minutes * interval '1 min', now(), 'epoch')`;
  await world.alone.api();
  await startWorker();
  const ofOne = await count(1);
  query.mockClear();
  await Promise.all([startWorker(), startWorker(), startWorker()]);
  const ofFour = await count(4);

  expect(ofOne).toBeLessThan(60);
  expect((ofFour - ofOne) / 3).toBeLessThan(5);
});
