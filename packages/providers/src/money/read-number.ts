import Big from 'big.js';
import { type Currency, isSignOf } from './currency.js';

/** A value that is no number, or that has several readings. The message continues a sentence that begins with its name. */
export class UnreadableNumber extends Error {
  override readonly name = 'UnreadableNumber';
}

/** The marks that a locale writes in numbers. */
export interface Marks {
  decimal: string;
  group: string;
}

export interface AmountRules {
  /** Null accepts the sign of any currency. */
  currency: Currency | null;
  /** These marks decide where a text has two readings, such as `1,200`. */
  marks: Marks | null;
}

const MAX_LENGTH = 60;
/** The most digits before the point, and after it. */
const MAX_DIGITS = 20;

const WITH_POINT =
  /^(?:\d*|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d\d)+,\d{3}|[1-9]\d{0,2}(?: \d{3})+|[1-9]\d{0,2}(?:'\d{3})+)\.\d+$/;
const WITH_COMMA = /^(?:\d*|[1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d{0,2}(?: \d{3})+|[1-9]\d{0,2}(?:'\d{3})+),\d+$/;
const WHOLE =
  /^(?:\d+|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d\d)+,\d{3}|[1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d{0,2}(?: \d{3})+|[1-9]\d{0,2}(?:'\d{3})+)$/;
/** How quantities and rates are written. */
const UNGROUPED = /^(?:\d+|\d*[.,]\d+)$/;
const LOOKS_LIKE_SIGN = /^(?:[A-Za-z]{3}|[A-Za-z]{0,3}\p{Sc}|\p{Sc}[A-Za-z]{1,2})\.?$/u;

/** Reads an amount of money: a number, or a text that has exactly one reading. Throws UnreadableNumber. */
export function readAmount(value: unknown, rules: AmountRules): Big {
  if (typeof value === 'number') return bounded(value);
  const { digits, isNegative, signs } = partsOf(value);
  for (const sign of signs) checkSign(sign, rules.currency);
  return signed(readGrouped(digits, rules), isNegative);
}

/** Reads a quantity: a number, or a text without groups, in which a point or a comma begins the decimals. */
export function readQuantity(value: unknown): Big {
  if (typeof value === 'number') return bounded(value);
  const { digits, isNegative, signs } = partsOf(value);
  if (signs.length > 0 || !UNGROUPED.test(digits))
    throw new UnreadableNumber('is not a plain number such as 1200 or 2.5');
  return signed(bounded(digits.replace(',', '.')), isNegative);
}

/** Reads a percentage like a quantity. It may have a percent sign. */
export function readRate(value: unknown): Big {
  return readQuantity(withoutPercent(value) ?? value);
}

/** The text before the percent sign that ends a text. Null if there is none. */
export function withoutPercent(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return null;
  const text = value.trim();
  return /[%％]$/.test(text) ? text.slice(0, -1) : null;
}

/** Whether a value counts as absent. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === false || (typeof value === 'string' && value.trim() === '');
}

/** The marks of a locale. Null if the locale is unknown. */
export function findMarks(locale: string): Marks | null {
  const tag = locale.slice(0, MAX_LENGTH).trim().replaceAll('_', '-');
  try {
    if (Intl.NumberFormat.supportedLocalesOf(tag).length === 0) return null;
    const parts = new Intl.NumberFormat(tag, { numberingSystem: 'latn', useGrouping: true }).formatToParts(1234567.8);
    const markOf = (name: string) => parts.find(({ type }) => type === name)?.value ?? '';
    return { decimal: markOf('decimal'), group: markOf('group') };
  } catch (error) {
    if (error instanceof RangeError) return null; // not the form of a locale
    throw error;
  }
}

interface Parts {
  /** From the first digit, or the mark before it, to the last digit. */
  digits: string;
  isNegative: boolean;
  /** What stands before and after the digits, without a minus. */
  signs: string[];
}

function partsOf(value: unknown): Parts {
  if (typeof value !== 'string') throw new UnreadableNumber('must be a number or a text');
  if (value.length > MAX_LENGTH) throw notNumber();
  const folded = fold(value);
  const [, outside, inside, behind] = /^([^()]*)\(([^()]+)\)([^()]*)$/.exec(folded) ?? [];
  const text = inside === undefined ? folded : `${outside} ${inside} ${behind}`;
  const all = [...text.matchAll(/\d/g)];
  const [first, last] = [all[0]?.index, all.at(-1)?.index];
  if (first === undefined || last === undefined) throw notNumber();
  // In `Rs.500` the point ends an abbreviation; in `.50` and `$.50` it begins the decimals.
  const start = /(?:^|[^\p{L}\d/])[.,]$/u.test(text.slice(0, first)) ? first - 1 : first;
  const end = last + 1;
  if (/^[A-Z]{3}\.$/.test(text.slice(0, start))) throw notNumber();
  const [before, after] = [unsign(text.slice(0, start)), unsign(text.slice(end))];
  const marks = [...(inside === undefined ? [] : ['-']), ...before.marks, ...after.marks];
  if (marks.length > 1 || after.marks.includes('+')) throw notNumber();
  return {
    digits: text.slice(start, end),
    isNegative: marks[0] === '-',
    signs: [before.sign, after.sign].filter((sign) => sign !== ''),
  };
}

/** One spelling of each space, apostrophe, minus and full-width character. Marks of direction are left out. */
function fold(text: string): string {
  return text
    .replaceAll(/[\u200e\u200f\u061c]/g, '')
    .replaceAll(/\p{Zs}/gu, ' ')
    .replaceAll(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replaceAll(/[’‘ʼ]/g, "'")
    .replaceAll('\u2212', '-')
    .trim();
}

/** Separates a sign from the minus or plus before and after it. */
function unsign(affix: string): { sign: string; marks: string[] } {
  const match = /^([-+]?)([^-+]*)([-+]?)$/.exec(affix.trim());
  if (!match) throw notNumber();
  const [, before = '', sign = '', after = ''] = match;
  return { sign: sign.trim(), marks: [before, after].filter((mark) => mark !== '') };
}

function checkSign(sign: string, currency: Currency | null): void {
  if (currency ? isSignOf(sign, currency) : LOOKS_LIKE_SIGN.test(sign)) return;
  if (currency && LOOKS_LIKE_SIGN.test(sign))
    throw new UnreadableNumber(`has the sign of another currency than ${currency.code}`);
  throw notNumber();
}

function readGrouped(digits: string, { currency, marks }: AmountRules): Big {
  const whole = WHOLE.test(digits) ? bounded(digits.replaceAll(/\D/g, '')) : null;
  const mark = WITH_POINT.test(digits) ? '.' : WITH_COMMA.test(digits) ? ',' : null;
  if (mark === null) {
    if (whole === null) throw notNumber();
    return whole;
  }
  const [before = '', after = ''] = digits.split(mark === '.' ? '.' : ',');
  const decimal = bounded(`${before.replaceAll(/\D/g, '')}.${after}`);
  if (whole === null) return decimal;
  // One mark and three digits. A currency without decimals has only the whole number; three decimals are written like this.
  if (currency?.decimals === 0) return whole;
  if (currency?.decimals === 3 && mark === '.') return decimal;
  if (marks?.group === mark) return whole;
  if (marks?.decimal === mark) return decimal;
  throw new UnreadableNumber(
    `has two readings, ${whole.toFixed()} and ${decimal.toFixed()}: send it as a number, or name the locale`,
  );
}

function bounded(value: number | string): Big {
  if (typeof value === 'number' && !Number.isFinite(value)) throw notNumber();
  const number = new Big(value);
  const decimals = number.c.length - 1 - number.e;
  if (number.e >= MAX_DIGITS || decimals > MAX_DIGITS) throw new UnreadableNumber('has too many digits');
  return number;
}

function signed(value: Big, isNegative: boolean): Big {
  return isNegative ? value.neg() : value;
}

function notNumber(): UnreadableNumber {
  return new UnreadableNumber('is not a number that has one reading');
}
