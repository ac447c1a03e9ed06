import Big from 'big.js';
import { expect, test } from 'vitest';
import { currencyOf, isSignOf } from './currency.js';

// ISO 4217, amendment 176. Locale data has other decimals for some of them: 0 for HUF and IQD, for example.
test.each<[number, string]>([
  [0, 'JPY KRW VND CLP ISK UGX RWF XOF XAF PYG KMF GNF DJF'],
  [2, 'USD EUR KES HUF TWD IDR COP UZS AFN MGA LAK MMK PKR RSD'],
  [3, 'KWD BHD OMR JOD TND IQD LYD'],
])('the currencies with %i decimals are those of ISO 4217: %s', (decimals, codes) => {
  for (const code of codes.split(' ')) expect(currencyOf(code), code).toMatchObject({ code, decimals });
});

test.each<[string, string, string]>([
  ['1234567.891', 'EUR', '€1,234,567.89'],
  ['-5', 'USD', '-$5.00'],
  ['1500', 'JPY', '¥1,500'],
  ['1.2555', 'KWD', 'KWD\u00a01.256'],
  ['1234.5', 'HUF', 'HUF\u00a01,234.50'],
  ['1234.5', 'ISK', 'ISK\u00a01,235'],
  ['7', 'kes', 'KES\u00a07.00'],
  ['7', 'ZZZ', 'ZZZ\u00a07.00'],
  ['-7', 'credits', 'credits -7.00'],
  ['7', '', '7.00'],
  // Binary floats and their formats lose these.
  ['1.005', 'USD', '$1.01'],
  ['-1.005', 'USD', '-$1.01'],
  ['2.5', 'JPY', '¥3'],
  ['-0.004', 'USD', '$0.00'],
  ['12345678901234567890.12', 'USD', '$12,345,678,901,234,567,890.12'],
])('%s in %s is printed as %s', (amount, currency, text) => {
  expect(currencyOf(currency).format(new Big(amount))).toBe(text);
});

test('the number of remembered currencies is limited, and each of them works', () => {
  for (const a of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')
    for (const b of 'ABC') expect(currencyOf(`${a}${b}X`).format(new Big(1))).toContain('1');
});

test.each<[string, string]>([
  ['$', 'USD'],
  ['US$', 'USD'],
  ['$', 'MXN'],
  ['KSh', 'KES'],
  ['kes', 'KES'],
  ['₦', 'NGN'],
  ['Kč', 'CZK'],
  ['Ft', 'HUF'],
  ['₹', 'INR'],
])('%s is a sign of %s', (sign, currency) => {
  expect(isSignOf(sign, currencyOf(currency))).toBe(true);
});
