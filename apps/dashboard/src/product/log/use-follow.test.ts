import { expect, test } from 'vitest';
import { followAfter, isAtEnd } from './use-follow.js';

const atEnd = { top: 800, viewport: 200, content: 1_000 };

test('a position within 16 px of the end counts as at the end', () => {
  expect(isAtEnd({ ...atEnd, top: 784 })).toBe(true);
  expect(isAtEnd({ ...atEnd, top: 783 })).toBe(false);
});

test('the log keeps following when new lines arrive', () => {
  expect(followAfter(true, atEnd, { ...atEnd, content: 1_400 })).toBe(true);
});

test('scrolling up pauses, also while new lines arrive', () => {
  expect(followAfter(true, atEnd, { ...atEnd, top: 700 })).toBe(false);
  expect(followAfter(true, atEnd, { ...atEnd, top: 700, content: 1_400 })).toBe(false);
});

test('scrolling to within 16 px of the end resumes', () => {
  expect(followAfter(false, { ...atEnd, top: 300 }, { ...atEnd, top: 790 })).toBe(true);
  expect(followAfter(false, { ...atEnd, top: 300 }, { ...atEnd, top: 600 })).toBe(false);
});

test('wrapping or resizing never changes the state, in either direction', () => {
  // Lines above are laid out late: the browser keeps the visible text in place.
  expect(followAfter(true, atEnd, { top: 900, viewport: 200, content: 1_300 })).toBe(true);
  // Without wrapping the content shrinks, and the browser moves the box to its new end.
  expect(followAfter(false, { ...atEnd, top: 700 }, { top: 300, viewport: 200, content: 500 })).toBe(false);
  expect(followAfter(true, atEnd, { top: 300, viewport: 200, content: 500 })).toBe(true);
  expect(followAfter(true, atEnd, { top: 800, viewport: 100, content: 1_000 })).toBe(true);
  expect(followAfter(false, { ...atEnd, top: 700 }, { top: 700, viewport: 290, content: 1_000 })).toBe(false);
});
