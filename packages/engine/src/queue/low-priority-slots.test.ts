import { expect, test } from 'vitest';
import { createBehindSlots } from './low-priority-slots.js';

test('a slot that is given back goes to the one that waits longest', async () => {
  const slots = createBehindSlots(1);
  expect(await slots.take()).toBe(true);
  const order: string[] = [];
  const [first, second] = ['first', 'second'].map((name) =>
    slots.take().then((isTaken) => void order.push(`${name} ${isTaken}`)),
  );

  slots.give();
  await first;
  slots.give();
  await second;

  expect(order).toEqual(['first true', 'second true']);
});

test('one that waits too long gets none, and the slot stays for the next', async () => {
  const slots = createBehindSlots(1);
  await slots.take();

  expect(await slots.take()).toBe(false);
  slots.give();
  expect(await slots.take()).toBe(true);
});

test('nobody waits for a consumer that stops', async () => {
  const slots = createBehindSlots(0);
  const waiting = slots.take();

  slots.endWaiting();

  expect(await waiting).toBe(false);
});
