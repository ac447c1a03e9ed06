import { expect, test } from 'vitest';
import { pathsOf, scalarOf, withValue } from './template-fields.js';

test.each<[string, string[], string[], object[], string[]]>([
  ['variables, in the order of the template', ['name', 'city'], ['name'], [{}], ['name', 'city']],
  [
    'parts of a variable instead of it',
    ['order', 'name'],
    ['order.id'],
    [{ order: { total: 3 } }],
    ['order.id', 'order.total', 'name'],
  ],
  ['parts that only the example data has', ['order'], [], [{ order: { lines: [1] } }, {}], ['order.lines']],
  ['no variable of a loop', ['items'], ['item.name'], [{ items: [{}] }], ['items']],
  ['variables of an unsaved text', [], ['name', 'order'], [{ a: 1 }], ['a', 'name', 'order']],
])('the fields of a template are %s', (_what, variables, missing, data, paths) => {
  expect(pathsOf(variables, missing, data as Record<string, unknown>[])).toEqual(paths);
});

test('a typed value becomes a number or a flag only if it is rendered as it was typed', () => {
  const texts = ['', '12', '1.5', '1.50', '007', '12345678901234567890', '-0', 'Infinity', 'true', 'false', 'Ada'];
  expect(texts.map(scalarOf)).toEqual([
    undefined,
    ...[12, 1.5, '1.50', '007', '12345678901234567890', '-0', 'Infinity', true, false, 'Ada'],
  ]);
});

test('a value is set without changing other data, also below a text and below __proto__', () => {
  expect(withValue({ a: 1, order: 'x' }, ['order', 'id'], 7)).toEqual({ a: 1, order: { id: 7 } });
  expect(JSON.stringify(withValue({ a: 1, name: 'x' }, ['name'], undefined))).toBe('{"a":1}');
  expect(Object.keys(withValue({}, ['__proto__', 'x'], 1))).toEqual(['__proto__']);
});
