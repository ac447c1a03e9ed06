import { expect, test } from 'vitest';
import { jsonParts, prettyJson, rawJson } from './json-text.js';

test('the coloured pieces are the text again, and each is what it is', () => {
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

test('what JSON cannot hold is named', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;

  expect(prettyJson(cycle)).toContain('Cannot be shown');
  expect(rawJson(1n)).toContain('Cannot be shown');
  expect(prettyJson(undefined)).toBe('undefined');
});

test('a deep value is shown', () => {
  let deep: unknown = 'end';
  for (let level = 0; level < 1_000; level++) deep = [deep];

  expect(rawJson(deep)).toContain('end');
});
