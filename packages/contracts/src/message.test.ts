import { expect, test } from 'vitest';
import { segmentsOf } from './message.js';

test.each([
  ['', 1],
  ['a', 1],
  ['a'.repeat(160), 1],
  ['a'.repeat(161), 2],
  ['a'.repeat(320), 2],
  ['a'.repeat(321), 3],
  ['😀'.repeat(160), 1],
  ['😀'.repeat(161), 2],
])('a text of 160 characters is one segment, whatever its characters (%#)', (text, segments) => {
  expect(segmentsOf(text)).toBe(segments);
});
