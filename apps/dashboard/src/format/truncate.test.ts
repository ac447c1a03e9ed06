import { expect, test } from 'vitest';
import { truncateMiddle } from './truncate.js';

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
