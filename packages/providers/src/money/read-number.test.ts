import { expect, test } from 'vitest';
import { currencyOf } from './currency.js';
import { findMarks, readAmount, readQuantity, readRate, UnreadableNumber } from './read-number.js';

const read = (value: unknown, currency = 'USD', locale?: string) =>
  readAmount(value, {
    currency: currencyOf(currency),
    marks: locale === undefined ? null : findMarks(locale),
  }).toFixed();

test.each<[unknown, string]>([
  [1200, '1200'],
  [0.1, '0.1'],
  [1e-7, '0.0000001'],
  [-5, '-5'],
  ['1200', '1200'],
  ['1200.5', '1200.5'],
  ['1200,50', '1200.5'],
  ['0.125', '0.125'],
  ['0,125', '0.125'],
  ['1234.567', '1234.567'],
  ['12.3456', '12.3456'],
  ['.50', '0.5'],
  ['007', '7'],
  ['1,200.00', '1200'],
  ['1.200,50', '1200.5'],
  ['1,234,567', '1234567'],
  ['1.234.567', '1234567'],
  ['1,234.567', '1234.567'],
  ['1 234.50', '1234.5'],
  ['1 234,50', '1234.5'],
  ['1 234', '1234'],
  ['1\u00a0234\u00a0567,89', '1234567.89'],
  ['1\u202f234,50', '1234.5'],
  ['1\u2009234.50', '1234.5'],
  ["1'234.50", '1234.5'],
  ['1’234’567.50', '1234567.5'],
  ["1'234", '1234'],
  ['1,00,000', '100000'],
  ['12,34,567.89', '1234567.89'],
  ['(5.00)', '-5'],
  ['($1,200.00)', '-1200'],
  ['USD (5.00)', '-5'],
  ['5.00-', '-5'],
  ['5.00- USD', '-5'],
  ['\u22125.00', '-5'],
  ['-$5', '-5'],
  ['$-5', '-5'],
  ['- $ 5', '-5'],
  ['+5', '5'],
  ['$5', '5'],
  ['5 $', '5'],
  ['$.50', '0.5'],
  ['US$ 5', '5'],
  ['USD 1,200.00', '1200'],
  ['1.200,50 usd', '1200.5'],
  ['$1,200.00 USD', '1200'],
  ['  5.00 ', '5'],
  ['１，２００．００', '1200'],
  ['\u200f1,200.00\u00a0$\u200f', '1200'],
])('the amount %j is %s', (value, plain) => {
  expect(read(value)).toBe(plain);
});

test.each<[value: string, currency: string, plain: string]>([
  ['€1.200,50', 'EUR', '1200.5'],
  ['1 200,50 €', 'EUR', '1200.5'],
  ['KSh 1,200.00', 'KES', '1200'],
  ['Ksh.500', 'KES', '500'],
  ['Rs.500', 'PKR', '500'],
  ['12,50 kr', 'SEK', '12.5'],
  ['12,50 kr.', 'DKK', '12.5'],
  ['12,50 zł', 'PLN', '12.5'],
  ['R$ 1.200,50', 'BRL', '1200.5'],
  ['C$5', 'CAD', '5'],
  ['￥1,200', 'JPY', '1200'],
  ["CHF 1'200.50", 'CHF', '1200.5'],
  ['credits 5', 'credits', '5'],
  // Currencies without decimals have only the whole number.
  ['1,200', 'JPY', '1200'],
  ['150.000', 'VND', '150000'],
  ['-1.200', 'CLP', '-1200'],
  ['1,200', 'ISK', '1200'],
  ['12,345,678', 'UGX', '12345678'],
  ['0.500', 'KRW', '0.5'],
  // Three decimals after a point.
  ['1.255', 'KWD', '1.255'],
  ['BHD 0.375', 'BHD', '0.375'],
  ['12.500-', 'OMR', '-12.5'],
  ['1.200', 'JOD', '1.2'],
  ['123.456', 'TND', '123.456'],
])('the amount %j in %s is %s', (value, currency, plain) => {
  expect(read(value, currency)).toBe(plain);
});

test.each<[value: string, locale: string, plain: string]>([
  ['1,200', 'en', '1200'],
  ['1.200', 'en-US', '1.2'],
  ['1,200', 'de', '1.2'],
  ['1.200', 'de_DE', '1200'],
  ['1,200', 'fr-FR', '1.2'],
  ['1.200', 'de-CH', '1.2'],
  ['1,200', 'en-IN', '1200'],
  ['1.200', 'pt-BR', '1200'],
  ['1.200', 'es', '1200'],
  // Texts with one reading keep it.
  ['1,200.00', 'de', '1200'],
  ['1,20', 'en', '1.2'],
])('the locale decides: %j in %s is %s', (value, locale, plain) => {
  expect(read(value, 'USD', locale)).toBe(plain);
});

const TWO = /^has two readings, \d+ and [\d.]+: send it as a number, or name the locale$/;
const OTHER = /^has the sign of another currency than /;
const NONE = /^is not a number that has one reading$/;

test.each<[value: unknown, currency: string, issue: RegExp]>([
  ['1,200', 'USD', TWO],
  ['1.200', 'USD', TWO],
  ['$1,200', 'USD', TWO],
  ['12.345', 'EUR', TWO],
  ['(999,999)', 'KES', TWO],
  ['1,255', 'KWD', TWO],
  ['€5', 'USD', OTHER],
  ['$5', 'KES', OTHER],
  ['5 EUR', 'USD', OTHER],
  ['KES 5', 'UGX', OTHER],
  ['£5', 'EUR', OTHER],
  ['A$5', 'CAD', OTHER],
  ['on request', 'USD', NONE],
  ['', 'USD', NONE],
  ['5 apples', 'USD', NONE],
  ['5 %', 'USD', NONE],
  ['1,2,3', 'USD', NONE],
  ['1,23,45', 'USD', NONE],
  ['0,200.00', 'USD', NONE],
  ['12 34', 'USD', NONE],
  ["1 234'567", 'USD', NONE],
  ['1.200.50', 'USD', NONE],
  ['1,200.000,00', 'USD', NONE],
  ['5.', 'USD', NONE],
  ['USD.50', 'USD', NONE],
  ['(-5)', 'USD', NONE],
  ['-5-', 'USD', NONE],
  ['5+', 'USD', NONE],
  ['5-6', 'USD', NONE],
  ['1e3', 'USD', NONE],
  ['0x10', 'USD', NONE],
  ['Infinity', 'USD', NONE],
  ['$', 'USD', NONE],
  ['1/2', 'USD', NONE],
  ['5²', 'USD', NONE],
  ['1'.repeat(1_000_000), 'USD', NONE],
  [Number.NaN, 'USD', NONE],
  [true, 'USD', /^must be a number or a text$/],
  [{}, 'USD', /^must be a number or a text$/],
  [[5], 'USD', /^must be a number or a text$/],
  ['123456789012345678901', 'USD', /^has too many digits$/],
  ['0.123456789012345678901', 'USD', /^has too many digits$/],
  [1e300, 'USD', /^has too many digits$/],
  [5e-324, 'USD', /^has too many digits$/],
])('the amount %j in %s is refused', (value, currency, issue) => {
  let thrown: unknown;
  try {
    read(value, currency);
  } catch (error) {
    thrown = error;
  }

  expect(thrown).toBeInstanceOf(UnreadableNumber);
  expect(String((thrown as UnreadableNumber).message)).toMatch(issue);
});

test('without a currency the sign of any currency is read', () => {
  const readAny = (value: string) => readAmount(value, { currency: null, marks: null }).toFixed();

  expect(['$5', '5 EUR', '₹1,00,000', 'CA$ 7', 'kes 1,200.00'].map(readAny)).toEqual(['5', '5', '100000', '7', '1200']);
  expect(() => readAny('5 apples')).toThrow(UnreadableNumber);
});

test.each<[unknown, string]>([
  [3, '3'],
  ['3', '3'],
  ['2.5', '2.5'],
  ['2,5', '2.5'],
  ['1,200', '1.2'],
  ['1.200', '1.2'],
  ['-1', '-1'],
  ['1200', '1200'],
])('the quantity %j is %s, because quantities have no groups', (value, plain) => {
  expect(readQuantity(value).toFixed()).toBe(plain);
});

test.each(['1,200.00', '1 200', '1.200.000', '5 %', '2 h', '$5', 'many', null, true])(
  'the quantity %j is refused',
  (value) => {
    expect(() => readQuantity(value)).toThrow(UnreadableNumber);
  },
);

test.each<[unknown, string]>([
  [16, '16'],
  ['16', '16'],
  ['16%', '16'],
  ['5 %', '5'],
  ['7,5\u00a0%', '7.5'],
  ['8.375%', '8.375'],
  ['20.000', '20'],
  ['-2 %', '-2'],
  ['１６％', '16'],
])('the rate %j is %s percent', (value, plain) => {
  expect(readRate(value).toFixed()).toBe(plain);
});

test.each(['1,200.00 %', '% 5 %', '16 percent', '$16', '%', 'exempt'])('the rate %j is refused', (value) => {
  expect(() => readRate(value)).toThrow(UnreadableNumber);
});

test.each(['', 'english', 'xx', '1', 'e n'])('%j is no known locale', (locale) => {
  expect(findMarks(locale)).toBeNull();
});
