import { expect, test } from 'vitest';
import { chunkSize, inChunks } from './chunks.js';

test('a chunk has at most an eighth of the slots of a worker, and at most 25 jobs', () => {
  expect([1, 8, 50, 200, 1_000, Number.POSITIVE_INFINITY].map(chunkSize)).toEqual([1, 1, 6, 25, 25, 25]);
});

test('the jobs of a group are divided into chunks in their order', () => {
  const jobs = ['a1', 'b1', 'a2', 'a3', 'b2'];

  const chunks = inChunks(
    jobs,
    (job) => job.slice(0, 1),
    () => 2,
  );

  expect(chunks).toEqual([['a1', 'a2'], ['b1', 'b2'], ['a3']]);
});
