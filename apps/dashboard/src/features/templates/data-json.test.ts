import { expect, test } from 'vitest';
import { addKey, readData } from './data-json.js';

test('data is an object, and an empty text is an empty one', () => {
  expect(readData(' ')).toEqual({ data: {} });
  expect(readData('{"a": [1]}')).toEqual({ data: { a: [1] } });
  expect(readData('[1]').fault).toContain('object');
  expect(readData('{"a": }').fault).toBeTruthy();
});

test.each([
  ['name', { a: 1 }, { a: 1, name: '' }],
  ['order.id', { order: { total: 3 } }, { order: { total: 3, id: '' } }],
  ['order.id', { order: 'x' }, { order: { id: '' } }],
  ['items[0].name', {}, { items: [{ name: '' }] }],
])('%s is added, and what is there stays', (path, before, after) => {
  const { text, caret } = addKey(before, path);
  expect(JSON.parse(text)).toEqual(after);
  expect(text.slice(caret - 1, caret + 1)).toBe('""');
});

test('a name that prototypes have is a key as others', () => {
  expect(Object.keys(JSON.parse(addKey({}, '__proto__').text))).toEqual(['__proto__']);
});
