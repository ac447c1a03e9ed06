const MAX_FORMATS = 50;

/** A sign, a currency and a unit may stand around it: `-3`, `99.1 %`, `$1,200.00`, `KES 5`, `4.82 M`. */
const NUMERIC = /^[+\-−±~<>]?\s?(\p{Sc}|[A-Z]{3}\s)?\s?\d[\d.,\s]*(\p{Sc}|%|[\p{L}/]{1,4})?$/u;

/**
 * Filters that write numbers as people do.
 *
 * - `1234.5 | money: "KES"` is `KES 1,234.50`. What is no currency is written before the number.
 * - `1234567 | number` is `1,234,567`.
 * - `x | is_numeric` says whether it belongs flush right: a number, or a text that is one.
 *
 * Texts that are no numbers stay as they are.
 */
export function createNumberFilters() {
  const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });
  const cents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  // Making one takes longer than using it a hundred times; which ones there are is for tenants to choose.
  const currencies = new Map<string, Intl.NumberFormat>();

  function currencyFormat(currency: string): Intl.NumberFormat {
    const known = currencies.get(currency);
    if (known) return known;
    const made = new Intl.NumberFormat('en-US', { style: 'currency', currency });
    if (currencies.size >= MAX_FORMATS) currencies.clear();
    currencies.set(currency, made);
    return made;
  }

  return {
    money(value: unknown, currency: unknown = 'USD'): string {
      const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      if (typeof amount !== 'number' || !Number.isFinite(amount)) return String(value ?? '');
      const code = String(currency);
      if (/^[A-Za-z]{3}$/.test(code)) return currencyFormat(code.toUpperCase()).format(amount);
      return `${code.slice(0, 20)} ${cents.format(amount)}`.trim();
    },
    number: (value: unknown): unknown => (typeof value === 'number' ? plain.format(value) : value),
    is_numeric: (value: unknown): boolean =>
      typeof value === 'number' || (typeof value === 'string' && value.length <= 40 && NUMERIC.test(value.trim())),
  };
}
