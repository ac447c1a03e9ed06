import { expect, it } from 'vitest';
import { createBodyBudget, parsedSize } from './body-budget.js';

const KIB = 1024;
const REFUSED = 'too many request bodies';

it('one owner cannot use all memory with bodies that never end', () => {
  const budget = createBodyBudget({ maxBytes: 800 * KIB, waitMs: 1_000 });
  const [first, second, other] = [budget.open('a'), budget.open('a'), budget.open('b')];

  first.receive(120 * KIB);
  expect(() => second.receive(120 * KIB)).toThrow(REFUSED);
  other.receive(120 * KIB);
  first.release();
  first.release();
  second.receive(120 * KIB);
});

it('many owners together leave memory for the small bodies of others', () => {
  const budget = createBodyBudget({ maxBytes: 800 * KIB, waitMs: 1_000 });
  budget.open('a first one').receive(1);
  const received = Array.from({ length: 50 }, (_, n) => {
    const body = budget.open(`owner ${n}`);
    let sizeBytes = 0;
    try {
      for (; sizeBytes < 1_000 * KIB; sizeBytes += 10 * KIB) body.receive(10 * KIB);
    } catch (error) {
      expect(String(error)).toContain(REFUSED);
    }
    return sizeBytes;
  });

  expect(received.reduce((sum, sizeBytes) => sum + sizeBytes, 0)).toBeGreaterThan(300 * KIB);
  budget.open('another').receive(5 * KIB);
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

it('stored JSON is read in turns, and small stored JSON immediately', async () => {
  const budget = createBodyBudget({ maxBytes: 1_600 * KIB, waitMs: 500 });
  const [first, second] = [budget.open('a'), budget.open('b')];

  await first.reserve(100 * KIB);
  await second.reserve(10 * KIB);
  await expect(second.reserve(100 * KIB)).rejects.toThrow(REFUSED);
  await first.reserve(100 * KIB);
  first.release();
  await second.reserve(100 * KIB);
});

it.each([
  ['objects', '{},', 22],
  ['nested lists', '[[[[]]]],', 23],
  ['lists', '[],', 14],
  ['objects of one member', '{"abc":1},', 15],
])('the parsed size of a mebibyte of %s is not underestimated', (_name, part, mebibytes) => {
  expect(parsedSize(Buffer.from(part.repeat((1024 * KIB) / part.length)))).toBeGreaterThan(mebibytes * 1024 * KIB);
});
