import { expect, test } from 'vitest';
import { createSlots } from './slots.js';

test('a released slot goes to the entry that has waited longest', async () => {
  const slots = createSlots(1);
  expect(await slots.take(1, false)).toBe(1);
  const order: string[] = [];
  const [first, second] = ['first', 'second'].map((name) =>
    slots.take(1, false).then((taken) => void order.push(`${name} ${taken}`)),
  );

  slots.release(false);
  await first;
  slots.release(false);
  await second;

  expect(order).toEqual(['first 1', 'second 1']);
});

test('a chunk gets the slots that are free, and the next ones as they become free', async () => {
  const slots = createSlots(3);
  await slots.take(1, false);

  expect(await slots.take(5, false)).toBe(2);
  const rest = slots.take(3, false);
  slots.release(false);

  expect(await rest).toBe(1);
});

test('an entry that waits too long gets no slot, and the slot stays available', async () => {
  const slots = createSlots(1);
  await slots.take(1, false);

  expect(await slots.take(1, false)).toBe(0);
  slots.release(false);
  expect(await slots.take(1, false)).toBe(1);
});

test('low priority counts as waiting until an entry that got no slot is in its queue again', async () => {
  const slots = createSlots(1);
  await slots.take(1, true);
  expect(slots.isLowWaiting()).toBe(false);

  expect(await slots.take(1, true)).toBe(0);
  slots.release(true);
  expect(slots.isLowWaiting()).toBe(true);
  slots.left(true);

  expect(slots.isLowWaiting()).toBe(false);
});

test('an entry gets no slot after the end of its time', async () => {
  const slots = createSlots(2);

  expect(await slots.take(1, false, performance.now() - 1)).toBe(0);
  expect(await slots.take(2, false, performance.now() + 60_000)).toBe(2);
});

test('entries of low priority leave a tenth of the slots to the others', async () => {
  const slots = createSlots(20);

  expect(await slots.take(25, true)).toBe(18);
  const low = slots.take(1, true);
  expect(await slots.take(25, false)).toBe(2);
  slots.release(true);
  expect(await low).toBe(1);
});

test('no entry is fetched while another one waits for the only free slot', async () => {
  const slots = createSlots(10);
  expect(await slots.take(9, true)).toBe(9);
  let isFree = false;
  const low = slots.take(1, true);
  const free = slots.untilFree().then(() => {
    isFree = true;
  });

  await Promise.resolve();
  expect(isFree).toBe(false);
  expect(await low).toBe(0);
  await free;
  expect(isFree).toBe(true);
});

test('a consumer that stops gives no slots until it starts again', async () => {
  const slots = createSlots(1);
  await slots.take(1, false);
  const waiting = slots.take(1, false);

  slots.stop();
  expect(await waiting).toBe(0);
  slots.release(false);
  expect(await slots.take(1, false)).toBe(0);

  const free = slots.untilFree();
  slots.start();
  await free;
  expect(await slots.take(1, false)).toBe(1);
});
