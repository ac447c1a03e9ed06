import { expect, test } from 'vitest';
import { addKey } from './data-panel.js';

test.each([
  ['name', { a: 1 }, { a: 1, name: '' }],
  ['order.id', { order: { total: 3 } }, { order: { total: 3, id: '' } }],
  ['order.id', { order: 'x' }, { order: { id: '' } }],
  ['items[0].name', {}, { items: [{ name: '' }] }],
])('the key %s is added, and existing data is kept', (path, before, after) => {
  const { text, caret } = addKey(before, path);
  expect(JSON.parse(text)).toEqual(after);
  expect(text.slice(caret - 1, caret + 1)).toBe('""');
});

test('a name such as __proto__ is added as an ordinary key', () => {
  expect(Object.keys(JSON.parse(addKey({}, '__proto__').text))).toEqual(['__proto__']);
});
