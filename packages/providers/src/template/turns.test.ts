import { expect, test } from 'vitest';
import { createTurns } from './turns.js';

test('everybody who waits has one turn before anybody has another, and only one has it at a time', async () => {
  const inTurn = createTurns();
  const order: string[] = [];
  let running = 0;
  const work = (name: string) => async () => {
    expect(++running).toBe(1);
    await Promise.resolve();
    order.push(name);
    running--;
  };

  await Promise.all([
    ...['a1', 'a2', 'a3', 'a4'].map((name) => inTurn('a', work(name))),
    ...['b1', 'b2'].map((name) => inTurn('b', work(name))),
    inTurn('c', work('c1')),
  ]);
  await inTurn('a', work('a5'));

  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'a5']);
});

test('a failure is its own only', async () => {
  const inTurn = createTurns();
  const failing = inTurn('a', async () => {
    throw new Error('no');
  });
  const next = inTurn('a', async () => 'yes');

  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
