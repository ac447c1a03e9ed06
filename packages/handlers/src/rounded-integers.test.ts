import { expect, it } from 'vitest';
import { roundedIntegers } from './rounded-integers.js';

it.each([
  ['616581622363398142', ['']],
  ['9007199254740993', ['']],
  ['-9007199254740993', ['']],
  ['{"id":616581622363398142}', ['id']],
  ['{"a":{"b":[1,{"c":1234567890123456789}]}}', ['a.b[1].c']],
  ['{"jobs":[{"payload":{"id":1}},{"payload":{"id":1541815603606036481}}]}', ['jobs[1].payload.id']],
  ['[123456789012345678901, "a", 9007199254740995]', ['[0]', '[2]']],
  ['{"text":"x\\"9007199254740993","n":9007199254740993}', ['n']],
  ['{"\\u0061\\"b":9007199254740993}', ['a"b']],
  [` {\n"id" :\t10000000000000000000001 }`, ['id']],
  [`{"n":${'9'.repeat(300)}}`, ['n']],
])('finds the integers that JSON.parse changes: %.60s', (json, paths) => {
  expect(roundedIntegers(json)).toEqual(paths);
});

it.each([
  '{"id":9007199254740992,"text":"616581622363398142"}',
  '[-9007199254740992,9007199254740991,1000000000000000000000,9223372036854775808,1e300]',
  '{"616581622363398142":1,"a\\\\":"9007199254740993"}',
  '[0.1234567890123456789,1234567890123456.5,9007199254740993e0,1.0E+22,-0.00000000000000001]',
  '"9007199254740993"',
  `{"infinite":${'9'.repeat(310)}}`,
  '[]',
])('leaves exact integers, other numbers and texts: %s', (json) => {
  expect(roundedIntegers(json)).toEqual([]);
});

it('finds at most 20, at any depth', () => {
  expect(roundedIntegers(`[${Array(100).fill('9007199254740993').join()}]`)).toHaveLength(20);
  expect(roundedIntegers(`${'['.repeat(100_000)}9007199254740993${']'.repeat(100_000)}`)).toEqual([
    expect.stringMatching(/^(\[0\])+…(\[0\])+$/),
  ]);
});
