import type Big from 'big.js';
import { currencyOf } from '../money/currency.js';
import { findMarks, isBlank, type Marks, readAmount, UnreadableNumber, withoutPercent } from '../money/read-number.js';

/** A number may have a sign, a currency or a unit: `-3`, `99.1 %`, `$1,200.00`, `KES 5`, `4.82 M`. */
const NUMERIC = /^[+\-−±~<>]?\s?(\p{Sc}|[A-Z]{3}\s)?\s?\d[\d.,\s]*(\p{Sc}|%|[\p{L}/]{1,4})?$/u;

/**
 * Filters that format and read numbers.
 *
 * - `1234.5 | money: "KES"` is `KES 1,234.50`, exact and with the decimals of the currency. A text that is not a currency
 *   code is put before the number.
 * - `"1,200.50" | decimal` is `1200.5`. A currency and a locale can follow: `decimal: "KES", locale: "de"`.
 * - `1234567 | number` is `1,234,567`.
 * - `x | is_numeric` whether to align a value to the right: true for a number, or a text that is one.
 *
 * A text that is not a number stays unchanged, but `decimal` throws, because a template computes with its result.
 */
export function createNumberFilters() {
  const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });

  return {
    money(value: unknown, ...args: unknown[]): string {
      const { name = 'USD', marks } = optionsOf(args);
      const currency = currencyOf(name);
      try {
        return isBlank(value) ? '' : currency.format(readAmount(value, { currency, marks }));
      } catch (error) {
        if (error instanceof UnreadableNumber) return String(value);
        throw error;
      }
    },
    decimal(value: unknown, ...args: unknown[]): unknown {
      const { name, marks } = optionsOf(args);
      const currency = name === undefined ? null : currencyOf(name);
      try {
        return isBlank(value) ? value : numberOrText(readAmount(withoutPercent(value) ?? value, { currency, marks }));
      } catch (error) {
        if (!(error instanceof UnreadableNumber)) throw error;
        throw new Error(`decimal: ${(JSON.stringify(value) ?? '').slice(0, 60)} ${error.message}`, { cause: error });
      }
    },
    number: (value: unknown): unknown => (typeof value === 'number' ? plain.format(value) : value),
    is_numeric: (value: unknown): boolean =>
      typeof value === 'number' || (typeof value === 'string' && value.length <= 40 && NUMERIC.test(value.trim())),
  };
}

/** A number that comparisons understand; a text where a number would not be exact. */
function numberOrText(value: Big): number | string {
  return value.eq(value.toNumber()) ? value.toNumber() : value.toFixed();
}

/** The arguments of a filter in Liquid: a currency, and `locale: "de"`. */
function optionsOf(args: readonly unknown[]): { name?: string; marks: Marks | null } {
  const name = args.find((arg) => !isLocale(arg));
  const [, locale] = args.find(isLocale) ?? [];
  const marks = isBlank(locale) ? null : findMarks(String(locale));
  if (marks === null && !isBlank(locale)) throw new Error(`unknown locale: ${String(locale).slice(0, 60)}`);
  return { marks, ...(name !== undefined && name !== null && { name: String(name) }) };
}

function isLocale(arg: unknown): arg is ['locale', unknown] {
  return Array.isArray(arg) && arg[0] === 'locale';
}
