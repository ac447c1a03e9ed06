import { expect, it } from 'vitest';
import { createBodyBudget, parsedSize } from './body-budget.js';

const KIB = 1024;
const REFUSED = 'too many request bodies';

it('one owner cannot use all memory with bodies that never end', () => {
  const budget = createBodyBudget({ maxBytes: 800 * KIB, waitMs: 1_000 });
  const [first, second, other] = [budget.open('a'), budget.open('a'), budget.open('b')];

  first.receive(160 * KIB);
  expect(() => second.receive(160 * KIB)).toThrow(REFUSED);
  other.receive(160 * KIB);
  first.release();
  first.release();
  second.receive(160 * KIB);
});

it('the owners together cannot use more than the budget', () => {
  const budget = createBodyBudget({ maxBytes: 800 * KIB, waitMs: 1_000 });

  for (const owner of ['a', 'b', 'c', 'd']) budget.open(owner).receive(99 * KIB);

  expect(() => budget.open('e').receive(99 * KIB)).toThrow(REFUSED);
});

it('a body larger than the whole budget is received when there is no other body', () => {
  const budget = createBodyBudget({ maxBytes: 800 * KIB, waitMs: 1_000 });
  const only = budget.open('a');
  for (let n = 0; n < 10; n++) only.receive(100 * KIB);

  expect(() => budget.open('a').receive(1)).toThrow(REFUSED);
  only.release();
  budget.open('a').receive(1);
});

it('small bodies are parsed immediately while large bodies of others wait', async () => {
  const budget = createBodyBudget({ maxBytes: 1_600 * KIB, waitMs: 60_000 });
  const large = Buffer.alloc(300 * KIB, 'x');
  const waiting = Array.from({ length: 9 }, (_, n) => budget.open(`owner ${n}`).parse(large));
  await Promise.race(waiting);

  await budget.open('another').parse(Buffer.from('{"a":1}'));
});

it('a large body that gets no memory in time is rejected', async () => {
  const budget = createBodyBudget({ maxBytes: 100 * KIB, waitMs: 500 });
  const large = Buffer.alloc(100 * KIB, 'x');
  await budget.open('a').parse(large);

  await expect(budget.open('b').parse(large)).rejects.toThrow(REFUSED);
});

it.each([
  ['objects', '{},', 22],
  ['nested lists', '[[[[]]]],', 23],
  ['lists', '[],', 14],
  ['objects of one member', '{"abc":1},', 15],
])('the parsed size of a mebibyte of %s is not underestimated', (_name, part, mebibytes) => {
  expect(parsedSize(Buffer.from(part.repeat((1024 * KIB) / part.length)))).toBeGreaterThan(mebibytes * 1024 * KIB);
});
