import { expect, test } from 'vitest';
import { fromLocalInput, toLocalInput } from './local-time.js';

test('a moment to the minute survives the input, whatever the zone', () => {
  for (const iso of ['2026-11-21T14:02:00.000Z', '2026-03-29T00:30:00.000Z', '2026-12-31T23:59:00.000Z']) {
    expect(fromLocalInput(toLocalInput(iso))).toBe(iso);
  }
});

test('an empty or half-typed input means no moment', () => {
  expect(fromLocalInput('')).toBeNull();
  expect(fromLocalInput('2026-11-')).toBeNull();
  expect(toLocalInput(null)).toBe('');
  expect(toLocalInput('soon')).toBe('');
});
