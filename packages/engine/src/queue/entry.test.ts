import type { JobKey } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { chunkEntryId, chunkSize, entryId, inChunks, keyOfEntry } from './entry.js';

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

const key = '01a1fd32-24c2-74a7-bf83-c3cd7e597af6' as JobKey; // The cast: it has the form that newId generates.

test('the id of an entry contains the key of its job and the number of its add', () => {
  expect(entryId(key, 12)).toBe(`${key}-12`);
  expect(keyOfEntry(entryId(key, 12))).toBe(key);
});

test('the id of a chunk contains the key of its first job, and is not the id of the entry of this job', () => {
  expect(chunkEntryId(key, 1)).toBe(`${key}-c1`);
  expect(keyOfEntry(chunkEntryId(key, 1))).toBe(key);
});
