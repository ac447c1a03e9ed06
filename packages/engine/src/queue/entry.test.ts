import type { JobKey } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { chunkEntryId, entryId, keyOfEntry } from './entry.js';

const key = '01a1fd32-24c2-74a7-bf83-c3cd7e597af6' as JobKey; // The cast: it has the form that newId generates.

test('the id of an entry contains the key of its job and the number of its add', () => {
  expect(entryId(key, 12)).toBe(`${key}-12`);
  expect(keyOfEntry(entryId(key, 12))).toBe(key);
});

test('an entry of a held job has another id than those that its row counts', () => {
  expect(chunkEntryId(key, 1)).toBe(`${key}-c1`);
  expect(keyOfEntry(chunkEntryId(key, 1))).toBe(key);
});
