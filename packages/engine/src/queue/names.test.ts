import type { JobKey } from '@jobline/contracts';
import { expect, it } from 'vitest';
import { entryKey } from './bullmq-keys.js';
import { chunkEntryId, entryId, keyOfEntry, queuePrefix, sentinelKey } from './names.js';

const key = '01a1fd32-24c2-74a7-bf83-c3cd7e597af6' as JobKey; // The cast: it has the form that newId generates.

it('the id of an entry contains the key of its job and the number of its add', () => {
  expect(entryId(key, 12)).toBe(`${key}-12`);
  expect(keyOfEntry(entryId(key, 12))).toBe(key);
});

it('the id of a chunk contains the key of its first job, and is not the id of the entry of this job', () => {
  expect(chunkEntryId(key, 1)).toBe(`${key}-c1`);
  expect(keyOfEntry(chunkEntryId(key, 1))).toBe(key);
});

it('the Redis keys of a queue have the same hash tag', () => {
  const tag = '{jobline-io}';
  expect(queuePrefix('jobline', 'io')).toBe(tag);
  expect(sentinelKey('jobline', 'io')).toBe(`${tag}:sentinel`);
  expect(entryKey('jobline', 'io', 'x-1')).toBe(`${tag}:io:x-1`);
  expect(queuePrefix('jobline', 'cpu')).not.toBe(tag);
});
