import { expect, test } from 'vitest';
import { createLowPrioritySlots } from './low-priority-slots.js';

test('a slot that is given back goes to the one that waits longest', async () => {
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

test('one that waits too long gets none, and the slot stays for the next', async () => {
  const slots = createLowPrioritySlots(1);
  await slots.take();

  expect(await slots.take()).toBe(false);
  slots.release();
  expect(await slots.take()).toBe(true);
});

test('nobody waits for a consumer that stops', async () => {
  const slots = createLowPrioritySlots(0);
  const waiting = slots.take();

  slots.cancelWaiting();

  expect(await waiting).toBe(false);
});
