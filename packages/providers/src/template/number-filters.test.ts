import { expect, test } from 'vitest';
import { createNumberFilters } from './number-filters.js';

const { money, number, is_numeric: isNumeric } = createNumberFilters();

test.each<[unknown, unknown, string]>([
  [0, 'USD', '$0.00'],
  [-5, 'USD', '-$5.00'],
  [1234567.891, 'EUR', '€1,234,567.89'],
  [1500, 'JPY', '¥1,500'],
  ['12.5', 'GBP', '£12.50'],
  [7, undefined, '$7.00'],
  [7, 'credits', 'credits 7.00'],
  [7, '', '7.00'],
  [7, 'ZZZ', 'ZZZ\u00a07.00'],
  ['on request', 'USD', 'on request'],
  ['', 'USD', ''],
  [null, 'USD', ''],
  [Number.NaN, 'USD', 'NaN'],
])('money formats %j in %j as %s', (value, currency, text) => {
  expect(money(value, currency)).toBe(text);
});

test('money supports any number of currencies', () => {
  for (const a of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') for (const b of 'ABC') expect(money(1, `${a}${b}X`)).toContain('1.00');
});

test.each<[unknown, unknown]>([
  [1234567, '1,234,567'],
  [0.5, '0.5'],
  ['1234', '1234'],
  [null, null],
])('number formats %j as %j', (value, text) => {
  expect(number(value)).toBe(text);
});

test.each([
  5,
  -3.5,
  '7',
  '-7',
  '+21 %',
  '99.1 %',
  '$1,200.00',
  '€ 5',
  'KES 1,000',
  '4.82 M',
  '2.4 s',
  '120 km/h',
  '~3',
])('%j is numeric', (value) => {
  expect(isNumeric(value)).toBe(true);
});

test.each(['', 'x', '5 Main Street', '21 November 2026', 'Q3', '2 of 3 done', null, true, {}, '-'])(
  '%j is not numeric',
  (value) => {
    expect(isNumeric(value)).toBe(false);
  },
);
