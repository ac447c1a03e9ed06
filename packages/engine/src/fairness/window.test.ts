import type { OrgId } from '@jobline/contracts';
import { afterEach, beforeEach, expect, it, test, vi } from 'vitest';
import type { QueueCounts } from '../queue/pubsub.js';
import { createBulkDetector, createWindow } from './window.js';

// The casts: no organization has these ids.
const one = 'one' as OrgId;
const other = 'other' as OrgId;
let counts: QueueCounts;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  counts = {
    waiting: 0,
    lowPriority: 0,
    active: 0,
    delayed: 0,
    window: 100,
    slots: 200,
    overShare: new Set(),
    waitingOrgs: new Set(),
  };
});
afterEach(() => void vi.useRealTimers());

/** Creates a window that has read the counts of Redis. */
async function openWindow() {
  const window = createWindow(['io'], { count: async () => counts, onReady: (listener) => listener() });
  await vi.waitFor(() => expect(window.reserveDelayed('io', one)).toBe(true));
  return window;
}

it('an organization whose jobs wait in Postgres gets no capacity in Redis, and others do', async () => {
  counts = { ...counts, waitingOrgs: new Set([one]) };
  const window = await openWindow();

  expect(window.reserve('io', one)).toBeNull();
  expect(window.reserve('io', other)).toBe('normal');
});

it('no organization gets capacity while too many organizations wait to be listed', async () => {
  counts = { ...counts, waitingOrgs: null };
  const window = await openWindow();

  expect(window.reserve('io', other)).toBeNull();
});

it('an organization that got no capacity gets none until the waiting organizations are published', async () => {
  counts = { ...counts, waiting: 100 };
  const window = await openWindow();
  expect(window.reserve('io', one)).toBeNull();

  window.release('io', 2);
  expect(window.reserve('io', one)).toBeNull();
  expect(window.reserve('io', other)).toBe('normal');
  vi.advanceTimersByTime(500);
  expect(window.reserve('io', one)).toBe('normal');
});

it('a bulk submission leaves a fifth of the window to the others', async () => {
  counts = { ...counts, waiting: 60, active: 5 };
  const window = await openWindow();
  const reserved = Array.from({ length: 30 }, () => window.reserve('io', other));

  expect(reserved.slice(0, 20)).toEqual(Array(20).fill('normal'));
  expect(reserved.slice(20)).toEqual(Array(10).fill(null));
  expect(window.reserve('io', one)).toBe('normal');
});

it('an organization with many retries at once has its further retries wait in Postgres', async () => {
  const window = await openWindow();
  const taken = Array.from({ length: 100 }, () => window.reserveDelayed('io', one));

  expect(taken.filter((isTaken) => isTaken)).toHaveLength(19);
  expect(window.reserveDelayed('io', other)).toBe(true);
});

test('more than twenty jobs in a second count as a bulk submission, for five seconds after the last excess job', () => {
  let now = 0;
  const isBulk = createBulkDetector(() => now);
  const times = (count: number) => Array.from({ length: count }, () => isBulk('io', one));

  expect(times(20)).toEqual(Array(20).fill(false));
  expect(times(1)).toEqual([true]);
  now = 5_999;
  expect([isBulk('cpu', one), isBulk('io', other)]).toEqual([false, false]);
  now = 4_999;
  expect(times(1)).toEqual([true]);
  now = 5_000;
  expect(times(19)).toEqual(Array(19).fill(false));
});

test('twenty jobs per second never count as a bulk submission', () => {
  let now = 0;
  const isBulk = createBulkDetector(() => now);

  for (let n = 0; n < 1_000; n++, now += 50) expect(isBulk('io', one)).toBe(false);
});

test('the bulk detector remembers a limited number of organizations', () => {
  const isBulk = createBulkDetector(() => 0);
  for (let n = 0; n < 30_000; n++) isBulk('io', `org ${n}` as OrgId);

  expect(isBulk('io', one)).toBe(false);
});
