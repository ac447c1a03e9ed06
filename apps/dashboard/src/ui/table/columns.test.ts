import { expect, test } from 'vitest';
import { checkedOf, toggled } from './columns.js';

const ids = ['a', 'b', 'c', 'd'];

test('toggling adds or removes one row, and rows that are not shown stay selected', () => {
  expect([...toggled(new Set(['x']), ids, 'b', true, null)]).toEqual(['x', 'b']);
  expect([...toggled(new Set(['x', 'b']), ids, 'b', false, null)]).toEqual(['x']);
});

test('Shift selects all rows in between, in both directions', () => {
  expect([...toggled(new Set(), ids, 'd', true, 'b')]).toEqual(['b', 'c', 'd']);
  expect([...toggled(new Set(), ids, 'a', true, 'c')]).toEqual(['a', 'b', 'c']);
  expect([...toggled(new Set(), ids, 'b', true, 'gone')]).toEqual(['b']);
});

test('the checkbox for all rows is mixed if some are selected', () => {
  expect(checkedOf(new Set(), ids)).toBe(false);
  expect(checkedOf(new Set(['a']), ids)).toBe('mixed');
  expect(checkedOf(new Set(ids), ids)).toBe(true);
  expect(checkedOf(new Set(['x']), [])).toBe(false);
});
