import { expect, test } from 'vitest';
import { keysDeletedBy } from './redaction-values.js';
import { daysOf, isSooner, valuesOf } from './retention-values.js';

test('the form of the retention gives the same days', () => {
  expect(daysOf(valuesOf(14))).toBe(14);
  expect(daysOf(valuesOf(null))).toBeNull();
  expect(daysOf({ keep: 'installation', retention_days: '14' })).toBeNull();
});

test('a shorter retention deletes jobs, and a longer one does not', () => {
  expect(isSooner(null, 14)).toBe(true);
  expect(isSooner(14, 7)).toBe(true);
  expect(isSooner(14, 14)).toBe(false);
  expect(isSooner(14, null)).toBe(false);
});

test('a redaction deletes the values of added keys, and of all keys if it is sooner', () => {
  const before = { payload_keys: ['card', 'pin'], after_days: 7 };

  expect(keysDeletedBy(before, { payload_keys: ['pin', 'iban'], after_days: 30 })).toEqual(['iban']);
  expect(keysDeletedBy(before, { payload_keys: ['pin'], after_days: 7 })).toEqual([]);
  expect(keysDeletedBy(before, { payload_keys: ['pin'], after_days: 0 })).toEqual(['pin']);
});
