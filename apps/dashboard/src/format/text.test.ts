import { expect, test } from 'vitest';
import { jsonParts, jsonText, truncateMiddle } from './text.js';

test('the joined pieces are the original text, and each piece has the right type', () => {
  const text = jsonText({ 'a "b"': [1, -2.5e3, true, null, 'x: 1'] }, { indented: true });
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

  expect(jsonText(cycle, { indented: true })).toContain('Cannot be shown');
  expect(jsonText(1n, { indented: false })).toContain('Cannot be shown');
  expect(jsonText(undefined, { indented: true })).toBe('undefined');
});

test('a deeply nested value is formatted', () => {
  let deep: unknown = 'end';
  for (let level = 0; level < 1_000; level++) deep = [deep];

  expect(jsonText(deep, { indented: false })).toContain('end');
});

test('truncateMiddle keeps both ends of an id', () => {
  expect(truncateMiddle('0192f0c1-7a3e-7c11-b0d2-55aa00ff9f3a')).toBe('0192f0c1…9f3a');
});

test('a text that would not become shorter is not truncated', () => {
  expect(truncateMiddle('order-12')).toBe('order-12');
  expect(truncateMiddle('1234567890123')).toBe('1234567890123');
});

test('no character is cut in two', () => {
  expect(truncateMiddle('😀'.repeat(20), 5)).toBe(`${'😀'.repeat(3)}…${'😀'.repeat(2)}`);
});
