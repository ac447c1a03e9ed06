import { expect, it } from 'vitest';
import { storableText } from './reporting/job-log.js';

it.each([
  ['plain', 'plain', 100],
  ['nul \0', 'nul \ufffd', 100],
  ['broken \ud83d', 'broken \ufffd', 100],
  ['\udc00 first', '\ufffd first', 100],
  ['whole 😀', 'whole 😀', 100],
  ['abcdef', 'abc', 3],
  ['žžž', 'žž', 5],
  ['a😀b', 'a', 4],
  ['a😀b', 'a😀', 5],
  ['', '', 5],
])('%j is stored as %j within %i bytes', (text, stored, maxBytes) => {
  expect(storableText(text, maxBytes)).toBe(stored);
  expect(Buffer.byteLength(storableText(text, maxBytes))).toBeLessThanOrEqual(maxBytes);
});
