const MAX_FORMATS = 50;

/** A number may have a sign, a currency or a unit: `-3`, `99.1 %`, `$1,200.00`, `KES 5`, `4.82 M`. */
const NUMERIC = /^[+\-−±~<>]?\s?(\p{Sc}|[A-Z]{3}\s)?\s?\d[\d.,\s]*(\p{Sc}|%|[\p{L}/]{1,4})?$/u;

/**
 * Filters that format numbers for people.
 *
 * - `1234.5 | money: "KES"` is `KES 1,234.50`. A text that is not a currency code is put before the number.
 * - `1234567 | number` is `1,234,567`.
 * - `x | is_numeric` whether to align a value to the right: true for a number, or a text that is one.
 *
 * A text that is not a number stays unchanged.
 */
export function createNumberFilters() {
  const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });
  const cents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  // Creating a format takes longer than using it a hundred times. Tenants choose the currencies, so the number of
  // formats is limited.
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
