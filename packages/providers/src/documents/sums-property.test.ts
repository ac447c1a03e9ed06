import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prepareDocument } from './prepare.js';

const RUNS = 10_000;
const DECIMALS = { JPY: 0, ISK: 0, UGX: 0, USD: 2, EUR: 2, HUF: 2, INR: 2, KES: 2, KWD: 3, TND: 3, ZZZ: 2 };
type Code = keyof typeof DECIMALS;

/** An exact decimal: `digits` × 10^-`scale`. The test computes with big integers only. */
interface Decimal {
  digits: bigint;
  scale: number;
}

const decimal = (most: number, scales: number): fc.Arbitrary<Decimal> =>
  fc.record({ digits: fc.bigInt({ min: BigInt(-most), max: BigInt(most) }), scale: fc.nat(scales) });
const positive = ({ digits, scale }: Decimal): Decimal => ({ digits: digits < 0n ? -digits : digits, scale });

const style = fc.nat(8);
const line = fc.record({
  quantity: decimal(100_000, 3).map(positive),
  quantityAsText: fc.boolean(),
  price: decimal(50_000_000, 5),
  style,
});
const invoice = fc.record({
  currency: fc.constantFrom<Code>('JPY', 'ISK', 'UGX', 'USD', 'EUR', 'HUF', 'INR', 'KES', 'KWD', 'TND', 'ZZZ'),
  lines: fc.array(line, { maxLength: 5 }),
  taxRate: decimal(3_000, 3).map(positive),
  discountPercent: fc.option(fc.record({ digits: fc.bigInt(0n, 10_000n), scale: fc.constant(2) })),
  discountPermille: fc.bigInt(0n, 1_000n),
  shipping: decimal(10_000_000, 4),
  paid: decimal(10_000_000, 4),
  style,
});

test(`the printed parts of ${RUNS} random invoices add up to the printed total`, () => {
  fc.assert(
    fc.property(invoice, ({ currency, lines, taxRate, discountPercent, discountPermille, ...more }) => {
      const decimals = DECIMALS[currency];
      const round = (value: Decimal) => rounded(value, decimals);
      const write = (value: Decimal) => written(value, currency, more.style);

      const amounts = lines.map(({ quantity, price }) => round(times(quantity, price)));
      const subtotal = amounts.reduce((sum, amount) => sum + amount, 0n);
      const fixed = subtotal > 0n ? { digits: (subtotal * discountPermille) / 1_000n, scale: decimals } : NONE;
      const discount = discountPercent
        ? round(percentOf({ digits: subtotal, scale: decimals }, discountPercent))
        : round(fixed);
      const tax = round(percentOf({ digits: subtotal - discount, scale: decimals }, taxRate));
      const total = subtotal - discount + tax + round(more.shipping);

      // The cast: this is what the template prints.
      const { items, sums } = prepareDocument(
        'invoice',
        {
          currency,
          date: 'not computed',
          items: lines.map((one) => ({
            quantity: one.quantityAsText ? plain(one.quantity) : Number(plain(one.quantity)),
            unit_price: written(one.price, currency, one.style),
          })),
          discount: discountPercent ? `${plain(discountPercent)} %` : write(fixed),
          tax_rate: `${plain(taxRate)}%`,
          shipping: write(more.shipping),
          paid: write(more.paid),
        },
        undefined,
      ) as { items: { amount: string }[]; sums: Record<string, string | null> };

      const read = (text: string | null | undefined) => (text ? minorUnits(text, decimals) : 0n);
      const printed = {
        amounts: items.map(({ amount }) => read(amount)),
        subtotal: read(sums.subtotal),
        discount: -read(sums.discount),
        tax: read(sums.tax),
        total: read(sums.total),
        paid: -read(sums.paid),
        due: read(sums.due),
      };
      // The computation of this test has the same results, and what is printed adds up.
      expect(printed).toEqual({
        amounts,
        subtotal,
        discount,
        tax,
        total,
        paid: round(more.paid),
        due: total - printed.paid,
      });
      expect([
        printed.amounts.reduce((sum, amount) => sum + amount, 0n),
        printed.subtotal - printed.discount + printed.tax + read(sums.shipping),
      ]).toEqual([printed.subtotal, printed.total]);
    }),
    { numRuns: RUNS },
  );
});

const NONE: Decimal = { digits: 0n, scale: 0 };

function times(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

function percentOf(amount: Decimal, rate: Decimal): Decimal {
  return times(amount, { digits: rate.digits, scale: rate.scale + 2 });
}

/** In units of 10^-`decimals`, rounded half away from zero. */
function rounded({ digits, scale }: Decimal, decimals: number): bigint {
  if (scale <= decimals) return digits * 10n ** BigInt(decimals - scale);
  const unit = 10n ** BigInt(scale - decimals);
  const half = digits < 0n ? -unit / 2n : unit / 2n;
  return (digits + half) / unit;
}

function plain({ digits, scale }: Decimal): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const [whole, fraction] = [text.slice(0, text.length - scale), text.slice(text.length - scale)];
  return `${digits < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}

/** A number, or one of eight texts that mean it. Where the text has two readings, a number. */
function written(value: Decimal, currency: Code, inStyle: number): number | string {
  const isNegative = value.digits < 0n;
  const [whole = '', fraction] = plain(positive(value)).split('.');
  const grouped = (mark: string) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, mark);
  const indian = () => whole.replace(/\d(?=\d{3}$)/, '$&,').replaceAll(/\B(?=(?:\d\d)+,)/g, ',');
  const withFraction = (integer: string, mark: string) =>
    fraction === undefined ? integer : integer + mark + fraction;
  const texts = [
    () => withFraction(whole, '.'),
    () => withFraction(whole, ','),
    () => withFraction(grouped(','), '.'),
    () => withFraction(grouped('.'), ','),
    () => withFraction(grouped(' '), '.'),
    () => withFraction(grouped('\u202f'), ','),
    () => withFraction(grouped("'"), '.'),
    () => withFraction(indian(), '.'),
  ];
  const text = texts[inStyle]?.();
  if (text === undefined || /^[1-9]\d{0,2}[.,]\d{3}$/.test(text)) return Number(plain(value));
  if (!isNegative) return `${currency} ${text}`;
  return inStyle % 3 === 0 ? `(${text})` : inStyle % 3 === 1 ? `${text}-` : `\u2212${text} ${currency}`;
}

/** Reads a printed amount, which must have exactly these decimals. */
function minorUnits(text: string, decimals: number): bigint {
  const [, fraction = ''] = text.split('.');
  if (fraction.length !== decimals) throw new Error(`${text} does not have ${decimals} decimals`);
  const digits = BigInt(text.replaceAll(/\D/g, ''));
  return text.startsWith('-') ? -digits : digits;
}
