import { expect, test } from 'vitest';
import { jsonParts, prettyJson, rawJson } from './json-text.js';

test('the joined pieces are the original text, and each piece has the right type', () => {
  const text = prettyJson({ 'a "b"': [1, -2.5e3, true, null, 'x: 1'] });
  const parts = jsonParts(text);

  expect(parts.map((piece) => piece.text).join('')).toBe(text);
  expect(parts.filter(({ part }) => part !== 'sign').map(({ part }) => part)).toEqual([
    'key',
    'number',
    'number',
    'word',
    'word',
    'text',
  ]);
});

test('values that JSON cannot represent are described instead of thrown', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;

  expect(prettyJson(cycle)).toContain('Cannot be shown');
  expect(rawJson(1n)).toContain('Cannot be shown');
  expect(prettyJson(undefined)).toBe('undefined');
});

test('a deeply nested value is formatted', () => {
  let deep: unknown = 'end';
  for (let level = 0; level < 1_000; level++) deep = [deep];

  expect(rawJson(deep)).toContain('end');
});
