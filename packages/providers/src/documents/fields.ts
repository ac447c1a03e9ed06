import { PermanentError } from '@jobline/handlers/errors';
import type Big from 'big.js';
import { type Currency, currencyOf } from '../money/currency.js';
import { findMarks, isBlank, readAmount, readQuantity, readRate, UnreadableNumber } from '../money/read-number.js';

export type Fields = Readonly<Record<string, unknown>>;

/** Reads the numbers of a document. A value that cannot be read is a PermanentError that names its field. */
export interface NumberReader {
  currency: Currency;
  amount(value: unknown, path: string): Big;
  quantity(value: unknown, path: string): Big;
  rate(value: unknown, path: string): Big;
}

const DEFAULT_CURRENCY = 'USD';
const MAX_SHOWN_LENGTH = 60;

/** A reader for the `currency` and the `locale` of the data. */
export function createNumberReader(data: Fields): NumberReader {
  const currency = currencyOf(textOf(data, 'currency') ?? DEFAULT_CURRENCY);
  const locale = textOf(data, 'locale');
  const marks = locale === null ? null : findMarks(locale);
  if (locale !== null && marks === null)
    throw invalidField('data.locale', locale, 'is not a known locale such as en or de-DE');
  const rules = { currency, marks };
  return {
    currency,
    amount: (value, path) => named(path, value, () => readAmount(value, rules)),
    quantity: (value, path) => named(path, value, () => readQuantity(value)),
    rate: (value, path) => named(path, value, () => readRate(value)),
  };
}

/** The items of a document. */
export function itemsOf({ items }: Fields): Fields[] {
  if (isBlank(items)) return [];
  if (!Array.isArray(items)) throw invalidField('data.items', items, 'must be a list');
  return items.map((item: unknown, n) => {
    if (typeof item !== 'object' || item === null) throw invalidField(`data.items[${n}]`, item, 'must be an object');
    return { ...item };
  });
}

export function invalidField(path: string, value: unknown, issue: string): PermanentError {
  const shown = (JSON.stringify(value) ?? '').slice(0, MAX_SHOWN_LENGTH);
  return new PermanentError(`${path} ${shown} ${issue}`, { code: 'invalid_payload' });
}

function textOf(data: Fields, name: string): string | null {
  const value = data[name];
  if (isBlank(value)) return null;
  if (typeof value !== 'string') throw invalidField(`data.${name}`, value, 'must be a text');
  return value;
}

function named(path: string, value: unknown, read: () => Big): Big {
  try {
    return read();
  } catch (error) {
    throw error instanceof UnreadableNumber ? invalidField(path, value, error.message) : error;
  }
}
