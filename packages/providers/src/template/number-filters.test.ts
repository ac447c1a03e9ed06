import { expect, test } from 'vitest';
import { createNumberFilters } from './number-filters.js';

const { money, decimal, number, is_numeric: isNumeric } = createNumberFilters();
const locale = (name: string): unknown => ['locale', name];

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
  ['1,200.00', 'USD', '$1,200.00'],
  ['€1.200,50', 'EUR', '€1,200.50'],
  ['1,200', 'USD', '1,200'],
  ['€5', 'USD', '€5'],
  [1.005, 'USD', '$1.01'],
  [1.2555, 'KWD', 'KWD\u00a01.256'],
  ['2.5', 'ISK', 'ISK\u00a03'],
  [1234.5, 'HUF', 'HUF\u00a01,234.50'],
  [0.1 + 0.2, 'BHD', 'BHD\u00a00.300'],
])('money formats %j in %j as %s', (value, currency, text) => {
  expect(money(value, currency)).toBe(text);
});

test('money reads a text with two readings in its locale', () => {
  expect(money('1.200', 'EUR', locale('de'))).toBe('€1,200.00');
  expect(money('1.200', locale('en'))).toBe('$1.20');
});

test.each<[value: unknown, args: unknown[], read: unknown]>([
  ['1,200.00', [], 1200],
  ['1.200,50', [], 1200.5],
  ['$5', [], 5],
  ['5 %', [], 5],
  ['(0.00)', [], -0],
  [7, [], 7],
  ['1.255', ['KWD'], 1.255],
  ['1,200', ['JPY'], 1200],
  ['1.200', [locale('de')], 1200],
  ['1,200', ['EUR', locale('de')], 1.2],
  ['12345678901234567.89', [], '12345678901234567.89'],
  ['', [], ''],
  [null, [], null],
])('decimal reads %j with %j as %j', (value, args, read) => {
  expect(decimal(value, ...args)).toBe(read);
});

test.each<[value: unknown, args: unknown[], issue: string]>([
  ['1,200', [], 'decimal: "1,200" has two readings, 1200 and 1.2: send it as a number, or name the locale'],
  ['€5', ['USD'], 'decimal: "€5" has the sign of another currency than USD'],
  ['soon', [], 'decimal: "soon" is not a number that has one reading'],
  ['5', [locale('xx')], 'unknown locale: xx'],
])('decimal refuses %j with %j', (value, args, issue) => {
  expect(() => decimal(value, ...args)).toThrow(issue);
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
