import { expect, test } from 'vitest';
import { createLowPrioritySlots } from './low-priority-slots.js';

test('a released low-priority slot goes to the entry that has waited longest', async () => {
  const slots = createLowPrioritySlots(1);
  expect(await slots.take()).toBe(true);
  const order: string[] = [];
  const [first, second] = ['first', 'second'].map((name) =>
    slots.take().then((isTaken) => void order.push(`${name} ${isTaken}`)),
  );

  slots.release();
  await first;
  slots.release();
  await second;

  expect(order).toEqual(['first true', 'second true']);
});

test('an entry that waits too long gets no low-priority slot, and the slot stays available', async () => {
  const slots = createLowPrioritySlots(1);
  await slots.take();

  expect(await slots.take()).toBe(false);
  slots.release();
  expect(await slots.take()).toBe(true);
});

test('no entry waits for a low-priority slot of a consumer that stops', async () => {
  const slots = createLowPrioritySlots(0);
  const waiting = slots.take();

  slots.cancelWaiting();

  expect(await waiting).toBe(false);
});
