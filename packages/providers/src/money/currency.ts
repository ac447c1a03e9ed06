import type Big from 'big.js';
import iso4217 from 'currency-codes';

/** The currency of an amount: a code of ISO 4217, or any other text that is printed before the number. */
export interface Currency {
  /** In upper case if it has the form of a code. */
  code: string;
  /** The decimals of ISO 4217. An unknown currency has 2. */
  decimals: number;
  /** How the currency is written: its code and its symbols, in lower case, without a point at the end. */
  signs: ReadonlySet<string>;
  /** The text of an amount. `decimals` is for a unit price that has more of them than its currency. */
  format(amount: Big, decimals?: number): string;
}

const UNKNOWN_DECIMALS = 2;
const MAX_NAME_LENGTH = 20;
/** Making a currency takes longer than using it a hundred times. Tenants choose the names, so their number is limited. */
const MAX_REMEMBERED = 50;
const IS_CODE = /^[A-Z]{3}$/;

const currencies = new Map<string, Currency>();

export function currencyOf(name: string): Currency {
  const trimmed = name.slice(0, MAX_NAME_LENGTH).trim();
  const code = /^[A-Za-z]{3}$/.test(trimmed) ? trimmed.toUpperCase() : trimmed;
  const known = currencies.get(code);
  if (known) return known;
  const made = createCurrency(code);
  if (currencies.size >= MAX_REMEMBERED) currencies.clear();
  currencies.set(code, made);
  return made;
}

/** Rounds half away from zero. */
export function roundTo(amount: Big, decimals: number): Big {
  return amount.round(decimals, 1);
}

/** Whether a text that stands before or after a number is a sign or the code of this currency. */
export function isSignOf(text: string, { signs }: Currency): boolean {
  return signs.has(foldSign(text));
}

function createCurrency(code: string): Currency {
  const decimals = iso4217.code(code)?.digits ?? UNKNOWN_DECIMALS;
  const formats = new Map<number, Intl.NumberFormat>();
  return {
    code,
    decimals,
    signs: signsOf(code),
    format(amount, digits = decimals) {
      const rounded = roundTo(amount, digits);
      // The sign of a zero is left out.
      const text = (rounded.eq(0) ? rounded.abs() : rounded).toFixed(digits);
      const format = formats.get(digits) ?? numberFormat(code, digits);
      formats.set(digits, format);
      // The cast: the text is a decimal number. As a text it is formatted exactly.
      const number = format.format(text as `${number}`);
      return IS_CODE.test(code) ? number : `${code} ${number}`.trim();
    },
  };
}

function numberFormat(code: string, digits: number): Intl.NumberFormat {
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(
    'en-US',
    IS_CODE.test(code) ? { ...decimals, style: 'currency', currency: code } : decimals,
  );
}

/**
 * The symbols come from locale data: those of English, and those of the country whose code begins that of the currency.
 * A symbol is also accepted with this country before it: `US$`, `C$`.
 */
function signsOf(code: string): ReadonlySet<string> {
  if (!IS_CODE.test(code)) return new Set([foldSign(code)]);
  const country = code.slice(0, 2);
  const { language } = new Intl.Locale(`und-${country}`).maximize();
  const symbols = ['en', `en-${country}`, `${language}-${country}`].flatMap((locale) =>
    (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) => symbolOf(code, locale, currencyDisplay)),
  );
  const prefixed = symbols
    .filter((symbol) => /^\p{Sc}$/u.test(symbol))
    .flatMap((symbol) => [country + symbol, country.slice(0, 1) + symbol]);
  return new Set([code, ...symbols, ...prefixed].map(foldSign));
}

function symbolOf(currency: string, locale: string, currencyDisplay: 'symbol' | 'narrowSymbol'): string {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay });
  return format.formatToParts(1).find(({ type }) => type === 'currency')?.value ?? currency;
}

/** Signs are compared without case, spaces, marks of direction and the point of an abbreviation. */
function foldSign(text: string): string {
  return text
    .replaceAll(/[\p{Zs}\u200e\u200f\u061c]/gu, '')
    .replaceAll('￥', '¥')
    .replace(/\.$/, '')
    .toLowerCase();
}
