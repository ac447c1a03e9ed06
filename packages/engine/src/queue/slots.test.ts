import { expect, test } from 'vitest';
import { createSlots } from './slots.js';

test('a released slot goes to the entry that has waited longest', async () => {
  const slots = createSlots(1);
  expect(await slots.take(false)).toBe(true);
  const order: string[] = [];
  const [first, second] = ['first', 'second'].map((name) =>
    slots.take(false).then((isTaken) => void order.push(`${name} ${isTaken}`)),
  );

  slots.release(false);
  await first;
  slots.release(false);
  await second;

  expect(order).toEqual(['first true', 'second true']);
});

test('a ticket takes further slots only while they are free and no entry waits for one', async () => {
  const slots = createSlots(3);
  await slots.take(false);
  expect(slots.takeFree(5, false)).toBe(2);

  const waiting = slots.take(false);
  slots.release(false, 2);

  expect(await waiting).toBe(true);
  expect(slots.takeFree(5, false)).toBe(1);
});

test('an entry that waits too long gets no slot, and the slot stays available', async () => {
  const slots = createSlots(1);
  await slots.take(false);

  expect(await slots.take(false)).toBe(false);
  slots.release(false);
  expect(await slots.take(false)).toBe(true);
});

test('low priority counts as waiting until an entry that got no slot is in its queue again', async () => {
  const slots = createSlots(1);
  await slots.take(true);
  expect(slots.isLowWaiting()).toBe(false);

  expect(await slots.take(true)).toBe(false);
  slots.release(true);
  expect(slots.isLowWaiting()).toBe(true);
  slots.left(true);

  expect(slots.isLowWaiting()).toBe(false);
});

test('an entry gets no slot after the end of its time', async () => {
  const slots = createSlots(2);

  expect(await slots.take(false, performance.now() - 1)).toBe(false);
  expect(await slots.take(false, performance.now() + 60_000)).toBe(true);
});

test('entries of low priority leave a tenth of the slots to the others', async () => {
  const slots = createSlots(20);

  expect(slots.takeFree(25, true)).toBe(18);
  const low = slots.take(true);
  expect(await slots.take(false)).toBe(true);
  expect(await slots.take(false)).toBe(true);
  slots.release(true);
  expect(await low).toBe(true);
});

test('no entry is fetched while another one waits for the only free slot', async () => {
  const slots = createSlots(10);
  expect(slots.takeFree(9, true)).toBe(9);
  let isFree = false;
  const low = slots.take(true);
  const free = slots.untilFree().then(() => {
    isFree = true;
  });

  await Promise.resolve();
  expect(isFree).toBe(false);
  expect(await low).toBe(false);
  await free;
  expect(isFree).toBe(true);
});

test('a consumer that stops gives no slots until it starts again', async () => {
  const slots = createSlots(1);
  await slots.take(false);
  const waiting = slots.take(false);

  slots.stop();
  expect(await waiting).toBe(false);
  slots.release(false);
  expect(await slots.take(false)).toBe(false);

  const free = slots.untilFree();
  slots.start();
  await free;
  expect(await slots.take(false)).toBe(true);
});
