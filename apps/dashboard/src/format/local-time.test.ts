import { expect, test } from 'vitest';
import { fromLocalInput, toLocalInput } from './local-time.js';

test('a time with minute precision survives the conversion in every time zone', () => {
  for (const iso of ['2026-11-21T14:02:00.000Z', '2026-03-29T00:30:00.000Z', '2026-12-31T23:59:00.000Z']) {
    expect(fromLocalInput(toLocalInput(iso))).toBe(iso);
  }
});

test('an empty or incomplete input gives no time', () => {
  expect(fromLocalInput('')).toBeNull();
  expect(fromLocalInput('2026-11-')).toBeNull();
  expect(toLocalInput(null)).toBe('');
  expect(toLocalInput('soon')).toBe('');
});
